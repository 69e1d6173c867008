/// \file
/// Random traces of any length, well formed by construction, one block at a time.
///
/// Each step picks a thread, then a synchronisation (an acquire or a release) or an access. The variable of an access
/// is drawn from a mix of four disciplines, each with its own part of the variables:
///   local        only one thread ever touches the variable
///   guarded      the variable has a lock, held at every access
///   read-shared  read by all without a lock; one access in a thousand is a write, under the variable's lock
///   wild         any variable of the other three, at any time: the accesses that race
/// With `locality`, that share of the accesses repeats the thread's previous access while its lock is still held, as
/// loops do. With `uniform`, every access is to any variable at any time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/random.hpp"
#include "trace/event.hpp"
#include "trace/names.hpp"

namespace omen::bench {

struct GeneratorOptions {
  std::uint64_t events = 10'000'000;
  std::uint32_t threads = 8;
  std::uint32_t locks = 50;
  std::uint32_t variables = 10'000;
  double sync_share = 0.20;                           ///< of all events
  std::uint32_t nesting = 3;                          ///< the most locks that a thread holds at once
  double read_share = 0.70;                           ///< of the accesses to local, guarded and wild variables
  std::array<double, 4> mix{0.40, 0.45, 0.14, 0.01};  ///< of the accesses: local, guarded, read-shared, wild
  bool uniform = false;
  double locality = 0;  ///< share of accesses to the variable of the thread's previous access
  std::uint64_t seed = 1;

  /// Describes what is wrong with these options; empty if nothing is.
  std::string complaint() const;
};

class Generator {
 public:
  explicit Generator(const GeneratorOptions& options);

  /// The next events; empty at the end. Valid until the next call.
  std::span<const Event> next();
  const Names& names() const { return names_; }

 private:
  enum class Discipline : std::uint8_t { Local, Guarded, ReadShared, Wild };
  struct Variables {  ///< a part of the variables: [first, first + count)
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  /// The thread's last access, for repetition.
  struct Last {
    bool any = false;
    Event event;
    Discipline discipline = Discipline::Local;
    std::uint32_t lock = 0;  ///< for a guarded access: the lock that must still be held
  };

  void make_names();
  bool repeat(std::uint32_t thread, Event& event);
  Event remember(std::uint32_t thread, Event event, Discipline discipline, std::uint32_t lock = 0);
  Event step();
  bool synchronise(std::uint32_t thread, Event& event);
  Event access(std::uint32_t thread);
  Discipline draw(bool holds_lock);
  std::uint32_t guarded_variable(std::uint32_t lock);
  Event at(std::uint32_t thread, Op op, std::uint32_t operand) const;

  GeneratorOptions options_;
  Random random_;
  Names names_;
  std::uint64_t made_ = 0;
  std::array<Variables, 3> parts_;                ///< by discipline; Wild has no part of its own
  std::uint64_t guarded_owed_ = 0;                ///< guarded accesses that were postponed because no lock was held
  std::vector<std::vector<std::uint32_t>> held_;  ///< per thread, innermost last
  std::vector<Last> last_;                        ///< per thread
  std::vector<bool> taken_;                       ///< per lock
  std::vector<Event> block_;
};

}  // namespace omen::bench
