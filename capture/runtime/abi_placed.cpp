/// \file
/// What the compiler calls where checks were placed (capture/pass): checks of several accesses of one line at once.
/// They mean what the `__tsan_*` calls would have meant in whose place they stand, with the place in the program of
/// this one.
#include "capture/runtime/online/masked_access.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

using namespace omen::rt;
using namespace omen::rt::online;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

namespace {

/// One by one, as ranges.
void access_runs(ThreadState* thread, uptr base, u64 mask, bool write, uptr pc) {
  for_each_run(base, mask, [&](uptr address, u32 bytes) { recorder.range(thread, address, bytes, write, pc); });
}

/// What is no repetition.
template <bool write>
OMEN_NOINLINE void access_bytes_anew(uptr base, u64 mask, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->watch == ThreadState::Watch::Alone) return;
  const bool in_region = base % kRegion + MaskedBytes::kMostCells * kCellBytes <= kRegion;
  if (OMEN_UNLIKELY(!is_quick(thread) || !in_region || ShadowMap::find(base) == nullptr ||
                    (thread->stack.top()->node == 0 && !recorder.give_node_to_frame(thread)))) {
    return access_runs(thread, base, mask, write, pc);
  }
  u64 left = 0;
  u64 left_of_ninth = 0;
  access_masked_first<write>(thread, base, mask, pc, left, left_of_ninth);
  if (OMEN_LIKELY((left | left_of_ninth) == 0)) return;
  const uptr first = base & ~(kCellBytes - 1);
  access_runs(thread, first, left, write, pc);
  access_runs(thread, first + 64, left_of_ninth, write, pc);
}

template <bool write>
OMEN_INLINE void access_bytes(uptr base, u64 mask, uptr pc) {
  if (base % kRegion + MaskedBytes::kMostCells * kCellBytes <= kRegion && is_mask_repeated<write>(base, mask, pc))
    return;
  access_bytes_anew<write>(base, mask, pc);
}

template <bool write>
OMEN_NOINLINE void access_long_range(uptr address, u64 length, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->watch == ThreadState::Watch::Alone) return;
  recorder.range(thread, address, length, write, pc);
}

template <bool write>
OMEN_INLINE void access_range(const void* p, u64 length, uptr pc) {
  const uptr address = reinterpret_cast<uptr>(p);
  if (OMEN_UNLIKELY(length > 64)) return access_long_range<write>(address, length, pc);
  if (length != 0) access_bytes<write>(address, ~u64{0} >> (64 - length), pc);
}

}  // namespace

// Bit i of the mask is set: the byte base + i is accessed.
OMEN_ABI void __omen_read_bytes(void* base, unsigned long mask) {
  access_bytes<false>(reinterpret_cast<uptr>(base), mask, OMEN_CALLER);
}
OMEN_ABI void __omen_write_bytes(void* base, unsigned long mask) {
  access_bytes<true>(reinterpret_cast<uptr>(base), mask, OMEN_CALLER);
}

OMEN_ABI void __omen_read_range(void* p, unsigned long length) {
  access_range<false>(p, length, OMEN_CALLER);
}
OMEN_ABI void __omen_write_range(void* p, unsigned long length) {
  access_range<true>(p, length, OMEN_CALLER);
}
/// A read, then a write. What is read decides which schedules are possible, so a record has both.
OMEN_ABI void __omen_read_write_range(void* p, unsigned long length) {
  if (!online::online.on() || recorder.recording()) access_range<false>(p, length, OMEN_CALLER);
  access_range<true>(p, length, OMEN_CALLER);
}

/// The program will access this soon: so will its check the shadow. What is fetched is a line of 64 bytes, whose cells
/// are two lines, and whose words in the thread's plane are one.
OMEN_ABI void __omen_prefetch(const void* p) {
  const uptr line = reinterpret_cast<uptr>(p) & ~uptr{63};
  if (const Cell* const cell = ShadowMap::find(line)) {
    __builtin_prefetch(cell);
    __builtin_prefetch(cell + 4);
  }
  if (const ReadPlanes::Word* const word = ReadPlanes::find(current_planes, line)) __builtin_prefetch(word);
}
