/// \file
/// All schedules of a program: its true races, deadlocks, faults and results. This is the ground truth for predictions.
///
/// Two explorers compute it. `explore_states` walks the graph of all reachable states, without any reduction; it is the
/// definition, and handles loops that spin. `explore_traces` runs one execution per equivalence
/// class of schedules or few more: dynamic partial-order reduction with sleep sets and source sets (Abdulla, Aronis,
/// Jonsson and Sagonas, POPL 2014), with locks treated as by Flanagan and Godefroid (POPL 2005). It requires
/// executions that end. The tests compare the two.
///
/// Threads whose next event is a fault are never run: everything that other threads can do before the fault is
/// explored, and the fault is reported as a next event.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mini/machine.hpp"
#include "mini/run.hpp"

namespace omen::mini {

/// An access in the source.
struct AccessSite {
  Position at;
  bool write = false;
  auto operator<=>(const AccessSite&) const = default;
};

/// Two conflicting accesses of different threads, the smaller first.
struct RaceSites {
  AccessSite first;
  AccessSite second;
  auto operator<=>(const RaceSites&) const = default;
};
RaceSites sites_of(const Next& a, const Next& b);

struct FaultSite {
  Position at;
  Fault fault{};
  auto operator<=>(const FaultSite&) const = default;
};

/// Evidence of a finding: a schedule that reaches it, and its variable.
struct Example {
  Schedule schedule;
  std::string what;  ///< of a race: the cell; of a fault: the thread
};

struct Exploration {
  bool exhaustive = true;
  std::string limit;  ///< the exceeded limit, if not exhaustive

  /// Pairs of conflicting accesses that are simultaneously next in some reachable state.
  std::map<RaceSites, Example> races;
  /// Pairs that happen-before leaves unordered in some execution. Only `explore_traces` computes them.
  std::map<RaceSites, Example> hb_races;
  std::map<FaultSite, Example> faults;
  /// The next events of the threads that have not ended, in states in which no thread can run and none is at a fault.
  std::map<std::vector<Position>, Example> deadlocks;
  /// The values of the shared variables, without locks, after all executions in which all threads end.
  std::set<std::vector<std::uint64_t>> finals;
  /// The same for executions without a happens-before race. Only `explore_traces` computes them.
  std::set<std::vector<std::uint64_t>> race_free_finals;

  std::uint64_t states = 0;      ///< of explore_states
  std::uint64_t executions = 0;  ///< of explore_traces
  std::uint64_t steps = 0;
};

struct ExploreLimits {
  std::uint64_t states = 500'000;
  std::uint64_t steps = 20'000'000;
  std::uint64_t depth = 2'000;       ///< of one execution
  std::uint64_t bytes = 1ULL << 30;  ///< of memory for states
};

Exploration explore_states(const Code& code, const ExploreLimits& limits = {});
Exploration explore_traces(const Code& code, const ExploreLimits& limits = {});

/// The shared variables without locks.
std::vector<std::uint64_t> results(const Machine& machine);

/// Notes the findings of a single state: faults, and with `end` the result of the program.
void note_state(const Machine& machine, const Schedule& schedule, Exploration& found);
/// Called if no thread can run: notes the result, or a deadlock.
void note_end(const Machine& machine, const Schedule& schedule, Exploration& found);

}  // namespace omen::mini
