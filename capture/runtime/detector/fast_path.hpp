/// \file
/// The accesses that one line of shadow decides, without a lock and without a call. There are four cases:
///
/// | case | the line says | the thread writes |
/// | --- | --- | --- |
/// | SameEpoch | these bytes have been accessed in the thread's epoch (`is_repeated`) | nothing |
/// | Own | both words are the thread's own or nobody's; a read: or the last write is settled | one word |
/// | Ordered | all earlier accesses to these bytes, and to those that become bounded, are settled | one word |
/// | SharedRead | the line is read by several threads, this one too; the last write is settled | its own table |
///
/// In a split line the words of the groups are examined in the same way, as in case Ordered.
///
/// *Settled* is defined in section_order.hpp; here it is a row of local times, one for each slot. Some of the thread's
/// own accesses give way to its next one although they are not settled (`DetectorThread::gives_way`).
///
/// Concurrency contract.
/// - The slow path holds the line's lock bit and owns the line's detail. The lock bit is in a word that the fast path
///   reads and never writes.
/// - The fast path writes line words and readers' words without the lock. If two threads do so at the same time, or one
///   does while another is in the slow path, one of the writes may be lost. An epoch and its bytes are read and written
///   as one, so no word describes an access that did not happen. Bounded bytes are not, so they may belong to another
///   epoch; but a report names only what was found in a log. So a race may be missed in that window, and none is made
///   up. The accesses that meet there race, or are ordered by something that the run has not yet reported.
/// - Memory that nobody has accessed since its allocation is no thread's own: two threads may well meet there, and both
///   take the lock. (Long ranges do not: much of what they touch is new.)
/// - A line is split under its lock. A thread that has not seen the split yet writes a line word, which counts as a
///   hint: the access is lost, as above.
/// - A thread that joins the readers of a line replaces the line's read word by compare-and-swap; a thread in the slow
///   path may overwrite it at the same time.
/// - A thread that reads into its own table checks the line again afterwards, without a fence: a read at the time of a
///   write may be lost, and its word left in a table that the line does not name. A thread that is added to the readers
///   writes its whole word first, so what was left there does not count.
/// - A run that is also recorded takes the slow path for every access that is no repetition, so that the record has the
///   accesses in the order in which they locked their lines.
#pragma once

#include "capture/runtime/detector/shadow.hpp"
#include "capture/runtime/detector/split_line.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::detect {

enum class Fast : u8 {
  Done,
  NewFrame,  ///< the frame has no node yet; nothing has been done
  Shared,    ///< the line's reads are in the readers' tables
  Slow,      ///< none of the cases; nothing has been done
};

/// Is nothing to be done but to look at the shadow? Not where the run is recorded too, or counted.
OMEN_INLINE bool is_quick(const ThreadState* thread) {
  return thread != nullptr && (thread->busy | thread->ignore_access | thread->look_closer) == 0;
}

/// The access goes into the log. False: the frame has no node yet.
OMEN_INLINE bool log_access(const ThreadState* thread, const DetectorThread& t, uptr address, u64 bytes, bool write,
                            uptr pc) {
  const u64 frame = thread->stack.top()->node;
  if (OMEN_UNLIKELY(frame == 0)) return false;
  t.log->add(address, bytes, write ? LogKind::Write : LogKind::Read, {pc, static_cast<u32>(frame)}, t.now.time());
  return true;
}

/// Case Own, and of Ordered a read of what another thread wrote. `log` is called before a change; false: the frame has
/// no node yet.
template <bool write, class Log>
OMEN_INLINE Fast access_own(const DetectorThread& t, ShadowLine& line, ByteSet wanted, Log log) {
  EpochAndBytes& place = write ? line.write : line.read;
  std::atomic<u64>& bounded_place = write ? line.bounded_writes : line.bounded_reads;
  const ByteSet known = place.bytes();
  std::atomic_signal_fence(std::memory_order_seq_cst);  // if the epoch is current, so are the bytes read before it
  const Word mine = place.epoch();
  const Word other = write ? line.read.epoch() : line.write.epoch();
  if (!t.is_own_or_none(mine)) return !write && mine.is_shared() ? Fast::Shared : Fast::Slow;
  if (OMEN_UNLIKELY((mine.bits() | other.bits()) == 0)) return Fast::Slow;
  if (OMEN_UNLIKELY(known.is_empty()) && mine == t.now) return Fast::Slow;  // that it is loose would be lost
  const bool both = t.is_own_or_none(other);
  if (!both && (write || !t.is_settled(other))) return Fast::Slow;
  if (OMEN_UNLIKELY(!log())) return Fast::NewFrame;
  // Whether the word is of this epoch already is as good as random: both cases are the same instructions. Bounded bytes
  // need not be of the same moment as the epoch. A word of this epoch stays loose if it is.
  const ByteSet of_now = known & ByteSet::all_if(mine == t.now);
  const ByteSet was_bounded(bounded_place.load(std::memory_order_relaxed));
  ByteSet bounded = (known - of_now) | was_bounded;
  if (write) {
    // What these bytes were read before is superseded, which only the word that goes can tell.
    if (both && !other.is_none() && other.time() <= mine.time() && mine != t.now) {
      const LineWord read = line.load_read();
      const LineWord live = live_read(line.load_write(), read);
      if (live != read) line.store_read(live);
    }
  } else {
    bounded -= line.write.bytes() & ByteSet::all_if(both && mine.time() <= other.time());  // as in live_read
  }
  bounded_place.store(((bounded - wanted) | (was_bounded & of_now)).bits(), std::memory_order_relaxed);
  place.store(t.now, of_now | wanted);
  return Fast::Done;
}

/// Do these bytes of a word give way to the thread's access?
OMEN_INLINE bool gives_way(const DetectorThread& t, const LineWord& word, ByteSet bytes) {
  return !word.touched().meets(bytes) || t.gives_way(word.epoch) ||
         (!word.bytes.meets(bytes) && t.is_settled(word.latest_bounded()));
}

/// Case Ordered: the thread takes the bytes over, whoever accessed them before.
template <bool write, class Log>
OMEN_INLINE Fast access_ordered(DetectorThread& t, ShadowLine& line, uptr base, ByteSet wanted, const Shadow& shadow,
                                Log log) {
  const LineWord written = line.load_write();
  const LineWord read = live_read(written, line.load_read());
  if (read.epoch.is_shared()) return write ? Fast::Slow : Fast::Shared;
  if (OMEN_UNLIKELY((written.epoch.bits() | read.epoch.bits()) == 0)) return Fast::Slow;
  const LineWord& mine = write ? written : read;
  const ByteSet left = mine.touched() - wanted;  // bounded from now on
  if (!gives_way(t, read, wanted) || !gives_way(t, written, wanted) ||
      (mine.epoch != t.now && !gives_way(t, mine, left))) {
    return Fast::Slow;
  }
  const bool replaces = !t.is_own(mine.epoch) && !left.is_empty();
  if (OMEN_UNLIKELY(replaces) && shadow.is_contended(base)) return Fast::Slow;
  if (!log()) return Fast::NewFrame;
  if (replaces) log_replaced(t, base, mine, wanted, write);
  // A thread interrupted since the first look must not overwrite later changes of the line.
  if (OMEN_UNLIKELY(line.write.epoch() != written.epoch || !line.is_plain(wanted))) return Fast::Slow;
  if (write) {
    if (!line.read.epoch().is_none()) line.store_read(without_bytes(read, wanted));
    line.store_write(with_access(written, t.now, wanted));
  } else {
    line.store_read(with_access(read, t.now, wanted));
  }
  return Fast::Done;
}

/// The places in the program, by return address, where the thread's last read was in its own table. The next one is
/// looked for there first: that word says all, and the line, another cache line, is not touched.
inline constexpr std::size_t kSharedSites = 1024;
extern __thread u8 shared_sites[kSharedSites] __attribute__((tls_model("initial-exec")));
OMEN_INLINE u8& shared_site(uptr pc) {
  return shared_sites[pc % kSharedSites];
}

/// What was written last to bytes whose reads are in the readers' tables: those of a line, or of one of its groups.
class SharedBytes {
 public:
  OMEN_INLINE SharedBytes(const ShadowLine& line, uptr base, ByteSet wanted) : line_(line) {
    if (OMEN_LIKELY(!line.is_split())) {
      written_ = line.load_write();
      return;
    }
    group_ = wanted.first() / 8;
    split_ = &split_lines.of(base);
    word_ = split_->write(group_);
    written_ = word_.line_word(group_);
    is_one_ = group_bytes(group_).contains(wanted) && split_->read(group_).is_shared();
  }
  OMEN_INLINE const LineWord& written() const { return written_; }
  /// False: some of the bytes are of another group, or their reads are not in the tables.
  OMEN_INLINE bool is_one() const { return is_one_; }
  OMEN_INLINE bool is_unchanged() const {
    if (!line_.read.epoch().is_shared()) return false;
    if (split_ == nullptr) return line_.write.epoch() == written_.epoch && !line_.is_split();
    return split_->write(group_) == word_ && split_->read(group_).is_shared();
  }

 private:
  const ShadowLine& line_;
  LineWord written_;
  const SplitLine* split_ = nullptr;
  u32 group_ = 0;
  GroupWord word_;
  bool is_one_ = true;
};

/// Case SharedRead.
template <class Log>
OMEN_INLINE Fast read_shared(const ThreadState* thread, ShadowLine& line, uptr base, ByteSet wanted, uptr pc, Log log) {
  const DetectorThread& t = *thread->detector;
  const SharedBytes bytes(line, base, wanted);
  const Word readers = line.read.epoch();
  ReadWord* const place = ThreadReads::find(thread->thread_reads, base);
  if (!bytes.is_one() || !readers.is_shared() || place == nullptr || !line.is_plain(wanted) ||
      !gives_way(t, bytes.written(), wanted)) {
    return Fast::Slow;
  }
  if (OMEN_UNLIKELY(!ReaderSet(readers).may_have(t.slot))) {
    if (!log()) return Fast::NewFrame;
    place->store({t.now, wanted, {}});
    if (!line.add_reader(readers, t.slot)) return Fast::Slow;
  } else {
    const LineWord mine = place->load();
    shared_site(pc) = 1;
    if (mine.epoch == t.now && mine.bytes.contains(wanted)) return Fast::Done;
    if (!mine.epoch.is_none() && mine.epoch != t.now && !t.gives_way(mine.epoch)) return Fast::Slow;
    if (!log()) return Fast::NewFrame;
    place->store(with_access(mine, t.now, wanted));
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  return OMEN_LIKELY(bytes.is_unchanged() && line.is_plain(wanted)) ? Fast::Done : Fast::Slow;
}

/// What the words of a group say about an access to some of its bytes.
enum class GroupCase : u8 { SameEpoch, Ordered, Shared, Slow };

template <bool write>
OMEN_INLINE GroupCase look_at_group(const DetectorThread& t, GroupWord write_word, GroupWord read_word, u32 group,
                                    ByteSet part) {
  const LineWord written = write_word.line_word(group);
  const ByteSet known = written.bytes & ByteSet::all_if(written.epoch == t.now);
  if (known.contains(part)) return GroupCase::SameEpoch;
  if (read_word.is_shared()) return write ? GroupCase::Slow : GroupCase::Shared;
  const LineWord read = read_word.line_word(group);
  if (!write && read.epoch == t.now && (read.bytes | known).contains(part)) return GroupCase::SameEpoch;
  if ((write_word.bits() | read_word.bits()) == 0) return GroupCase::Slow;
  if (OMEN_LIKELY(t.gives_way(written.epoch) && t.gives_way(read.epoch))) return GroupCase::Ordered;
  const LineWord live = live_read(written, read);
  const LineWord& mine = write ? written : live;
  const bool settled = gives_way(t, live, part) && gives_way(t, written, part) &&
                       (mine.epoch == t.now || gives_way(t, mine, mine.touched() - part));
  return settled ? GroupCase::Ordered : GroupCase::Slow;
}

/// Case Ordered.
template <bool write>
OMEN_INLINE void take_group(DetectorThread& t, SplitLine& split, uptr base, GroupWord write_word, GroupWord read_word,
                            u32 group, ByteSet part) {
  if (OMEN_LIKELY(part == group_bytes(group))) {  // nothing is left of what the words said
    if (write && read_word.bits() != 0) split.store_read(group, {});
    const GroupWord next = GroupWord::of({t.now, part, {}}, group);
    return write ? split.store_write(group, next) : split.store_read(group, next);
  }
  const LineWord written = write_word.line_word(group);
  const LineWord read = live_read(written, read_word.line_word(group));
  log_replaced(t, base, write ? written : read, part, write);
  if (write) {
    split.store_read(group, GroupWord::of(without_bytes(read, part), group));
    split.store_write(group, GroupWord::of(with_access(written, t.now, part), group));
  } else {
    split.store_read(group, GroupWord::of(with_access(read, t.now, part), group));
  }
}

/// SameEpoch and Ordered of bytes of one group. `Fast::Shared`: its reads are in the readers' tables.
template <bool write, class Log>
OMEN_INLINE Fast access_group(DetectorThread& t, const ShadowLine& line, uptr base, ByteSet wanted, Log log) {
  const u32 group = wanted.first() / 8;
  SplitLine& split = split_lines.of(base);
  const GroupWord written = split.write(group);
  const GroupWord read = split.read(group);
  switch (look_at_group<write>(t, written, read, group, wanted)) {
    case GroupCase::SameEpoch:
      return Fast::Done;
    case GroupCase::Shared:
      return Fast::Shared;
    case GroupCase::Slow:
      return Fast::Slow;
    case GroupCase::Ordered:
      break;
  }
  if (!log()) return Fast::NewFrame;
  // A thread interrupted since the first look must not overwrite later changes.
  if (OMEN_UNLIKELY(!line.is_plain(wanted) || !line.is_split() || split.write(group) != written)) return Fast::Slow;
  take_group<write>(t, split, base, written, read, group, wanted);
  return Fast::Done;
}

/// Bytes of several groups, one after the other. What the slow path has to decide of them then, it decides of those
/// that are left.
template <bool write, class Log>
OMEN_NOINLINE Fast access_groups(ThreadState* thread, ShadowLine& line, uptr base, ByteSet wanted, uptr pc, Log log) {
  bool is_logged = false;
  const auto log_once = [&] { return is_logged = is_logged || log(); };
  for (ByteSet left = wanted; !left.is_empty();) {
    const ByteSet group = group_bytes(left.first() / 8);
    Fast done = access_group<write>(*thread->detector, line, base, left & group, log_once);
    if (!write && done == Fast::Shared) done = read_shared(thread, line, base, left & group, pc, log_once);
    if (done != Fast::Done) return done;
    left -= group;
  }
  return Fast::Done;
}

/// An access to a line that is split. `Fast::Shared`: the bytes are of one group.
template <bool write, class Log>
OMEN_INLINE Fast access_split(ThreadState* thread, ShadowLine& line, uptr base, ByteSet wanted, uptr pc, Log log) {
  if (OMEN_LIKELY(group_bytes(wanted.first() / 8).contains(wanted))) {
    return access_group<write>(*thread->detector, line, base, wanted, log);
  }
  return access_groups<write>(thread, line, base, wanted, pc, log);
}

/// The four cases, for bytes of one line.
template <bool write, class Log>
OMEN_INLINE Fast access_fast(ThreadState* thread, ShadowLine& line, uptr base, ByteSet wanted, uptr pc,
                             const Shadow& shadow, Log log) {
  DetectorThread& t = *thread->detector;
  if (is_repeated<write>(line, t.now, wanted)) return Fast::Done;
  if (OMEN_UNLIKELY(!line.is_plain(wanted))) return Fast::Slow;
  Fast done = Fast::Slow;
  if (OMEN_UNLIKELY(line.is_split())) {
    done = access_split<write>(thread, line, base, wanted, pc, log);
  } else {
    done = access_own<write>(t, line, wanted, log);
    if (done == Fast::Slow) done = access_ordered<write>(t, line, base, wanted, shadow, log);
  }
  if (!write && done == Fast::Shared) done = read_shared(thread, line, base, wanted, pc, log);
  return done;
}

}  // namespace omen::rt::detect
