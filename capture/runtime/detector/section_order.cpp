#include "capture/runtime/detector/section_order.hpp"

#include <algorithm>

namespace omen::rt::detect {

using Memory = Sections::Memory;

void SectionOrder::make_room(DetectorThread& t, Slot u) const {
  if (u < t.seen.size()) return;
  const std::size_t size = std::max<std::size_t>(16, std::max<std::size_t>(u + 1, 2 * t.seen.size()));
  t.seen.resize(size);
  t.settled_row.resize(size);
  t.horizons.resize(size);
  t.settled = t.settled_row.data();
  t.settled_count = static_cast<Slot>(size);
  if (order_->knows_own_sections()) t.settled_row[t.slot] = ~Time{0};
  t.set_own_words();
}

/// What t knows of u now: up to which time all sections of u are known to have ended, and which are not. True: that
/// time is a later one than before.
bool SectionOrder::look(DetectorThread& t, Slot u) const {
  if (u == t.slot && order_->knows_own_sections()) return false;
  make_room(t, u);
  const Time known = (*t.known)[ThreadId{u}];
  const Time reached = (*t.clock)[ThreadId{u}];
  DetectorThread::Horizon& horizon = t.horizons[u];
  if (t.seen[u] == known && horizon.reached == reached) return false;
  t.seen[u] = known;
  horizon.reached = reached;
  horizon.list = kNoSection;
  horizon.locks = {};
  const Sections& sections = slots_[u].sections;
  // The time `known` was over when u handed it out: the next one says where u still was.
  SectionNumber list = kNoSection;
  Time settled = known;
  if (known != 0 && sections.list_at(known + 1, list) == Memory::Forgotten) {
    horizon.locks = LockSet::every();
    return false;
  }
  if (list != kNoSection) {
    Section head;
    if (sections.section(list, head) == Memory::Forgotten) {
      horizon.locks = LockSet::every();
      return false;
    }
    horizon.list = list;
    horizon.locks = head.locks;
    settled = head.outermost_acquired;
  } else {
    // In WCP t may know what u did, and not its sections. What it did outside of sections needs no more than that.
    constexpr Time kSoon = 16;
    settled = std::max(known, t.settled_row[u]);
    const Time limit = std::min(reached, settled + kSoon);
    while (settled < limit && settled + 1 < sections.times_end() &&
           sections.list_at(settled + 1, list) == Memory::Remembered && list == kNoSection) {
      ++settled;
    }
  }
  if (settled <= t.settled_row[u]) return false;
  t.settled_row[u] = settled;
  if (u == t.slot) t.set_own_words();
  return true;
}

/// The locks of all sections that t knows to have begun, and not to have ended.
LockSet SectionOrder::look_at_all(DetectorThread& t) const {
  const std::span<const Time> known = t.known->lanes();
  if (!known.empty()) make_room(t, static_cast<Slot>(known.size() - 1));
  LockSet all;
  for (Slot u = 0; u < known.size(); ++u) {
    if (t.seen[u] != known[u]) look(t, u);
    all = all | t.horizons[u].locks;
  }
  return all;
}

Ordered SectionOrder::order_of(DetectorThread& t, Word earlier) const {
  if (t.is_settled(earlier)) return Ordered::Settled;
  if (!t.clock->covers(earlier.epoch())) return Ordered::Unordered;
  if (!predicts_ || knows_all_sections(t, earlier)) return Ordered::Settled;
  return Ordered::Ordered;
}

bool SectionOrder::knows_all_sections(DetectorThread& t, Word earlier) const {
  const Slot u = earlier.slot();
  if (look(t, u) && t.is_settled(earlier)) return true;
  const Time known = (*t.known)[ThreadId{u}];
  if (earlier.is_merged() && known < earlier.time()) return false;  // of sections that had ended by then
  const Sections& sections = slots_[u].sections;
  SectionNumber list = kNoSection;
  bool all = true;
  if (sections.list_at(earlier.time(), list) == Memory::Forgotten || sections.any(list, [&](const Section& section) {
        return !(all = knows_section(t, u, section));
      }) == Memory::Forgotten) {
    // Those that are forgotten have ended by then.
    return known >= std::max(earlier.time(), sections.remembered_since());
  }
  return all;
}

bool SectionOrder::holds_rival(const DetectorThread& t, const Section& section) const {
  const auto& held = slots_[t.slot].sections.held();
  return std::ranges::any_of(
      held, [&](const Sections::Held& mine) { return mine.lock == section.lock && rivals(mine.mode, section.mode); });
}

/// t comes after a section of u. False: it knows it.
bool SectionOrder::order_after(DetectorThread& t, Slot u, const Section& section) const {
  if (knows_section(t, u, section)) return false;
  if (slots_[u].sections.release_clock(section, u, t.other_clock) == Memory::Remembered) {
    order_->order_after(t.slot, t.other_clock);
  } else {
    assume_happens_before(t);
  }
  return true;
}

void SectionOrder::assume_happens_before(DetectorThread& t) const {
  order_->assume_happens_before(t.slot);
}

bool SectionOrder::learn(DetectorThread& t, Word earlier) const {
  if (!predicts_ || t.sections.is_empty() || t.is_settled(earlier)) return false;
  const Slot u = earlier.slot();
  if (look(t, u) && t.is_settled(earlier)) return false;
  if (earlier.is_merged()) {
    learn_merged(t, earlier);
    return true;
  }
  const Sections& sections = slots_[u].sections;
  SectionNumber list = kNoSection;
  const auto visit = [&](const Section& section) {
    if (section.released != Section::kOpen && t.sections.may_contain(section.lock) && holds_rival(t, section)) {
      order_after(t, u, section);
    }
    return false;
  };
  if (sections.list_at(earlier.time(), list) == Memory::Forgotten || sections.any(list, visit) == Memory::Forgotten) {
    assume_happens_before(t);
  }
  return true;
}

/// In any of the thread's sections up to then: its last one on a lock that t holds tells all that its earlier ones
/// would.
void SectionOrder::learn_merged(DetectorThread& t, Word earlier) const {
  const Slot u = earlier.slot();
  for (const Sections::Held& mine : slots_[t.slot].sections.held()) {
    const auto visit = [&](const Section& theirs) {
      if (theirs.released == Section::kOpen || !rivals(mine.mode, theirs.mode)) return false;
      order_after(t, u, theirs);
      return true;
    };
    if (slots_[u].sections.any_on(mine.lock, earlier.time(), visit) == Memory::Forgotten) assume_happens_before(t);
  }
}

void SectionOrder::before_release(DetectorThread& t, LockId m, SectionMode mode) const {
  if (!order_->has_rule_b()) return;
  // One pass is enough among exclusive sections: a release clock already contains those of earlier sections ordered
  // before it. Shared sections that overlap do not contain each other's.
  for (bool again = true; again;) {
    again = false;
    if (!look_at_all(t).may_contain(m)) return;
    for (Slot u = 0; u < t.horizons.size(); ++u) {
      if (t.horizons[u].locks.may_contain(m)) again |= order_after_begun(t, u, m, mode);
    }
  }
}

bool SectionOrder::order_after_begun(DetectorThread& t, Slot u, LockId m, SectionMode mode) const {
  bool found = false;
  const auto visit = [&](const Section& theirs) {
    if (theirs.lock == m && theirs.released != Section::kOpen && rivals(mode, theirs.mode)) {
      found |= order_after(t, u, theirs);
    }
    return false;
  };
  const DetectorThread::Horizon& horizon = t.horizons[u];
  const bool is_unknown = horizon.list == kNoSection;  // and yet it has locks
  if (is_unknown || slots_[u].sections.any(horizon.list, visit) == Memory::Forgotten) {
    const Time before = (*t.known)[ThreadId{u}];
    assume_happens_before(t);
    found |= (*t.known)[ThreadId{u}] != before;
  }
  return found;
}

bool SectionOrder::must_keep_own(const DetectorThread& t, Word earlier) const {
  if (knows_own_sections() || t.is_settled(earlier)) return false;
  if (earlier.is_merged()) return true;  // of sections at other times, too
  const Sections& sections = slots_[t.slot].sections;
  SectionNumber list = kNoSection;
  bool keep = false;
  const auto visit = [&](const Section& section) {
    if (section.released == Section::kOpen || knows_section(t, t.slot, section)) return false;
    keep = std::ranges::none_of(sections.held(), [&](const Sections::Held& mine) {
      return mine.lock == section.lock && (mine.mode == SectionMode::Exclusive || section.mode == SectionMode::Shared);
    });
    return keep;
  };
  return sections.list_at(earlier.time(), list) == Memory::Forgotten ||
         sections.any(list, visit) == Memory::Forgotten || keep;
}

bool SectionOrder::supersedes(const DetectorThread& t, Word later, Word earlier) const {
  if (later.slot() != earlier.slot() || earlier.time() > later.time() || !covers(later.kind(), earlier.kind())) {
    return false;
  }
  if (later.is_merged()) return true;
  if (earlier.is_merged()) return false;
  const Slot u = later.slot();
  const Sections& sections = slots_[u].sections;
  SectionNumber mine = kNoSection;
  SectionNumber theirs = kNoSection;
  if (sections.list_at(later.time(), mine) == Memory::Forgotten ||
      sections.list_at(earlier.time(), theirs) == Memory::Forgotten) {
    return false;
  }
  if (mine == theirs) return true;
  bool all = true;
  const auto is_told = [&](const Section& section) {
    if (knows_section(t, u, section)) return true;
    bool found = false;
    sections.any(mine, [&](const Section& other) {
      return found = other.lock == section.lock &&
                     (other.mode == SectionMode::Exclusive || section.mode == SectionMode::Shared);
    });
    return found;
  };
  return sections.any(theirs, [&](const Section& section) { return !(all = is_told(section)); }) ==
             Memory::Remembered &&
         all;
}

/// Own sections that are about to be forgotten: the thread comes after the middle one of those that are remembered.
/// What happens-before makes of them is said as soon as that is cheap, and for many sections at a time.
void SectionOrder::know_old_sections(DetectorThread& t, Time now) const {
  const Time known = (*t.known)[ThreadId{t.slot}];
  if (OMEN_LIKELY(now - known < Sections::kLongAgo || now - t.own_middle < Sections::kLongAgo / 4)) return;
  t.own_middle = now;
  Section middle;
  if (!slots_[t.slot].sections.middle(middle) || !order_after(t, t.slot, middle)) return;
  look(t, t.slot);
}

void SectionOrder::publish(DetectorThread& t, Time now) const {
  t.now = Word::of(t.slot, now);
  if (!predicts_) {
    // The clock itself: only its thread changes it.
    const std::span<const Time> lanes = t.clock->lanes();
    t.settled = lanes.data();
    t.settled_count = static_cast<Slot>(lanes.size());
    return t.set_own_words();
  }
  make_room(t, t.slot);
  t.sections = {};
  const Sections& own = slots_[t.slot].sections;
  const Vector<Sections::Held>& held = own.held();
  for (const Sections::Held& each : held) t.sections = t.sections | LockSet(each.lock);
  if (!own.has_soles()) return;
  t.own_sections = &own;
  t.covered[0] = held.empty() ? Sections::kFree : Sections::sole(held.front());
  t.covered[1] = held.empty() ? Sections::kFree : Sections::sole(held.back());
  know_old_sections(t, now);
}

}  // namespace omen::rt::detect
