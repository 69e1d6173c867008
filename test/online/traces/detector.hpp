/// \file
/// The detector of the running program, driven in one thread of the system: each thread of a program has its own
/// `ThreadState`, and every step is a call of the runtime function that the program would have called.
///
/// There is one in a process, and it cannot be restarted: a caller that needs a fresh one forks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "test/online/traces/program.hpp"

namespace omen::traces {

struct Report {
  std::size_t now;      ///< the steps, by the numbers that `run` gave them
  std::size_t earlier;  ///< `kUnknown`: the report does not say
  bool observed;        ///< happens-before does not order them
  static constexpr std::size_t kUnknown = ~std::size_t{0};
};

class Detector {
 public:
  /// How many steps there may be in all.
  static constexpr std::size_t kMostNumbers = std::size_t{1} << 16;

  struct How {
    const char* analysis;
    bool records = false;  ///< also records the run; then it takes no shortcuts
    bool counts = false;   ///< the same of `stats=1`
  };
  /// Ends the process if the detector does not start.
  Detector(const How& how, const std::string& folder);

  /// Thread 0 is the process's first thread, which joins the others at the end. Its steps have the numbers from `first`
  /// on.
  void run(const Program& program, std::size_t first);

  /// What has been reported so far, in order; and why something may be missing, if the detector says so.
  std::vector<Report> reports() const;
  std::string incomplete() const;

 private:
  std::string log_;
};

}  // namespace omen::traces
