/// \file
/// Bytes of up to two lines side by side, that a mask names: checks of several accesses at once (capture/pass), and
/// short ranges, which functions of the C library read and write. Each line is decided as a single access is.
#pragma once

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/fast_path.hpp"

namespace omen::rt::detect {

/// Bytes of up to two lines, that a mask names from `base` on.
class MaskedLines {
 public:
  OMEN_INLINE MaskedLines(uptr base, u64 mask)
      : low_(mask << (base % kLineSize)), high_(mask >> 1 >> (kLineSize - 1 - base % kLineSize)) {}
  OMEN_INLINE ByteSet low() const { return low_; }
  OMEN_INLINE ByteSet high() const { return high_; }

 private:
  ByteSet low_;
  ByteSet high_;
};

/// May both lines from `base` on be looked at, since they stand side by side?
OMEN_INLINE bool is_in_one_region(uptr base) {
  return base % kRegion + 2 * kLineSize <= kRegion;
}

/// Case SameEpoch of the bytes of a mask. Also where the last read at this place was in the thread's own table.
template <bool write>
OMEN_INLINE bool is_mask_repeated(uptr base, u64 mask, uptr pc) {
  const Word now = Word::of_bits(current_cell_now);
  const MaskedLines bytes(base, mask);
  if (!write && shared_site(pc) != 0) {
    const ReadWord* const words = ThreadReads::find(current_thread_reads, base);
    if (words != nullptr && words[0].word.has(now, bytes.low()) &&
        (bytes.high().is_empty() || words[1].word.has(now, bytes.high()))) {
      return true;
    }
    shared_site(pc) = 0;
  }
  const ShadowLine* const lines = ShadowMap::find(base);
  if (OMEN_UNLIKELY(lines == nullptr)) return false;
  return is_repeated<write>(lines[0], now, bytes.low()) &&
         (bytes.high().is_empty() || is_repeated<write>(lines[1], now, bytes.high()));
}

/// The bytes of one of the lines. The frame has a node.
template <bool write>
OMEN_INLINE void access_masked_line(ThreadState* thread, uptr base, ByteSet wanted, uptr pc) {
  DetectorThread& t = *thread->detector;
  const auto log = [&] {
    const u32 frame = static_cast<u32>(thread->stack.top()->node);
    wanted.for_each_run([&](u32 offset, u32 bytes) {
      t.log->add(base + offset, bytes, write ? LogKind::Write : LogKind::Read, {pc, frame}, t.now.time());
    });
    return true;
  };
  ShadowLine& line = *ShadowMap::find(base);
  if (access_fast<write>(thread, line, base, wanted, pc, detector.shadow(), log) == Fast::Done) return;
  detector.access_bytes(thread, base, wanted, write, pc);
}

/// The bytes of one of the lines, in a run that is only recorded.
template <bool write>
OMEN_INLINE void record_masked_line(ThreadState* thread, uptr base, ByteSet wanted, uptr pc) {
  const uptr line = line_of(base);
  if (wanted.is_empty() || recorder.has(thread, line, wanted.bits(), write)) return;
  wanted.for_each_run([&](u32 offset, u32 bytes) {
    recorder.access_in_line<write ? raw::RawOp::Write : raw::RawOp::Read>(thread, line,
                                                                          ByteSet::run(offset, bytes).bits(), pc);
  });
}

/// What is no repetition.
template <bool write>
OMEN_INLINE void access_masked(ThreadState* thread, uptr base, u64 mask, uptr pc) {
  if (thread->watch == ThreadState::Watch::Alone) return;
  const MaskedLines bytes(base, mask);
  const uptr first = base & ~(kLineSize - 1);
  const uptr second = first + kLineSize;
  if (thread->watch == ThreadState::Watch::No) {
    record_masked_line<write>(thread, first, bytes.low(), pc);
    record_masked_line<write>(thread, second, bytes.high(), pc);
  } else if (OMEN_UNLIKELY(!detector.on())) {
    ByteSet(mask).for_each_run(
        [&](u32 offset, u32 length) { recorder.any_range(thread, base + offset, length, write, pc); });
  } else if (OMEN_LIKELY(is_quick(thread) && is_in_one_region(base) && ShadowMap::find(base) != nullptr &&
                         (thread->stack.top()->node != 0 || recorder.give_node_to_frame(thread)))) {
    access_masked_line<write>(thread, first, bytes.low(), pc);
    if (!bytes.high().is_empty()) access_masked_line<write>(thread, second, bytes.high(), pc);
  } else {
    detector.access_bytes(thread, first, bytes.low(), write, pc);
    if (!bytes.high().is_empty()) detector.access_bytes(thread, second, bytes.high(), write, pc);
  }
}

}  // namespace omen::rt::detect
