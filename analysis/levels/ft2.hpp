/// \file
/// FastTrack, as the verified detectors state it (Figure 3): the write is an epoch, the reads are an epoch or a vector,
/// stored separately.
///
/// Invariant: until the first race, write(x) ⪯ every later access of x; read(x) stands for the reads since the last
/// write that found the reads shared, or for the last ordered one.
#pragma once

#include <string_view>

#include "analysis/levels/access_history.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_tracking.hpp"
#include "analysis/rules.hpp"
#include "analysis/tuning.hpp"

namespace omen {

template <class Relation>
class Ft2 {
  static_assert(!Relation::kOrdersConflictingSections, "FastTrack's cases are for happens-before");

 public:
  static constexpr std::string_view kName = "ft2";

  Ft2(Relation& relation, RaceSink& sink, const Tuning& tuning)
      : relation_(relation), sections_(relation, tuning), reporter_(sink) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) { sections_.acquire(t, m, mode); }
  void release(ThreadId t, LockId m, SectionMode mode) { sections_.release(t, m, mode); }

  void read(ThreadId t, VariableId x, Site site) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.read == now) return counters_.count(Rule::ReadSameEpoch);
    if (words.is_shared() && history_.shared_time(words, t) == now.time) return counters_.count(Rule::SharedSameEpoch);
    counters_.count_held(sections_.held_count(t));

    history_.check_write(relation_.clock(t), x, words, reporter_);
    if (words.is_shared()) {
      counters_.count(Rule::ReadShared);
      history_.set_shared_read(words, now, site);
    } else if (relation_.clock(t).covers(words.read)) {
      counters_.count(Rule::ReadExclusive);
      history_.set_read(x, words, now, site);
    } else {
      counters_.count(Rule::ReadShare);
      history_.share(x, words, now, site);
    }
    reporter_.report(site, t, x, /*writes=*/false);
  }

  void write(ThreadId t, VariableId x, Site site) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.write == now) return counters_.count(Rule::WriteSameEpoch);
    counters_.count_held(sections_.held_count(t));

    history_.check_write(relation_.clock(t), x, words, reporter_);
    if (words.is_shared()) {
      counters_.count(Rule::WriteShared);
      history_.check_shared(relation_.clock(t), words, /*of_writes=*/false, reporter_);
      history_.unshare(words);
    } else {
      counters_.count(Rule::WriteExclusive);
      if (!relation_.clock(t).covers(words.read)) {
        reporter_.races_with(history_.sites(x).read, words.read.thread, /*wrote=*/false);
      }
    }
    words.write = now;
    history_.sites(x).write = site;
    reporter_.report(site, t, x, /*writes=*/true);
  }

  void begin_life(VariableId x) { history_.forget(x); }

  const RuleCounters& counters() const { return counters_; }

 private:
  Relation& relation_;
  SectionTracking<Relation> sections_;
  Reporter reporter_;
  RuleCounters counters_;
  AccessHistory history_;
};

}  // namespace omen
