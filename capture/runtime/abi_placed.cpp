/// \file
/// What the compiler calls where checks were placed (capture/pass): checks of several accesses of one line at once.
/// They mean what the
/// `__tsan_*` calls would have meant in whose place they stand, with the place in the program of this one.
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

using namespace omen::rt;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER __builtin_return_address(0)

#define OMEN_OF_SIZE(kind)                     \
  void __tsan_##kind##1_pc(void* p, void* pc); \
  void __tsan_##kind##2_pc(void* p, void* pc); \
  void __tsan_##kind##4_pc(void* p, void* pc); \
  void __tsan_##kind##8_pc(void* p, void* pc); \
  void __tsan_##kind##16_pc(void* p, void* pc);
extern "C" {
OMEN_OF_SIZE(read)
OMEN_OF_SIZE(write)
OMEN_OF_SIZE(read_write)
void __tsan_read_range_pc(void* p, unsigned long bytes, void* pc);
void __tsan_write_range_pc(void* p, unsigned long bytes, void* pc);
}

namespace {

struct Reads {
  static constexpr void (*kOfSize[])(void*, void*) = {__tsan_read1_pc, __tsan_read2_pc, __tsan_read4_pc,
                                                      __tsan_read8_pc, __tsan_read16_pc};
  static void record(void* p, u64 length, void* pc) { __tsan_read_range_pc(p, length, pc); }
};
struct Writes {
  static constexpr void (*kOfSize[])(void*, void*) = {__tsan_write1_pc, __tsan_write2_pc, __tsan_write4_pc,
                                                      __tsan_write8_pc, __tsan_write16_pc};
  static void record(void* p, u64 length, void* pc) { __tsan_write_range_pc(p, length, pc); }
};
struct ReadsAndWrites {
  static constexpr void (*kOfSize[])(void*, void*) = {__tsan_read_write1_pc, __tsan_read_write2_pc,
                                                      __tsan_read_write4_pc, __tsan_read_write8_pc,
                                                      __tsan_read_write16_pc};
  static void record(void* p, u64 length, void* pc) {
    __tsan_read_range_pc(p, length, pc);
    __tsan_write_range_pc(p, length, pc);
  }
};

/// Nobody is there with whom it could race.
OMEN_INLINE bool is_alone() {
  const ThreadState* const thread = current_thread;
  return thread == nullptr || thread->watch == ThreadState::Watch::Alone;
}

/// In pieces, none of which lies in more cells than a single access of the program does: two cells, one, or a part of
/// one. That is the way on which repetitions and reads of several threads are decided soonest.
template <class Accesses>
OMEN_INLINE void pieces(uptr at, uptr end, void* pc) {
  const auto smaller = [&] {
    u32 log = at % 8 == 0 ? 3 : static_cast<u32>(__builtin_ctzll(at));
    while (at + (u64{1} << log) > end) --log;
    Accesses::kOfSize[log](reinterpret_cast<void*>(at), pc);
    at += u64{1} << log;
  };
  while (at < end && at % 8 != 0) smaller();
  for (; at + 16 <= end; at += 16) Accesses::kOfSize[4](reinterpret_cast<void*>(at), pc);
  while (at < end) smaller();
}

template <class Accesses>
OMEN_INLINE void bytes(void* base, u64 mask, void* pc) {
  if (is_alone()) return;
  for (uptr at = reinterpret_cast<uptr>(base); mask != 0;) {
    const int skipped = __builtin_ctzll(mask);
    mask >>= skipped;
    at += static_cast<u32>(skipped);
    const u32 run = ~mask == 0 ? 64 : static_cast<u32>(__builtin_ctzll(~mask));
    pieces<Accesses>(at, at + run, pc);
    mask = run == 64 ? 0 : mask >> run;
    at += run;
  }
}

template <class Accesses>
OMEN_INLINE void range(void* p, u64 length, void* pc) {
  if (is_alone()) return;
  if (!online::online.on() || recorder.recording()) return Accesses::record(p, length, pc);
  pieces<Accesses>(reinterpret_cast<uptr>(p), reinterpret_cast<uptr>(p) + length, pc);
}

}  // namespace

// Bit i of the mask is set: the byte base + i is accessed.
OMEN_ABI void __omen_read_bytes(void* base, unsigned long mask) {
  bytes<Reads>(base, mask, OMEN_CALLER);
}
OMEN_ABI void __omen_write_bytes(void* base, unsigned long mask) {
  bytes<Writes>(base, mask, OMEN_CALLER);
}

OMEN_ABI void __omen_read_range(void* p, unsigned long length) {
  range<Reads>(p, length, OMEN_CALLER);
}
OMEN_ABI void __omen_write_range(void* p, unsigned long length) {
  range<Writes>(p, length, OMEN_CALLER);
}
OMEN_ABI void __omen_read_write_range(void* p, unsigned long length) {
  range<ReadsAndWrites>(p, length, OMEN_CALLER);
}

/// The program will access this soon.
OMEN_ABI void __omen_prefetch(const void*) {}
