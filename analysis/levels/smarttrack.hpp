/// \file
/// SmartTrack: FTO's cases, with critical-section lists in place of per-lock-and-variable clocks. SmartTrack, Algorithm 3.
///
/// Invariant, until the first race: for an access of x by u, every section that it took place in and that a later conflicting
/// access on the same lock would have to be ordered after is (a) in the list of an epoch that x still has, or (b) in x's
/// ancillary metadata, or (c) known, with all that it brings along, to every access that is ordered after x's epochs.
///
/// Departures from the printed algorithm (docs/design.md, "SmartTrack"):
/// - lists are found from epochs (`SectionTable`), not stored per variable;
/// - [Write Shared] runs twice over the readers: first join all conflicting sections, then judge and collect the residue. In one
///   run, a reader may be judged before the section that orders it has been joined, which reports false races;
/// - [Read Shared Owned] takes order from the last write's sections too: the thread may hold a lock of theirs that it
///   did not hold at its earlier read;
/// - locks need not be released in the order of their nesting, so no section is taken to subsume another;
/// - for WCP, a thread's own sections count as residue: program order does not make them WCP-known.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/levels/access_history.hpp"
#include "analysis/levels/ancillary.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/levels/section_table.hpp"
#include "analysis/rules.hpp"

namespace omen {

template <class Relation>
class SmartTrack {
  static_assert(Relation::kOrdersConflictingSections);

 public:
  static constexpr std::string_view kName = "st";

  SmartTrack(Relation& relation, RaceSink& sink, const Tuning& tuning)
      : relation_(relation), reporter_(sink), table_(tuning) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    relation_.acquire(t, m, mode);
    table_.open(t, m, mode);
    if (table_.wants_collection()) [[unlikely]] collect();
  }

  void release(ThreadId t, LockId m, SectionMode mode) {
    const Epoch released = relation_.now(t);
    table_.close(t, m, released, relation_.release(t, m, mode));
  }

  void read(ThreadId t, VariableId x, Site site) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.read == now) return counters_.count(Rule::ReadSameEpoch);
    if (words.is_shared() && history_.shared(words).times[t] == now.time) return counters_.count(Rule::SharedSameEpoch);
    const SectionList* held = hold(now);
    if (ancillary_.has(x)) order_after_ancillary(t, held, x, /*writes=*/false);

    if (words.is_shared()) {
      SharedReads& reads = history_.shared(words);
      order_after_conflicts(t, held, words.write);
      if (reads.times[t] != 0) {
        counters_.count(Rule::ReadSharedOwned);
        save_own_sections(t, held, x, {reads.times[t], t}, words.write);
      } else {
        counters_.count(Rule::ReadShared);
        check_write(t, x, words);
      }
      reads.set(t, now.time, site);
    } else if (words.read.thread == t) {
      counters_.count(Rule::ReadOwned);
      save_own_sections(t, held, x, words.read, words.write);
      set_read(x, words, now, site);
    } else if (relation_.clock(t).covers(words.read) && knows_all(t, table_.at(words.read))) {
      counters_.count(Rule::ReadExclusive);
      set_read(x, words, now, site);
    } else {
      counters_.count(Rule::ReadShare);
      order_after_conflicts(t, held, words.write);
      check_write(t, x, words);
      history_.share(x).set(t, now.time, site);
    }
    reporter_.report(site, t, x, /*writes=*/false);
  }

  void write(ThreadId t, VariableId x, Site site) {
    const Epoch now = relation_.now(t);
    AccessWords& words = history_.words(x);
    if (words.write == now) return counters_.count(Rule::WriteSameEpoch);
    const SectionList* held = hold(now);
    if (ancillary_.has(x)) order_after_ancillary(t, held, x, /*writes=*/true);

    if (words.is_shared()) {
      counters_.count(Rule::WriteShared);
      SharedReads& reads = history_.shared(words);
      for_each_reader(reads, [&](Epoch last, const Site&) { order_after_conflicts(t, held, last); });
      PriorAccess latest;
      for_each_reader(reads, [&](Epoch last, const Site& where) {
        collect_residue(t, held, last, words.write);
        const bool races = !relation_.clock(t).covers(last);
        if (races && (latest.site.event == kNoEvent || latest.site.event < where.event)) {
          latest = {where, last.thread, last == words.write};
        }
      });
      // Only the latest is certain. A reader that read again outside a section has lost that section: t's clock lacks what the
      // section would have brought, so earlier readers may only seem to race.
      if (latest.site.event != kNoEvent) reporter_.races_with(latest.site, latest.thread, latest.wrote);
      history_.unshare(words);
    } else if (words.read.thread == t) {
      counters_.count(Rule::WriteOwned);
      if constexpr (!Relation::kKnowsOwnSections) collect_residue(t, held, words.read, words.write);
    } else {
      counters_.count(Rule::WriteExclusive);
      order_after_conflicts(t, held, words.read);
      collect_residue(t, held, words.read, words.write);
      if (!relation_.clock(t).covers(words.read)) {
        reporter_.races_with(history_.sites(x).read, words.read.thread, words.read == words.write);
      }
    }
    if (ancillary_.has(x)) collect_residue(t, held, ancillary_.of(x));
    ancillary_.replace(x, residue_);
    residue_.clear();
    words = {now, now};
    history_.sites(x) = {site, site};
    reporter_.report(site, t, x, /*writes=*/true);
  }

  void begin_life(VariableId x) {
    history_.forget(x);
    ancillary_.forget(x);
  }

  const RuleCounters& counters() const { return counters_; }

 private:
  /// The access will be remembered: its sections must be found from its epoch.
  const SectionList* hold(Epoch now) {
    table_.note(now);
    const SectionList* held = table_.current(now.thread);
    counters_.count_held(held == nullptr ? 0 : held->depth);
    return held;
  }

  bool knows(ThreadId t, const Section& section) const { return relation_.knows_section(t, section.released); }

  bool knows_all(ThreadId t, const SectionList* list) const {
    for (; list != nullptr; list = list->outer) {
      if (!knows(t, *list->section)) return false;
    }
    return true;
  }

  static bool holds_rival(const SectionList* held, const Section& section) {
    for (; held != nullptr; held = held->outer) {
      if (held->section->lock == section.lock && rivals(held->section->mode, section.mode)) return true;
    }
    return false;
  }

  /// Rule (a) for one section of another thread.
  bool order_after_rival(ThreadId t, const SectionList* held, const Section& section) {
    if (knows(t, section) || !holds_rival(held, section)) return false;
    relation_.order_after(t, *section.release);
    return true;
  }

  /// Rule (a) for the sections of an earlier access.
  void order_after_conflicts(ThreadId t, const SectionList* held, Epoch earlier) {
    if (held == nullptr || earlier.thread == t) return;
    for (const SectionList* list = table_.at(earlier); list != nullptr; list = list->outer) {
      order_after_rival(t, held, *list->section);
    }
  }

  void order_after_ancillary(ThreadId t, const SectionList* held, VariableId x, bool writes) {
    ++counters_.ancillary_checked;
    bool used = false;
    for (const AncillarySection& entry : ancillary_.of(x)) {
      if ((writes || entry.wrote) && entry.section->thread() != t) used |= order_after_rival(t, held, *entry.section);
    }
    if (used) ++counters_.ancillary_used;
  }

  /// May this section of an earlier access still have to order later accesses, once t's access has taken the place of that one?
  bool is_residue(ThreadId t, const SectionList* held, const Section& section) const {
    if (section.thread() == t) {
      // Only for WCP. Open: t is still in it. Superseded: t is in a section on that lock that has all the rivals it had.
      if (Relation::kKnowsOwnSections || section.is_open() || knows(t, section)) return false;
      for (; held != nullptr; held = held->outer) {
        const Section& mine = *held->section;
        if (mine.lock == section.lock && (mine.mode == SectionMode::Exclusive || section.mode == SectionMode::Shared)) return false;
      }
      return true;
    }
    return !knows(t, section);
  }

  void collect_residue(ThreadId t, const SectionList* held, Epoch earlier, Epoch last_write) {
    const SectionList* list = table_.at(earlier);
    for (; list != nullptr; list = list->outer) {
      if (is_residue(t, held, *list->section)) Ancillary::add(residue_, list->section, wrote(*list->section, last_write));
    }
  }
  void collect_residue(ThreadId t, const SectionList* held, const Ancillary::Entries& earlier) {
    for (const AncillarySection& entry : earlier) {
      if (is_residue(t, held, *entry.section)) Ancillary::add(residue_, entry.section, entry.wrote);
    }
  }

  /// A read of t takes the place of t's own earlier access. In WCP the earlier one's sections must not be lost.
  void save_own_sections(ThreadId t, const SectionList* held, VariableId x, Epoch earlier, Epoch last_write) {
    if constexpr (!Relation::kKnowsOwnSections) {
      for (const SectionList* list = table_.at(earlier); list != nullptr; list = list->outer) {
        if (is_residue(t, held, *list->section)) ancillary_.add(x, list->section, wrote(*list->section, last_write));
      }
    }
  }

  /// Did the last write take place in this section?
  bool wrote(const Section& section, Epoch last_write) const {
    if (last_write.thread != section.thread()) return false;
    for (const SectionList* list = table_.at(last_write); list != nullptr; list = list->outer) {
      if (list->section == &section) return true;
    }
    return false;
  }

  template <class Visit>
  void for_each_reader(const SharedReads& reads, Visit visit) const {
    for (std::size_t i = 0; i < reads.times.size(); ++i) {
      const ThreadId u{static_cast<std::uint32_t>(i)};
      if (reads.times[u] != 0) visit(Epoch{reads.times[u], u}, reads.sites[i]);
    }
  }

  void check_write(ThreadId t, VariableId x, const AccessWords& words) {
    if (!relation_.clock(t).covers(words.write)) reporter_.races_with(history_.sites(x).write, words.write.thread, true);
  }

  void set_read(VariableId x, AccessWords& words, Epoch now, Site site) {
    words.read = now;
    history_.sites(x).read = site;
  }

  void collect() {
    table_.collect(
        history_.size(), [&](auto visit) { history_.for_each_epoch(visit); },
        [&](auto visit) { ancillary_.for_each_section(visit); });
  }

  Relation& relation_;
  Reporter reporter_;
  RuleCounters counters_;
  AccessHistory history_;
  SectionTable table_;
  Ancillary ancillary_;
  Ancillary::Entries residue_;  ///< of the write at hand; empty between events
};

}  // namespace omen
