/// \file
/// A level that stores every access and reports every racing pair, where the other levels report only the last access
/// of a thread. Time and memory grow with the number of accesses and of pairs. Used to confirm every pair, and on small
/// traces.
///
/// Invariant: as in the unoptimised level, no clock changes at a race, so the pairs are exactly the definition's.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_tracking.hpp"
#include "analysis/rules.hpp"
#include "analysis/tuning.hpp"

namespace omen::vindicate {

template <class Relation>
class AllPairs {
 public:
  static constexpr std::string_view kName = "all-pairs";

  AllPairs(Relation& relation, RaceSink& sink, const Tuning& tuning)
      : relation_(relation), sections_(relation, tuning), reporter_(sink) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) { sections_.acquire(t, m, mode); }
  void release(ThreadId t, LockId m, SectionMode mode) { sections_.release(t, m, mode); }

  void read(ThreadId t, VariableId x, Site site) { access(t, x, site, /*writes=*/false); }
  void write(ThreadId t, VariableId x, Site site) { access(t, x, site, /*writes=*/true); }

  void begin_life(VariableId x) {
    of(x).clear();
    sections_.begin_life(x);
  }

  const RuleCounters& counters() const { return counters_; }

  bool wants_collection() const { return sections_.wants_collection(); }
  template <class Clocks>
  void collect(const Clocks& clocks) {
    sections_.collect(clocks);
  }

 private:
  struct Access {
    Time time;
    bool wrote;
    Site site;
  };
  using Variable = std::vector<std::vector<Access>>;  ///< by thread, in order

  void access(ThreadId t, VariableId x, Site site, bool writes) {
    counters_.count(writes ? Rule::Write : Rule::Read);
    sections_.access(t, x, writes);
    Variable& variable = of(x);
    for (std::size_t i = 0; i < variable.size(); ++i) {
      const ThreadId u{static_cast<std::uint32_t>(i)};
      if (u == t) continue;
      const Time known = relation_.clock(t)[u];
      for (auto earlier = variable[i].rbegin(); earlier != variable[i].rend() && earlier->time > known; ++earlier) {
        if (writes || earlier->wrote) reporter_.races_with(earlier->site, u, earlier->wrote);
      }
    }
    reporter_.report(site, t, x, writes);
    if (index(t) >= variable.size()) variable.resize(index(t) + 1);
    variable[index(t)].push_back({relation_.now(t).time, writes, site});
  }

  Variable& of(VariableId x) {
    if (index(x) >= variables_.size()) variables_.resize(index(x) + 1);
    return variables_[index(x)];
  }

  Relation& relation_;
  SectionTracking<Relation> sections_;
  Reporter reporter_;
  RuleCounters counters_;
  std::vector<Variable> variables_;
};

}  // namespace omen::vindicate
