/// \file
/// One execution of a program, under a given schedule or under pseudo-random choices of a seed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mini/machine.hpp"

namespace omen::mini {

/// The thread of each step.
using Schedule = std::vector<ThreadNumber>;

/// Chooses the thread of each step.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// One of `enabled`, which is ascending and not empty; none: the run ends.
  virtual std::optional<ThreadNumber> choose(const std::vector<ThreadNumber>& enabled) = 0;
};

/// Its choices are the same on every platform.
class RandomScheduler final : public Scheduler {
 public:
  explicit RandomScheduler(std::uint64_t seed) : state_(seed) {}
  std::optional<ThreadNumber> choose(const std::vector<ThreadNumber>& enabled) override;

 private:
  std::uint64_t state_;
};

/// The given choices, then the thread with the smallest number. A choice that is not enabled ends the run.
class FixedScheduler final : public Scheduler {
 public:
  explicit FixedScheduler(Schedule schedule, bool then_least = true)
      : schedule_(std::move(schedule)), then_least_(then_least) {}
  std::optional<ThreadNumber> choose(const std::vector<ThreadNumber>& enabled) override;

  std::size_t used() const { return used_; }
  bool refused() const { return refused_; }  ///< the choice number `used()` was not enabled

 private:
  Schedule schedule_;
  bool then_least_;
  std::size_t used_ = 0;
  bool refused_ = false;
};

enum class Outcome : std::uint8_t {
  Finished,  ///< all threads have ended
  Deadlock,  ///< some have not, and none can run
  Fault,     ///< the program stopped
  Cut,       ///< at the limit, or by the scheduler
};
std::string_view text(Outcome outcome);

struct Run {
  Outcome outcome = Outcome::Cut;
  Schedule schedule;
  ThreadNumber faulty = 0;  ///< the thread at the fault
};

inline constexpr std::uint64_t kMaxSteps = 1'000'000;

/// Runs `machine` from its current state.
Run run(Machine& machine, Scheduler& scheduler, Observer* observer = nullptr, std::uint64_t max_steps = kMaxSteps);

}  // namespace omen::mini
