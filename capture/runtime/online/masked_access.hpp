/// \file
/// Bytes of up to two lines side by side, that a mask names: checks of several accesses at once (capture/pass), and
/// short ranges, which functions of the C library read and write. Decided as single accesses are, by the words of the
/// lines (line_access.hpp), or of the cells where a line is open.
#pragma once

#include "capture/runtime/online/line_access.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

/// Bit i of a mask is the byte `base` + i.
class MaskedBytes {
 public:
  static constexpr uptr kMostCells = 9;  ///< 64 bytes, of which the first is anywhere in its cell

  OMEN_INLINE MaskedBytes(uptr base, u64 mask)
      : low_(mask << (base % kCellBytes)), high_(mask >> 1 >> (63 - base % kCellBytes)) {}

  /// Calls `visit(cell, wanted)` for the cells of which there are bytes, counted from the first, until it returns
  /// false; did it never?
  template <class Visit>
  OMEN_INLINE bool all(Visit visit) const {
    u64 left = low_;
    for (uptr cell = 0; left != 0; ++cell, left >>= kCellBytes) {
      const u64 wanted = left & kBytes;
      if (wanted != 0 && !visit(cell, wanted)) return false;
    }
    return high_ == 0 || visit(kMostCells - 1, high_);
  }

 private:
  u64 low_;   ///< eight cells
  u64 high_;  ///< the ninth
};

/// Were all of them accessed in this epoch? As far as a look at the thread's plane tells, at places where the last read
/// was there, or else at the lines.
template <bool write>
OMEN_INLINE bool is_mask_repeated(uptr base, u64 mask, uptr pc) {
  const u64 now = current_cell_now;
  const MaskedLines bytes(base, mask);
  if (!write && shared_site(pc) == kInLinePlane) {
    const LinePlanes::Word* const words = LinePlanes::find(current_line_planes, base);
    if (words != nullptr && words[0].word.has(now, bytes.low()) &&
        (bytes.high() == 0 || words[1].word.has(now, bytes.high()))) {
      return true;
    }
    shared_site(pc) = 0;
  } else if (!write && shared_site(pc) == kInCellPlane) {
    const ReadPlanes::Word* const words = ReadPlanes::find(current_planes, base);
    if (words != nullptr &&
        MaskedBytes(base, mask).all([&](uptr cell, u64 wanted) { return ReadPlanes::has(words[cell], now, wanted); })) {
      return true;
    }
    shared_site(pc) = 0;
  }
  const Line* const lines = LineMap::find(base);
  if (OMEN_UNLIKELY(lines == nullptr)) return false;
  return is_repeated_in_line<write>(lines[0], now, bytes.low()) &&
         (bytes.high() == 0 || is_repeated_in_line<write>(lines[1], now, bytes.high()));
}

/// All that the words of the cells of a line decide is done. Returns the bytes that are not. The frame has a node.
template <bool write>
OMEN_INLINE u64 access_masked_cells(ThreadState* thread, uptr base, u64 mask, uptr pc) {
  OnlineThread& state = *thread->online;
  Cell* const cells = ShadowMap::find(base);
  bool logged = false;
  const auto log = [&] {
    if (logged) return true;
    logged = true;
    const u32 frame = static_cast<u32>(thread->stack.top()->node);
    for_each_run(base, mask, [&](uptr address, u32 bytes) {
      state.log->add(address, bytes, write ? Did::Write : Did::Read, {pc, frame}, time_in(state.now));
    });
    return true;
  };
  u64 left = 0;
  MaskedBytes(base, mask).all([&](uptr at, u64 wanted) {
    Cell& cell = cells[at];
    const u64 written = cell.write.load(std::memory_order_relaxed);
    const u64 read = cell.read.load(std::memory_order_relaxed);
    if (are_words_now(state.now, written, read, wanted, write)) return true;
    if ((written | read) != 0) {
      if (may_take<write>(state, written, read, wanted)) {
        log();
        take<write>(state, cell, written, read, wanted);
        return true;
      }
      const uptr place = base + at * kCellBytes;
      if (take_over<write>(state, cell, place, written, read, wanted, log) == First::Done) return true;
    }
    if (!write) {
      ReadPlanes::Word* mine = nullptr;
      const u64 next = next_in_plane(thread, written, read, base + at * kCellBytes, wanted, mine);
      if (next != 0) {
        shared_site(pc) = kInCellPlane;
        if (next == mine->load(std::memory_order_relaxed)) return true;
        log();
        if (read_in_plane(cell, written, *mine, next) == First::Done) return true;
      }
    }
    left |= wanted << (at * kCellBytes);
    return true;
  });
  return left;
}

/// The same of a line, by its words, and by its cells as far as they are open.
template <bool write>
OMEN_INLINE u64 access_masked_line(ThreadState* thread, uptr base, u64 mask, uptr pc) {
  Line& line = *LineMap::find(base);
  OnlineThread& state = *thread->online;
  u64 left = 0;
  if (const u64 opened = line.opened() & mask; OMEN_UNLIKELY(opened != 0)) {
    left = access_masked_cells<write>(thread, base, opened, pc);
    mask &= ~opened;
  }
  if (mask == 0 || is_repeated_in_line<write>(line, state.now, mask)) return left;
  const auto log = [&] {
    const u32 frame = static_cast<u32>(thread->stack.top()->node);
    for_each_run(base, mask, [&](uptr address, u32 bytes) {
      state.log->add(address, bytes, write ? Did::Write : Did::Read, {pc, frame}, time_in(state.now));
    });
    return true;
  };
  First done = access_own_line<write>(state, line, mask, log);
  if (done == First::Other) done = access_line_first<write>(state, line, base, mask, log);
  if (!write && done == First::Shared) done = read_line_first_in_plane(thread, line, base, mask, pc, log);
  return OMEN_LIKELY(done == First::Done) ? left : left | mask;
}

/// May both lines from `base` on be looked at, since they stand side by side?
OMEN_INLINE bool is_in_one_region(uptr base) {
  return base % kRegion + 2 * kLineSize <= kRegion;
}

/// What is no repetition: what the words of lines and cells decide, and the rest run by run, as ranges.
template <bool write>
OMEN_INLINE void access_masked(ThreadState* thread, uptr base, u64 mask, uptr pc) {
  if (thread->watch == ThreadState::Watch::Alone) return;
  const auto access_runs = [&](uptr from, u64 left) {
    for_each_run(from, left, [&](uptr at, u32 bytes) { recorder.any_range(thread, at, bytes, write, pc); });
  };
  if (OMEN_UNLIKELY(!is_quick(thread) || !is_in_one_region(base) || LineMap::find(base) == nullptr ||
                    (thread->stack.top()->node == 0 && !recorder.give_node_to_frame(thread)))) {
    return access_runs(base, mask);
  }
  const MaskedLines bytes(base, mask);
  const uptr first = base & ~(kLineSize - 1);
  if (const u64 left = access_masked_line<write>(thread, first, bytes.low(), pc)) access_runs(first, left);
  if (bytes.high() == 0) return;
  const uptr second = first + kLineSize;
  if (const u64 left = access_masked_line<write>(thread, second, bytes.high(), pc)) access_runs(second, left);
}

}  // namespace omen::rt::online
