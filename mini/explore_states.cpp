/// \file
/// The explorer without reduction: every reachable state once, breadth first, so examples are shortest.
#include <algorithm>
#include <deque>
#include <unordered_set>
#include <utility>

#include "mini/explore.hpp"

namespace omen::mini {

RaceSites sites_of(const Next& a, const Next& b) {
  const AccessSite one{a.instruction->at, a.action == Action::Store};
  const AccessSite two{b.instruction->at, b.action == Action::Store};
  return {std::min(one, two), std::max(one, two)};
}

std::vector<std::uint64_t> results(const Machine& machine) {
  std::vector<std::uint64_t> values;
  for (const Place& place : machine.code().places) {
    for (std::uint32_t c = 0; !place.field && !place.lock && c < place.cells; ++c) {
      values.push_back(machine.memory(place.cell + c));
    }
  }
  return values;
}

void note_state(const Machine& machine, const Schedule& schedule, Exploration& found) {
  for (ThreadNumber t = 0; t < machine.threads(); ++t) {
    const Next& next = machine.next(t);
    if (next.action != Action::Fault) continue;
    found.faults.try_emplace({next.instruction->at, next.fault}, Example{schedule, thread_name(t)});
  }
}

void note_end(const Machine& machine, const Schedule& schedule, Exploration& found) {
  if (machine.finished()) {
    found.finals.insert(results(machine));
    return;
  }
  std::vector<Position> stand;
  for (ThreadNumber t = 0; t < machine.threads(); ++t) {
    const Next& next = machine.next(t);
    if (next.action == Action::Fault) return;
    if (next.instruction != nullptr) stand.push_back(next.instruction->at);
  }
  found.deadlocks.try_emplace(std::move(stand), Example{schedule, ""});
}

namespace {

class StateSearch {
 public:
  StateSearch(const Code& code, const ExploreLimits& limits) : code_(code), limits_(limits) {}

  Exploration run() {
    reach(Machine(code_), kNoParent, 0);
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const Machine machine = std::move(frontier_.front());
      frontier_.pop_front();
      if (!expand(machine, i)) break;
    }
    found_.states = reached_.size();
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kNoParent = ~std::size_t{0};
  struct Reached {
    std::size_t parent;
    ThreadNumber by;
  };

  void reach(Machine machine, std::size_t parent, ThreadNumber by) {
    const std::size_t copies = 2 * machine.bytes();  // itself and its key
    if (!known_.insert(machine.key()).second) return;
    bytes_ += copies;
    reached_.push_back({parent, by});
    frontier_.push_back(std::move(machine));
  }

  Schedule schedule_to(std::size_t state) const {
    Schedule schedule;
    for (; reached_[state].parent != kNoParent; state = reached_[state].parent) schedule.push_back(reached_[state].by);
    std::ranges::reverse(schedule);
    return schedule;
  }

  bool expand(const Machine& machine, std::size_t state) {
    note_races(machine, state);
    bool faulty = false;
    bool ran = false;
    for (ThreadNumber t = 0; t < machine.threads(); ++t) {
      if (machine.next(t).action == Action::Fault) faulty = true;
      if (machine.next(t).action == Action::Fault || !machine.enabled(t)) continue;
      ran = true;
      const char* limit = reached_.size() >= limits_.states ? "states"
                          : found_.steps >= limits_.steps   ? "steps"
                          : bytes_ >= limits_.bytes         ? "memory"
                                                            : nullptr;
      if (limit != nullptr) {
        found_.exhaustive = false;
        found_.limit = limit;
        return false;
      }
      Machine after = machine;
      after.step(t);
      ++found_.steps;
      reach(std::move(after), state, t);
    }
    if (faulty) note_state(machine, schedule_to(state), found_);
    if (!ran) note_end(machine, schedule_to(state), found_);
    return true;
  }

  void note_races(const Machine& machine, std::size_t state) {
    for (ThreadNumber t = 0; t < machine.threads(); ++t) {
      const Next& a = machine.next(t);
      if (!is_access(a.action)) continue;
      for (ThreadNumber u = t + 1; u < machine.threads(); ++u) {
        const Next& b = machine.next(u);
        if (!is_access(b.action) || a.cell != b.cell) continue;
        if (a.action == Action::Load && b.action == Action::Load) continue;
        const RaceSites sites = sites_of(a, b);
        if (found_.races.contains(sites)) continue;
        found_.races.emplace(sites, Example{schedule_to(state), machine.cell_name(*a.instruction, a.cell)});
      }
    }
  }

  const Code& code_;
  const ExploreLimits& limits_;
  Exploration found_;
  std::vector<Reached> reached_;
  std::deque<Machine> frontier_;  ///< reached states that are not yet expanded, in the order of `reached_`
  std::unordered_set<std::string> known_;
  std::uint64_t bytes_ = 0;  ///< of all states, including freed ones
};

}  // namespace

Exploration explore_states(const Code& code, const ExploreLimits& limits) {
  return StateSearch(code, limits).run();
}

}  // namespace omen::mini
