/// \file
/// Worker processes. Each makes one explored run at a time. A run owns a folder and the process's signal
/// handlers (cli/recorded_run.hpp), so concurrent runs need several processes.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "cli/explore_run.hpp"

namespace omen::cli {

class ExploreWorkers {
 public:
  /// A requested run.
  struct Order {
    std::uint64_t number = 0;  ///< of the run, from 1
    std::uint64_t seed = 0;
    std::uint64_t steps = 0;
  };
  struct Done {
    Order order;
    std::expected<ExploredRun, InputError> run;
  };

  ExploreWorkers(const ExploreSettings& settings, const report::Suppressions& suppressions, std::uint64_t count);
  ~ExploreWorkers();
  ExploreWorkers(const ExploreWorkers&) = delete;
  ExploreWorkers& operator=(const ExploreWorkers&) = delete;

  bool has_idle() const;
  bool has_busy() const;
  void give(const Order& order);
  /// Waits for the next run to end.
  std::expected<Done, InputError> take();

 private:
  struct Worker {
    int pid = 0;
    int to = -1;
    int from = -1;
    bool busy = false;
    Order order;
  };
  std::vector<Worker> workers_;
};

}  // namespace omen::cli
