/// \file
/// The first access of an epoch to a line that is the thread's own: first_access.hpp, for lines. Whatever is not that
/// simple is left to `Online::access`, or to the line's cells.
#pragma once

#include "capture/runtime/online/first_access.hpp"
#include "capture/runtime/online/line_settling.hpp"

namespace omen::rt::online {

/// The most frequent of these cases, with as few steps as can be: the line is the thread's own, or the thread reads
/// what another one wrote before. `log` is called before a change; false: the frame has no node yet.
template <bool write, class Log>
OMEN_INLINE First access_own_line(const OnlineThread& state, Line& line, u64 wanted, Log log) {
  EpochAndBytes& place = write ? line.write : line.read;
  std::atomic<u64>& older_place = write ? line.older_writes : line.older_reads;
  const u64 known = place.bytes();
  std::atomic_signal_fence(std::memory_order_seq_cst);  // if the epoch is of now, the bytes before it are, too
  const u64 mine = place.epoch();
  const u64 other = write ? line.read.epoch() : line.write.epoch();
  const auto is_own_or_none = [&](u64 epoch) {
    return epoch - state.own_words <= state.own_settled_words || epoch == 0;
  };
  if (!is_own_or_none(mine)) return !write && (mine & kPlanesBit) != 0 ? First::Shared : First::Other;
  if (OMEN_UNLIKELY((mine | other) == 0)) return First::Other;
  const bool both = is_own_or_none(other);
  if (!both) {
    if (write || (other & kLockBit) != 0 || slot_in(other) >= state.settled_count ||
        time_in(other) > state.settled[slot_in(other)]) {
      return First::Other;
    }
  }
  if (OMEN_UNLIKELY(!log())) return First::NewFrame;
  // Whether the word is of this epoch already is as good as random: both cases are the same instructions. Older bytes
  // need not be of the same moment as the epoch; what is in both sets counts as of now.
  const u64 now = state.now;
  const u64 of_now = known & all_if(mine == now);
  u64 older = (known ^ of_now) | older_place.load(std::memory_order_relaxed);
  if (write) {
    // What these bytes were read before is superseded, which only the word that goes can tell.
    if (both && other != 0 && other <= mine && mine != now) forget_superseded_reads(line, line.load_write());
  } else {
    older &= ~(line.write.bytes() & all_if(both && mine <= other));  // as in live_read
  }
  older_place.store(older & ~wanted, std::memory_order_relaxed);
  place.store(now, of_now | wanted);
  return First::Done;
}

/// The thread takes bytes of a line over, of which all that came before is settled, whoever did it: as `access_line`
/// with the lock (online_lines.cpp), and nobody is waited for. `log` is called before a change; false: the frame has no
/// node yet.
template <bool write, class Log>
OMEN_INLINE First take_line_over(OnlineThread& state, Line& line, uptr base, const LineWord& written,
                                 const LineWord& read, u64 wanted, Log log) {
  if ((written.epoch & kLockBit) != 0 || !is_line_all_settled(state, written, read, wanted, write)) return First::Other;
  const LineWord& mine = write ? written : read;
  const bool leaves_bounds = !is_own(state, mine.epoch) && (mine.touched() & ~wanted) != 0;
  if (OMEN_UNLIKELY(leaves_bounds) && online.is_used_apart(base)) return First::Other;
  if (!log()) return First::NewFrame;
  if (leaves_bounds) Online::log_replaced_line(state, base, mine, wanted, write);
  // Who was interrupted since the first look does not overwrite what others have made of the line.
  if (OMEN_UNLIKELY(line.write.epoch() != written.epoch || line.is_open(wanted))) return First::Other;
  if (write) {
    if (line.read.epoch() != 0) line.store_read(line_without(read, wanted));
    line.store_write(line_taken(state, written, wanted));
  } else {
    line.store_read(line_taken(state, read, wanted));
  }
  return First::Done;
}

/// What became of the wanted bytes of a line. `log` is called before a change; false: the frame has no node yet.
/// Memory that nobody has accessed in its life is nobody's own.
template <bool write, class Log>
OMEN_INLINE First access_line_first(OnlineThread& state, Line& line, uptr base, u64 wanted, Log log) {
  const LineWord written = line.load_write();
  const LineWord read = live_read(written, line.load_read());
  if (OMEN_UNLIKELY(line.is_open(wanted))) return First::InCells;
  if (OMEN_UNLIKELY((written.epoch | read.epoch) == 0)) return First::Other;
  if (may_take_line<write>(state, written, read, wanted)) {
    if (!log()) return First::NewFrame;
    take_line<write>(state, line, written, read, wanted);
    return First::Done;
  }
  if ((read.epoch & kPlanesBit) != 0) return write ? First::Other : First::Shared;
  return take_line_over<write>(state, line, base, written, read, wanted, log);
}

/// A read of a line that the thread has read together with others. `log` is called before the plane is changed; false:
/// the frame has no node yet.
template <class Log>
OMEN_INLINE First read_line_first_in_plane(const ThreadState* thread, const Line& line, uptr base, u64 wanted, uptr pc,
                                           Log log) {
  const OnlineThread& state = *thread->online;
  const LineWord written = line.load_write();
  const u64 readers = line.read.epoch();
  LinePlanes::Word* const mine = LinePlanes::find(thread->line_planes, base);
  if ((readers & kPlanesBit) == 0 || mine == nullptr || (readers & reader_bit(state.slot)) == 0 ||
      (written.epoch & kLockBit) != 0 || !is_line_settled(state, written, wanted)) {
    return First::Other;
  }
  shared_site(pc) = kInLinePlane;
  if (mine->word.has(state.now, wanted)) return First::Done;
  const LineWord next = plane_taken(state, mine->load(), wanted);
  if (next.epoch == 0) return First::Other;
  if (!log()) return First::NewFrame;
  mine->store(next);
  const bool unchanged =
      line.write.epoch() == written.epoch && (line.read.epoch() & kPlanesBit) != 0 && !line.is_open(wanted);
  return OMEN_LIKELY(unchanged) ? First::Done : First::Other;
}

/// The lines of a short range, as long as they are the thread's own: where the first one is that is not, or the end.
/// `log` is called before the first change.
template <bool write, class Log>
OMEN_INLINE uptr access_own_lines(OnlineThread& state, uptr begin, uptr end, Log log) {
  Line* line = LineMap::find(begin);
  bool logged = false;
  for (uptr base = begin & ~(kLineSize - 1); base < end; base += kLineSize, ++line) {
    const u64 wanted = line_bytes_within(base, begin, end);
    if (is_repeated_in_line<write>(*line, state.now, wanted)) continue;
    const auto once = [&] {
      if (!logged) log();
      return logged = true;
    };
    First done = line->is_open(wanted) ? First::InCells : access_own_line<write>(state, *line, wanted, once);
    if (done == First::Other) done = access_line_first<write>(state, *line, base, wanted, once);
    if (done != First::Done) return base > begin ? base : begin;
  }
  return end;
}

/// An access that lies in one line.
template <u32 bytes, bool write>
OMEN_INLINE First access_first_in_line(ThreadState* thread, uptr address, uptr pc) {
  Line* const line = LineMap::find(address);
  if (OMEN_UNLIKELY(line == nullptr || !is_quick(thread))) return First::Other;
  OnlineThread& state = *thread->online;
  return access_line_first<write>(state, *line, address & ~(kLineSize - 1), line_bytes_at(address % kLineSize, bytes),
                                  [&] { return log_first(thread, state, address, bytes, write, pc); });
}

template <u32 bytes>
OMEN_INLINE First read_first_in_line_plane(ThreadState* thread, uptr address, uptr pc) {
  return read_line_first_in_plane(thread, *LineMap::find(address), address & ~(kLineSize - 1),
                                  line_bytes_at(address % kLineSize, bytes), pc,
                                  [&] { return log_first(thread, *thread->online, address, bytes, false, pc); });
}

/// Bytes of up to two lines, that a mask names from `base` on.
class MaskedLines {
 public:
  OMEN_INLINE MaskedLines(uptr base, u64 mask)
      : low_(mask << (base % kLineSize)), high_(mask >> 1 >> (kLineSize - 1 - base % kLineSize)) {}
  OMEN_INLINE u64 low() const { return low_; }
  OMEN_INLINE u64 high() const { return high_; }

 private:
  u64 low_;
  u64 high_;
};

}  // namespace omen::rt::online
