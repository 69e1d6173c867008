/// \file
/// The slow path for split lines (split_line.hpp): unpacks group words into entries, and packs entries into group
/// words. A line is split when an access fits into the words of its groups but not into those of the line; it stays
/// split until its memory is freed.
///
/// All groups of an access fit, or none: what does not goes into the detail.
#include "capture/runtime/detector/line_access.hpp"

namespace omen::rt::detect {

/// The words that a group gets.
struct Shadow::GroupPlan {
  LineWord write;
  LineWord read;            ///< of one thread; or
  bool is_shared = false;   ///< the reads are in the readers' tables
  bool moves_read = false;  ///< `read` is of another thread, and goes into its table
};

namespace {

/// Two words of a thread that knows its own sections: the earlier one's accesses are fully ordered before the later.
LineWord joined(const LineWord& a, const LineWord& b) {
  if (a.epoch.is_none()) return b;
  if (a.epoch == b.epoch) {
    const auto is_loose = [](const LineWord& word) { return word.is_loose() && !word.bounded.is_empty(); };
    return LineWord::of(a.epoch, a.bytes | b.bytes, a.bounded | b.bounded, is_loose(a) || is_loose(b));
  }
  const bool a_is_later = a.epoch.time() > b.epoch.time();
  const LineWord& later = a_is_later ? a : b;
  const LineWord& earlier = a_is_later ? b : a;
  return LineWord::of(later.epoch, later.bytes, later.bounded | earlier.touched(), later.is_loose());
}

/// Adds an entry's bytes to a word; false: one word cannot say both.
bool add_entry(LineWord& word, const Entry& entry, ByteSet bytes) {
  const Word epoch = entry.word.plain();
  const LineWord added = entry.word.is_bound() ? LineWord{epoch, {}, bytes} : LineWord{epoch, bytes, {}};
  if (!word.epoch.is_none() && word.epoch != epoch) {
    const LineWord& earlier = word.epoch.time() < epoch.time() ? word : added;
    if (word.epoch.slot() != epoch.slot() || !earlier.bytes.is_empty()) return false;
  }
  word = joined(word, added);
  return true;
}

}  // namespace

void Shadow::unpack_groups(const LineAccess& access, History& history, ByteSet bytes) const {
  const SplitLine& split = split_lines.of(access.base);
  for_each_group(bytes, [&](u32 group) {
    const LineWord written = split.write(group).line_word(group);
    add_word(access.t, history, written, AccessKind::Write, bytes);
    if (split.read(group).is_shared()) return;
    add_word(access.t, history, live_read(written, split.read(group).line_word(group)), AccessKind::Read, bytes);
  });
  const ByteSet shared = shared_groups(split, bytes);
  if (!shared.is_empty() && access.line.read.epoch().is_shared()) unpack_readers(access, history, bytes & shared);
}

/// The bytes of those groups whose reads are in the readers' tables.
ByteSet Shadow::shared_groups(const SplitLine& split, ByteSet bytes) {
  ByteSet shared;
  for_each_group(bytes, [&](u32 group) {
    if (split.read(group).is_shared()) shared |= group_bytes(group);
  });
  return shared;
}

/// After the update. False: the entries of the group do not fit into its words.
bool Shadow::plan_group(LineAccess& access, u32 group, GroupPlan& plan) const {
  const bool write = is_write(access.kind);
  const ByteSet all = group_bytes(group);
  plan.is_shared = access.line.is_split() ? split_lines.of(access.base).read(group).is_shared()
                                          : access.read.epoch.is_shared() && bytes_of_readers(access).meets(all);
  LineWord& mine = write ? plan.write : plan.read;
  bool is_loose = false;
  LineWord others;  // reads of another epoch, which are not settled
  for (const Entry& entry : access.history()) {
    const ByteSet bytes = entry.bytes & all;
    if (bytes.is_empty()) continue;
    if (is_atomic(entry.word.kind())) return false;
    const bool written = is_write(entry.word.kind());
    if (!written && plan.is_shared) continue;
    if (written != write) {
      if (!add_entry(written ? plan.write : plan.read, entry, bytes)) return false;
    } else if (entry.word == access.now()) {
      mine.bytes |= bytes;
    } else if (may_be_bounded(access, entry.word)) {
      mine.bounded |= bytes;
      is_loose |= !access.t.is_own(entry.word.plain()) || entry.word.time() == access.t.now.time();
    } else if (write || !add_entry(others, entry, bytes)) {
      return false;
    }
  }
  if (write || !plan.is_shared) mine = LineWord::of(access.t.now, mine.bytes, mine.bounded, is_loose);
  if (!others.epoch.is_none()) {  // several threads read the group from now on
    if (!mine.bounded_only().is_empty() || access.t.is_own(others.epoch)) return false;
    plan.read = others;
    plan.is_shared = plan.moves_read = true;
  }
  if (write || !plan.is_shared) return true;
  // The thread's own table gets the read.
  const Word readers = access.line.read.epoch();
  const bool has_readers = readers.is_shared();
  const ByteSet detailed = access.line.detailed();
  const ReadWord* const own = thread_reads.at(access.t.slot, access.base);
  if (own == nullptr) return false;
  if (has_readers && ReaderSet(readers).may_have(access.t.slot)) {
    const LineWord earlier = without_bytes(own->load(), detailed);
    if (!earlier.epoch.is_none() && earlier.epoch != access.t.now && !may_be_bounded(access, earlier.epoch))
      return false;
  }
  if (!plan.moves_read) return true;
  const ReadWord* const theirs = thread_reads.at(plan.read.epoch.slot(), access.base);
  if (theirs == nullptr) return false;
  if (order_.knows_own_sections() || !has_readers || !ReaderSet(readers).may_have(plan.read.epoch.slot())) return true;
  const LineWord earlier = without_bytes(theirs->load(), detailed);
  return earlier.epoch.is_none() || earlier.epoch == plan.read.epoch;
}

/// What the readers' tables have.
ByteSet Shadow::bytes_of_readers(const LineAccess& access) const {
  ByteSet bytes;
  for_each_reader(access.read.epoch, access.base,
                  [&](Slot, const ReadWord&, const LineWord& word) { bytes |= word.touched(); });
  return bytes - access.line.detailed();
}

/// The line's words become those of its groups.
void Shadow::split(LineAccess& access) {
  SplitLine& split = split_lines.of(access.base);
  const bool is_shared = access.read.epoch.is_shared();
  const ByteSet shared = is_shared ? bytes_of_readers(access) : ByteSet();
  for (u32 group = 0; group < kGroups; ++group) {
    split.store_write(group, GroupWord::of(access.written, group));
    if (is_shared) {
      split.store_read(group, shared.meets(group_bytes(group)) ? GroupWord::shared() : GroupWord());
    } else {
      split.store_read(group, GroupWord::of(access.read, group));
    }
  }
  access.line.store_write({});
  if (!is_shared) access.line.store_read({});
  access.line.set_split();
  map_.note_references(access.base);
}

/// If the access needs the epoch behind a bound of a whole line, splits the line and looks up all bytes that share the
/// bound in one search: the next accesses are likely to need the neighbours. False: nothing has been done.
bool Shadow::split_at_bounds(LineAccess& access) {
  if (access.line.is_split() || access.read.epoch.is_shared()) return false;
  const auto asks = [&](const LineWord& word, AccessKind kind) {
    return word.bounded_only().meets(access.wanted) &&
           must_resolve(access, bound_for(access.t, word).as(kind).as_bound());
  };
  const bool write = asks(access.written, AccessKind::Write);
  if (!(write || asks(access.read, AccessKind::Read)) || !split_lines.make(access.base)) return false;
  split(access);
  SplitLine& split = split_lines.of(access.base);
  const LineWord word = write ? access.written : access.read;
  BehindBounds behind;
  find_bounds(access.t, word.bound(), access.base, word.bounded_only(), write, behind);
  for (const Entry& entry : behind) {
    if (entry.word.is_none() || entry.word.is_bound()) continue;
    for_each_group(entry.bytes, [&](u32 group) {
      const ByteSet part = word.touched() & group_bytes(group);
      if (!entry.bytes.contains(part)) return;  // one word cannot say it
      const GroupWord next = GroupWord::of({entry.word, part, {}}, group);
      write ? split.store_write(group, next) : split.store_read(group, next);
    });
  }
  access.written = access.read = {};
  return true;
}

/// Into the words of the groups, after a plain access. False: it does not fit.
bool Shadow::pack_groups(LineAccess& access) {
  if (!split_lines.make(access.base)) return false;
  const bool write = is_write(access.kind);
  GroupPlan plans[kGroups];
  bool fits = true;
  for_each_group(access.wanted, [&](u32 group) { fits = fits && plan_group(access, group, plans[group]); });
  if (!fits) return false;
  if (!access.line.is_split()) split(access);
  SplitLine& split = split_lines.of(access.base);
  ByteSet shared;
  for_each_group(access.wanted, [&](u32 group) {
    const GroupPlan& plan = plans[group];
    log_bounded(access, write ? plan.write.bounded_only() : plan.is_shared ? ByteSet() : plan.read.bounded_only());
    split.store_write(group, GroupWord::of(plan.write, group));
    if (plan.moves_read) share_group(access, group, plan.read);
    if (plan.is_shared) {
      shared |= group_bytes(group);
    } else {
      split.store_read(group, GroupWord::of(plan.read, group));
    }
  });
  if (shared.is_empty()) return true;
  write ? take_from_readers(access, shared) : add_to_readers(access, shared);
  return true;
}

/// Words of other threads that become bounds of this one are kept in its log.
void Shadow::log_bounded(LineAccess& access, ByteSet bounded) {
  DetectorThread& t = access.t;
  if (bounded.is_empty()) return;
  for (const Entry& entry : access.history()) {
    const ByteSet bytes = entry.bytes & bounded;
    const bool write = is_write(entry.word.kind());
    if (bytes.is_empty() || write != is_write(access.kind) || t.is_own(entry.word.plain())) continue;
    const Word word = entry.word.plain();
    t.log->add_replaced(access.base, bytes, write, entry.word.is_bound() ? word.as_bound() : word);
  }
}

/// The read of another thread goes into that thread's table.
void Shadow::share_group(LineAccess& access, u32 group, const LineWord& read) {
  ReadWord& place = *thread_reads.find(read.epoch.slot(), access.base);
  const Word word = access.line.read.epoch();
  ReaderSet readers = word.is_shared() ? ReaderSet(word) : ReaderSet();
  const LineWord earlier =
      readers.may_have(read.epoch.slot()) ? without_bytes(place.load(), access.line.detailed()) : LineWord{};
  place.store(joined(earlier, read));
  readers.add(read.epoch.slot());
  access.line.store_read({readers.word(), {}, {}});
  split_lines.of(access.base).store_read(group, GroupWord::shared());
}

/// The thread has read bytes of shared groups.
void Shadow::add_to_readers(LineAccess& access, ByteSet shared) {
  DetectorThread& t = access.t;
  ReadWord& mine = *thread_reads.find(t.slot, access.base);
  const Word word = access.line.read.epoch();
  ReaderSet readers = word.is_shared() ? ReaderSet(word) : ReaderSet();
  const LineWord earlier = readers.may_have(t.slot) ? without_bytes(mine.load(), access.line.detailed()) : LineWord{};
  mine.store(with_access(earlier, t.now, access.wanted & shared));
  readers.add(t.slot);
  access.line.store_read({readers.word(), {}, {}});
}

/// Bytes of shared groups have been written.
void Shadow::take_from_readers(LineAccess& access, ByteSet shared) const {
  const Word readers = access.line.read.epoch();
  ByteSet left;
  if (readers.is_shared()) {
    bool any = false;
    for_each_reader(readers, access.base, [&](Slot, ReadWord& place, const LineWord& word) {
      const LineWord rest = without_bytes(word, access.wanted & shared);
      if (rest != word) place.store(rest);
      left |= rest.touched();
      any |= !rest.epoch.is_none();
    });
    if (!any) access.line.store_read({});
  }
  SplitLine& split = split_lines.of(access.base);
  for_each_group(shared, [&](u32 group) {
    if (!left.meets(group_bytes(group))) split.store_read(group, {});
  });
}

/// The bytes begin a new life, or are in the detail from now on.
void Shadow::clear_groups(SplitLine& split, ByteSet bytes) {
  for_each_group(bytes, [&](u32 group) {
    const ByteSet part = bytes & group_bytes(group);
    split.store_write(group, GroupWord::of(without_bytes(split.write(group).line_word(group), part), group));
    const GroupWord read = split.read(group);
    if (!read.is_shared()) {
      split.store_read(group, GroupWord::of(without_bytes(read.line_word(group), part), group));
    } else if (part == group_bytes(group)) {
      split.store_read(group, {});
    }
  });
}

}  // namespace omen::rt::detect
