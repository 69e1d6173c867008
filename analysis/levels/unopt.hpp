/// \file
/// The unoptimised level: vector clocks for everything. SmartTrack, Algorithm 1; for HB the VectorClock detector of the
/// verified detectors, Figure 1.
///
/// Invariant: reads(x) and writes(x) hold each thread's last read and last write of x. No access is skipped and no
/// clock changes at a race, so the set of racy accesses is exactly the definition's.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_tracking.hpp"
#include "analysis/rules.hpp"
#include "analysis/tuning.hpp"

namespace omen {

template <class Relation>
class Unopt {
 public:
  static constexpr std::string_view kName = "unopt";

  Unopt(Relation& relation, RaceSink& sink, const Tuning& tuning)
      : relation_(relation), sections_(relation, tuning), reporter_(sink) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) { sections_.acquire(t, m, mode); }
  void release(ThreadId t, LockId m, SectionMode mode) { sections_.release(t, m, mode); }

  void read(ThreadId t, VariableId x, Site site) {
    counters_.count(Rule::Read);
    counters_.count_held(sections_.held_count(t));
    sections_.access(t, x, /*writes=*/false);
    Variable& variable = at(x);
    check(t, variable.writes, /*wrote=*/true);
    reporter_.report(site, t, x, /*writes=*/false);
    note(variable.reads, t, site);
  }

  void write(ThreadId t, VariableId x, Site site) {
    counters_.count(Rule::Write);
    counters_.count_held(sections_.held_count(t));
    sections_.access(t, x, /*writes=*/true);
    Variable& variable = at(x);
    check(t, variable.writes, /*wrote=*/true);
    check(t, variable.reads, /*wrote=*/false);
    reporter_.report(site, t, x, /*writes=*/true);
    note(variable.writes, t, site);
  }

  void begin_life(VariableId x) {
    at(x) = {};
    sections_.begin_life(x);
  }

  const RuleCounters& counters() const { return counters_; }

  bool wants_collection() const { return sections_.wants_collection(); }
  template <class Clocks>
  void collect(const Clocks& clocks) {
    sections_.collect(clocks);
  }

 private:
  struct Accesses {
    VectorClock times;
    std::vector<Site> sites;  ///< by thread, as `times`
  };
  struct Variable {
    Accesses reads;
    Accesses writes;
  };

  void check(ThreadId t, const Accesses& earlier, bool wrote) {
    const VectorClock& clock = relation_.clock(t);
    if (clock.covers(earlier.times)) return;
    for (std::size_t i = 0; i < earlier.times.size(); ++i) {
      const ThreadId u{static_cast<std::uint32_t>(i)};
      if (earlier.times[u] > clock[u]) reporter_.races_with(earlier.sites[i], u, wrote);
    }
  }

  void note(Accesses& accesses, ThreadId t, Site site) {
    accesses.times.set(t, relation_.now(t).time);
    if (index(t) >= accesses.sites.size()) accesses.sites.resize(index(t) + 1);
    accesses.sites[index(t)] = site;
  }

  Variable& at(VariableId x) {
    if (index(x) >= variables_.size()) variables_.resize(index(x) + 1);
    return variables_[index(x)];
  }

  Relation& relation_;
  SectionTracking<Relation> sections_;
  Reporter reporter_;
  RuleCounters counters_;
  std::vector<Variable> variables_;
};

}  // namespace omen
