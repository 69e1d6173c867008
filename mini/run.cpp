#include "mini/run.hpp"

#include <algorithm>

namespace omen::mini {

std::optional<ThreadNumber> RandomScheduler::choose(const std::vector<ThreadNumber>& enabled) {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return enabled[(z ^ (z >> 31)) % enabled.size()];
}

std::optional<ThreadNumber> FixedScheduler::choose(const std::vector<ThreadNumber>& enabled) {
  if (used_ == schedule_.size()) return then_least_ ? std::optional(enabled.front()) : std::nullopt;
  const ThreadNumber t = schedule_[used_];
  if (std::ranges::find(enabled, t) == enabled.end()) {
    refused_ = true;
    return std::nullopt;
  }
  ++used_;
  return t;
}

std::string_view text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Finished:
      return "finished";
    case Outcome::Deadlock:
      return "deadlock";
    case Outcome::Fault:
      return "fault";
    case Outcome::Cut:
      return "cut";
  }
  return "";
}

Run run(Machine& machine, Scheduler& scheduler, Observer* observer, std::uint64_t max_steps) {
  Run result;
  std::vector<ThreadNumber> enabled;
  for (std::uint64_t step = 0; step < max_steps; ++step) {
    enabled.clear();
    for (ThreadNumber t = 0; t < machine.threads(); ++t) {
      if (machine.enabled(t)) enabled.push_back(t);
    }
    if (enabled.empty()) {
      result.outcome = machine.finished() ? Outcome::Finished : Outcome::Deadlock;
      return result;
    }
    const auto chosen = scheduler.choose(enabled);
    if (!chosen) return result;
    machine.step(*chosen, observer);
    result.schedule.push_back(*chosen);
    if (machine.stopped()) {
      result.outcome = Outcome::Fault;
      result.faulty = *chosen;
      return result;
    }
  }
  return result;
}

}  // namespace omen::mini
