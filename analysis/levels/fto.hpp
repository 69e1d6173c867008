/// \file
/// FTO: epochs and ownership. SmartTrack, Algorithm 2.
///
/// Invariant: write(x) is the last write; read(x) stands for the last reads *and* write, so write(x) ⪯ read(x). Until
/// the first race, an access that is ordered after read(x) is ordered after all earlier accesses.
#pragma once

#include <string_view>

#include "analysis/levels/access_history.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_tracking.hpp"
#include "analysis/rules.hpp"
#include "analysis/tuning.hpp"

namespace omen {

template <class Relation>
class Fto {
 public:
  static constexpr std::string_view kName = "fto";

  Fto(Relation& relation, RaceSink& sink, const Tuning& tuning)
      : relation_(relation), sections_(relation, tuning), reporter_(sink) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) { sections_.acquire(t, m, mode); }
  void release(ThreadId t, LockId m, SectionMode mode) { sections_.release(t, m, mode); }

  void read(ThreadId t, VariableId x, Site site) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.read == now) return counters_.count(Rule::ReadSameEpoch);
    if (words.is_shared() && history_.shared_time(words, t) == now.time) return counters_.count(Rule::SharedSameEpoch);
    counters_.count_held(sections_.held_count(t));
    sections_.access(t, x, /*writes=*/false);

    if (words.is_shared()) {
      if (history_.shared_time(words, t) != 0) {
        counters_.count(Rule::ReadSharedOwned);
      } else {
        counters_.count(Rule::ReadShared);
        history_.check_write(relation_.clock(t), x, words, reporter_);
      }
      history_.set_shared_read(words, now, site);
    } else if (words.read.thread == t) {
      counters_.count(Rule::ReadOwned);
      history_.set_read(x, words, now, site);
    } else if (relation_.clock(t).covers(words.read)) {
      counters_.count(Rule::ReadExclusive);
      history_.set_read(x, words, now, site);
    } else {
      counters_.count(Rule::ReadShare);
      history_.check_write(relation_.clock(t), x, words, reporter_);
      history_.share(x, words, now, site);
    }
    reporter_.report(site, t, x, /*writes=*/false);
  }

  void write(ThreadId t, VariableId x, Site site) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.write == now) return counters_.count(Rule::WriteSameEpoch);
    counters_.count_held(sections_.held_count(t));
    sections_.access(t, x, /*writes=*/true);

    if (words.is_shared()) {
      counters_.count(Rule::WriteShared);
      history_.check_shared(relation_.clock(t), words, /*of_writes=*/true, reporter_);
      history_.unshare(words);
    } else if (words.read.thread == t) {
      counters_.count(Rule::WriteOwned);
    } else {
      counters_.count(Rule::WriteExclusive);
      if (!relation_.clock(t).covers(words.read)) {
        reporter_.races_with(history_.sites(x).read, words.read.thread, words.read == words.write);
      }
    }
    history_.set_write(x, words, now, site);
    reporter_.report(site, t, x, /*writes=*/true);
  }

  void begin_life(VariableId x) {
    history_.forget(x);
    sections_.begin_life(x);
  }

  const RuleCounters& counters() const { return counters_; }

  bool wants_collection() const { return sections_.wants_collection(); }
  template <class Clocks>
  void collect(const Clocks& clocks) {
    sections_.collect(clocks);
  }

 private:
  Relation& relation_;
  SectionTracking<Relation> sections_;
  Reporter reporter_;
  RuleCounters counters_;
  AccessHistory history_;
};

}  // namespace omen
