/// \file
/// SmartTrack: FTO's cases, with critical-section lists in place of per-lock-and-variable clocks. SmartTrack,
/// Algorithm 3.
///
/// Invariant, until the first race: for an access of x by u, every section that it took place in and that a later
/// conflicting access on the same lock would have to be ordered after is (a) in the list of an epoch that x still has,
/// or (b) in x's ancillary metadata, or (c) known, with everything ordered before it, to every access that is ordered
/// after x's epochs.
///
/// Departures from the printed algorithm (docs/design.md, "SmartTrack"):
/// - lists are found from epochs (`SectionTable`), not stored per variable;
/// - rule (b) is answered from the same table, without queues;
/// - [Write Shared] makes two passes over the readers: first it joins all conflicting sections, then it judges and
///   collects the residue. In one pass, a reader may be judged before the section that orders it has been joined, which
///   reports false races;
/// - [Read Shared Owned] takes order from the last write's sections too: the thread may hold a lock of theirs that it
///   did not hold at its earlier read;
/// - a read takes order from the last write's sections before the distinction of [Read Exclusive] and [Read Share]:
///   with that order it often knows all, and x keeps one epoch;
/// - a read that knows all reads of a vector, and their sections, replaces them: x has one epoch again;
/// - locks may be released in any order, so no section is taken to subsume another;
/// - for WCP, a thread's own sections count as residue: program order does not make them WCP-known.
#pragma once

#include <span>
#include <string_view>

#include "analysis/levels/access_history.hpp"
#include "analysis/levels/ancillary.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_collector.hpp"
#include "analysis/levels/section_table.hpp"
#include "analysis/levels/section_view.hpp"
#include "analysis/rules.hpp"

namespace omen {

template <class Relation>
class SmartTrack {
  static_assert(Relation::kOrdersConflictingSections);

 public:
  static constexpr std::string_view kName = "st";

  SmartTrack(Relation& relation, RaceSink& sink, const Tuning& tuning)
      : relation_(relation), reporter_(sink), table_(tuning) {}

  /// Called before t's first event.
  void ensure_thread(ThreadId t) {
    table_.ensure_thread(t);
    view_.ensure_thread(t);
  }

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    table_.open(t, m, mode, relation_.now(t).time);
    relation_.acquire(t, m, mode);
  }

  void release(ThreadId t, LockId m, SectionMode mode) {
    if constexpr (Relation::kOrdersReleases) order_after_known_acquires(t, m, mode);
    const Time released = relation_.now(t).time;
    const bool learned = relation_.take_news(t);
    relation_.release(t, m, mode, [&](const VectorClock& clock) { table_.close(t, m, released, clock, learned); });
  }

  void read(ThreadId t, VariableId x, Site site) { access(t, x, site, /*writes=*/false); }
  void write(ThreadId t, VariableId x, Site site) { access(t, x, site, /*writes=*/true); }

  /// The cases of the algorithm differ in what they do about sections that t does not know. Nearly always t knows all
  /// sections, and then the cases differ only in name. So this query comes first, whatever the case, and for reads and
  /// writes together, without a branch between them, which the processor could not predict.
  [[gnu::always_inline]] void access(ThreadId t, VariableId x, Site site, bool writes) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.last(writes) == now) return counters_.count(writes ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
    if (words.is_shared() || ancillary_.may_have(x) || !knows_all_quickly(t, words.read)) [[unlikely]]
      return access_after_unknown(t, x, site, now, words, writes);
    count_held(t);
    counters_.count_ordered(writes, words.read.thread == t);
    history_.set_last(x, words, now, site, writes);
  }

  void begin_life(VariableId x) {
    history_.forget(x);
    ancillary_.forget(x);
  }

  const RuleCounters& counters() const { return counters_; }

  /// How many sections are kept, for both rules.
  std::size_t live_sections() const { return table_.live_sections(); }
  std::size_t ancillary_sections() const { return ancillary_.size(); }
  bool wants_collection() const { return table_.wants_collection(); }
  /// `clocks(visit)` visits the clocks outside the level that can flow into a thread's.
  template <class Clocks>
  void collect(const Clocks& clocks) {
    SectionCollector(table_).template collect<Relation::kOrdersReleases>(
        history_.size(), [&](auto visit) { history_.for_each_epoch(visit); },
        [&](auto visit) { ancillary_.for_each_section(visit); }, clocks);
  }

 private:
  /// Counts an access that no same-epoch case handles.
  [[gnu::always_inline]] void count_held(ThreadId t) { counters_.count_held(table_.depth(t)); }

  [[gnu::noinline]] void access_after_unknown(ThreadId t, VariableId x, Site site, Epoch now, AccessWords& words,
                                              bool writes) {
    if (writes) {
      count_held(t);
      write_after_unknown(t, x, site, words);
      history_.set_write(x, words, now, site);
    } else if (words.is_shared()) {
      read_shared(t, x, site, now, words);
    } else {
      read_after_unknown(t, x, site, now, words);
    }
  }

  void read_shared(ThreadId t, VariableId x, Site site, Epoch now, AccessWords& words) {
    const Time mine = history_.shared_time(words, t);
    if (mine == now.time) return counters_.count(Rule::SharedSameEpoch);
    count_held(t);
    if (ancillary_.has(x)) [[unlikely]]
      order_after_ancillary(t, x, /*writes=*/false);
    counters_.count(mine != 0 ? Rule::ReadSharedOwned : Rule::ReadShared);
    if (!knows_all_quickly(t, words.write)) [[unlikely]] {
      order_after_conflicts(t, table_.current(t), words.write);
      look(t, words.write.thread);
      if (mine == 0) history_.check_write(relation_.clock(t), x, words, reporter_);
    }
    if (history_.shared_is_within(words, view_.quiet(t))) {
      history_.unshare(words);
      history_.set_read(x, words, now, site);
    } else {
      if (mine != 0) save_own_sections(t, x, {mine, t}, words.write);
      history_.set_shared_read(words, now, site);
    }
    reporter_.report(site, t, x, /*writes=*/false);
  }

  void read_after_unknown(ThreadId t, VariableId x, Site site, Epoch now, AccessWords& words) {
    count_held(t);
    if (ancillary_.has(x)) order_after_ancillary(t, x, /*writes=*/false);
    if (words.read.thread == t) {
      counters_.count(Rule::ReadOwned);
      save_own_sections(t, x, words.read, words.write);
      history_.set_read(x, words, now, site);
      return reporter_.report(site, t, x, /*writes=*/false);
    }
    order_after_conflicts(t, table_.current(t), words.write);
    if (knows_all(t, words.read)) {
      counters_.count(Rule::ReadExclusive);
      history_.set_read(x, words, now, site);
    } else {
      counters_.count(Rule::ReadShare);
      history_.check_write(relation_.clock(t), x, words, reporter_);
      history_.share(x, words, now, site);
    }
    reporter_.report(site, t, x, /*writes=*/false);
  }

  /// The caller makes the write the last access.
  void write_after_unknown(ThreadId t, VariableId x, Site site, AccessWords& words) {
    const SectionNumber held = table_.current(t);
    const bool had_ancillary = ancillary_.has(x);
    if (had_ancillary) order_after_ancillary(t, x, /*writes=*/true);
    collect_residue_of_write(t, held, words);
    if (words.is_shared()) {
      counters_.count(Rule::WriteShared);
      if (!history_.shared_is_within(words, view_.quiet(t))) write_after_readers(t, held, words);
      history_.unshare(words);
    } else if (words.read.thread == t) {
      counters_.count(Rule::WriteOwned);
      if constexpr (!Relation::kKnowsOwnSections) {
        if (!surely_knows_all(t, words.read) && table_.at(words.read) != held)
          collect_residue(t, held, words.read, words.write);
      }
    } else {
      counters_.count(Rule::WriteExclusive);
      if (!surely_knows_all(t, words.read)) {
        if (held != kNoSection) order_after_unknown(t, held, words.read);
        collect_residue(t, held, words.read, words.write);
        if (!relation_.clock(t).covers(words.read)) {
          reporter_.races_with(history_.sites(x).read, words.read.thread, words.read == words.write);
        }
      }
    }
    if (had_ancillary) collect_residue(t, held, ancillary_.of(x));
    if (had_ancillary || !residue_.empty()) {
      ancillary_.replace(x, residue_);
      residue_.clear();
    }
    reporter_.report(site, t, x, /*writes=*/true);
  }

  /// Rule (b), called before t's section on m ends: its release is ordered after the release of each rival section that
  /// t knows to have begun. One pass is enough for exclusive sections: a release clock already contains those of
  /// earlier sections ordered before it. Overlapping shared sections do not contain each other's.
  void order_after_known_acquires(ThreadId t, LockId m, SectionMode mode) {
    while (view_.inside(table_, t, relation_.known(t), relation_.clock(t)).may_contain(m)) [[unlikely]] {
      if (!order_after_known_rivals(t, m, mode) || !table_.has_shared()) return;
    }
  }
  bool order_after_known_rivals(ThreadId t, LockId m, SectionMode mode) {
    bool found = false;
    for (std::size_t i = 0; i < view_.threads(); ++i) {
      const ThreadId u{static_cast<std::uint32_t>(i)};
      if (!view_.inside_of(t, u).may_contain(m)) continue;
      found |= any_section(u, table_.horizon(u, relation_.known(t)[u]).list, [&](SectionNumber, const Section& theirs) {
        if (theirs.lock != m || theirs.released == Section::kOpen || !rivals(mode, theirs.mode)) return false;
        relation_.order_after(t, table_.release_clock(u, theirs));
        return true;
      });
    }
    return found;
  }

  /// Visits the sections of a list of u, innermost first, until `visit(number, section)` returns true. Returns whether
  /// it did.
  template <class Visit>
  [[gnu::always_inline]] bool any_section(ThreadId u, SectionNumber list, Visit visit) const {
    while (list != kNoSection) {
      const Section& entry = table_.section(u, list);
      if (visit(entry.original, entry.original == list ? entry : table_.section(u, entry.original))) return true;
      list = entry.outer;
    }
    return false;
  }

  bool knows(ThreadId t, ThreadId u, const Section& section) const {
    return relation_.knows_section(t, {section.released, u});
  }

  /// True if t knows all sections of an earlier access. Three queries, each more expensive than the previous one; false
  /// means perhaps.
  [[gnu::always_inline]] bool knows_all_quickly(ThreadId t, Epoch earlier) const {
    return earlier.is_none() || earlier.time <= view_.quiet(t, earlier.thread);
  }
  bool surely_knows_all(ThreadId t, Epoch earlier) {
    return knows_all_quickly(t, earlier) || (look(t, earlier.thread) && knows_all_quickly(t, earlier));
  }
  /// Updates t's view of u from t's current knowledge.
  bool look(ThreadId t, ThreadId u) { return view_.look(table_, t, u, relation_.known(t)[u], relation_.clock(t)[u]); }
  /// This query is exact, and also tells whether the access itself is known.
  bool knows_all(ThreadId t, Epoch earlier) {
    if (surely_knows_all(t, earlier)) return true;
    return relation_.clock(t).covers(earlier) &&
           !any_section(earlier.thread, table_.at(earlier),
                        [&](SectionNumber, const Section& section) { return !knows(t, earlier.thread, section); });
  }

  /// Rule (a) for one section of another thread u.
  bool order_after_rival(ThreadId t, SectionNumber held, ThreadId u, const Section& section) {
    if (knows(t, u, section)) return false;
    const bool holds_rival = any_section(t, held, [&](SectionNumber, const Section& mine) {
      return mine.lock == section.lock && rivals(mine.mode, section.mode);
    });
    if (holds_rival) relation_.order_after(t, table_.release_clock(u, section));
    return holds_rival;
  }

  /// Rule (a) for the sections of an earlier access.
  void order_after_conflicts(ThreadId t, SectionNumber held, Epoch earlier) {
    if (held != kNoSection && earlier.thread != t && !surely_knows_all(t, earlier))
      order_after_unknown(t, held, earlier);
  }
  void order_after_unknown(ThreadId t, SectionNumber held, Epoch earlier) {
    any_section(earlier.thread, table_.at(earlier), [&](SectionNumber, const Section& section) {
      order_after_rival(t, held, earlier.thread, section);
      return false;
    });
  }

  [[gnu::noinline]] void order_after_ancillary(ThreadId t, VariableId x, bool writes) {
    if (const SectionNumber held = table_.current(t); held != kNoSection) order_after_ancillary(t, held, x, writes);
    if constexpr (!Relation::kKnowsOwnSections) {
      if (!writes) drop_what_only_writes_need(t, x);
    }
  }
  void order_after_ancillary(ThreadId t, SectionNumber held, VariableId x, bool writes) {
    ++counters_.ancillary_checked;
    const LockSet locks = table_.section(t, held).locks;
    if (!locks.may_meet(ancillary_.locks_of(x))) return;
    bool used = false;
    for (const AncillarySection& entry : ancillary_.of(x)) {
      if ((!writes && !entry.wrote) || entry.thread == t || !locks.may_contain(entry.lock)) continue;
      if (relation_.knows_section(t, {entry.released, entry.thread})) continue;
      used |= order_after_rival(t, held, entry.thread, table_.section(entry.thread, entry.number));
    }
    if (used) ++counters_.ancillary_used;
  }

  /// t reads x. A section that did not write x matters only to writes, and they have to be ordered after this read. If
  /// t knows the section, they then know it too: invariant (c). Without this, A^r_x would grow from read to read until
  /// the next write, in the relation where reads add to it (`save_own_sections`).
  void drop_what_only_writes_need(ThreadId t, VariableId x) {
    Ancillary::Entries& entries = ancillary_.of(x);
    std::erase_if(entries, [&](AncillarySection& entry) {
      if (entry.wrote) return false;
      if (entry.released == Section::kOpen) entry.released = table_.section(entry.thread, entry.number).released;
      return relation_.knows_section(t, {entry.released, entry.thread});
    });
    if (entries.empty()) ancillary_.forget(x);
  }

  /// [Write Shared], if not all readers' sections are known. Two passes, because the section of another reader may
  /// order a reader.
  void write_after_readers(ThreadId t, SectionNumber held, const AccessWords& words) {
    history_.for_each_shared(words, [&](Epoch last, const Site&) { order_after_conflicts(t, held, last); });
    PriorAccess latest;
    history_.for_each_shared(words, [&](Epoch last, const Site& where) {
      collect_residue(t, held, last, words.write);
      const bool races = !relation_.clock(t).covers(last);
      if (races && (latest.site.event == kNoEvent || latest.site.event < where.event)) {
        latest = {where, last.thread, last == words.write};
      }
    });
    // Only the latest is certain. A reader that read again outside a section has lost that section: t's clock lacks the
    // order of that section, so earlier readers may only seem to race.
    if (latest.site.event != kNoEvent) reporter_.races_with(latest.site, latest.thread, latest.wrote);
  }

  /// True if this section of u may still have to order later accesses, after t's access has replaced the access in it.
  bool is_residue(ThreadId t, SectionNumber held, ThreadId u, const Section& section) const {
    if (u != t) return !knows(t, u, section);
    if constexpr (Relation::kKnowsOwnSections) return false;
    // Open: t is still in it. Superseded: t is in a section on that lock that has all of its rivals.
    if (section.released == Section::kOpen || knows(t, u, section)) return false;
    return !any_section(t, held, [&](SectionNumber, const Section& mine) {
      return mine.lock == section.lock && (mine.mode == SectionMode::Exclusive || section.mode == SectionMode::Shared);
    });
  }

  /// Calls `add(AncillarySection)` for each section of an earlier access that is residue.
  template <class Add>
  void for_each_residue(ThreadId t, SectionNumber held, Epoch earlier, Epoch last_write, Add add) {
    const ThreadId u = earlier.thread;
    if (surely_knows_all(t, earlier)) return;
    any_section(u, table_.at(earlier), [&](SectionNumber number, const Section& section) {
      if (is_residue(t, held, u, section)) {
        add(AncillarySection{u, number, section.released, section.lock, section.mode, wrote(u, number, last_write)});
      }
      return false;
    });
  }

  void collect_residue(ThreadId t, SectionNumber held, Epoch earlier, Epoch last_write) {
    for_each_residue(t, held, earlier, last_write,
                     [&](const AncillarySection& section) { Ancillary::add(residue_, section); });
  }
  /// A thread that wrote, and has read since in a later section on the same lock, is represented for later writers by
  /// that section, but for later readers still by the one in which it wrote. In a relation in which a thread knows its
  /// own sections, an access that knows its last access also knows these.
  void collect_residue_of_write(ThreadId t, SectionNumber held, const AccessWords& words) {
    if constexpr (!Relation::kKnowsOwnSections) {
      if (words.write != words.read) collect_residue(t, held, words.write, words.write);
    }
  }
  void collect_residue(ThreadId t, SectionNumber held, const Ancillary::Entries& earlier) {
    for (const AncillarySection& entry : earlier) {
      if (relation_.knows_section(t, {entry.released, entry.thread})) continue;
      const Section& section = table_.section(entry.thread, entry.number);
      if (!is_residue(t, held, entry.thread, section)) continue;
      Ancillary::add(residue_, {entry.thread, entry.number, section.released, entry.lock, entry.mode, entry.wrote});
    }
  }

  /// A read of t replaces t's own earlier access. In WCP the earlier one's sections must not be lost.
  [[gnu::always_inline]] void save_own_sections(ThreadId t, VariableId x, Epoch earlier, Epoch last_write) {
    if constexpr (!Relation::kKnowsOwnSections) {
      if (!knows_all_quickly(t, earlier)) save_unknown_own_sections(t, x, earlier, last_write);
    }
  }
  [[gnu::noinline]] void save_unknown_own_sections(ThreadId t, VariableId x, Epoch earlier, Epoch last_write) {
    const SectionNumber held = table_.current(t);
    if (table_.at(earlier) == held) return;  // the same sections: none is lost
    for_each_residue(t, held, earlier, last_write,
                     [&](const AncillarySection& section) { ancillary_.add(x, section); });
  }

  /// True if the last write took place in this section of u.
  bool wrote(ThreadId u, SectionNumber number, Epoch last_write) const {
    return last_write.thread == u &&
           any_section(u, table_.at(last_write), [&](SectionNumber its, const Section&) { return its == number; });
  }

  Relation& relation_;
  Reporter reporter_;
  RuleCounters counters_;
  AccessHistory history_;
  SectionTable table_;
  SectionView<!Relation::kKnowsOwnSections> view_;
  Ancillary ancillary_;
  Ancillary::Entries residue_;  ///< of the current write; empty between events
};

}  // namespace omen
