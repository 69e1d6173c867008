/// \file
/// What the compiler calls where checks were placed (capture/pass): checks of several accesses of one line at once.
/// They mean what the
/// `__tsan_*` calls would have meant in whose place they stand, with the place in the program of this one.
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

using namespace omen::rt;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
#define OMEN_CALLER __builtin_return_address(0)

extern "C" {
void __tsan_read1_pc(void* p, void* pc);
void __tsan_read2_pc(void* p, void* pc);
void __tsan_read4_pc(void* p, void* pc);
void __tsan_read8_pc(void* p, void* pc);
void __tsan_write1_pc(void* p, void* pc);
void __tsan_write2_pc(void* p, void* pc);
void __tsan_write4_pc(void* p, void* pc);
void __tsan_write8_pc(void* p, void* pc);
void __tsan_read_range_pc(void* p, unsigned long bytes, void* pc);
void __tsan_write_range_pc(void* p, unsigned long bytes, void* pc);
}

namespace {

using OfSize = void (*)(void*, void*);

/// Each run of bytes in pieces of 8, 4, 2 and 1: as few as there can be, none of them larger than a cell.
OMEN_INLINE void bytes(void* base, u64 mask, void* pc, const OfSize (&of_size)[4]) {
  char* at = static_cast<char*>(base);
  while (mask != 0) {
    const int skipped = __builtin_ctzll(mask);
    mask >>= skipped;
    at += skipped;
    u32 log = 3;
    while (log > 0 && (mask & ((u64{1} << (1u << log)) - 1)) != (u64{1} << (1u << log)) - 1) --log;
    of_size[log](at, pc);
    mask >>= 1u << log;
    at += 1u << log;
  }
}

}  // namespace

/// Bit i of `mask` is set: the byte base + i is read.
OMEN_ABI void __omen_read_bytes(void* base, unsigned long mask) {
  bytes(base, mask, OMEN_CALLER, {__tsan_read1_pc, __tsan_read2_pc, __tsan_read4_pc, __tsan_read8_pc});
}

OMEN_ABI void __omen_write_bytes(void* base, unsigned long mask) {
  bytes(base, mask, OMEN_CALLER, {__tsan_write1_pc, __tsan_write2_pc, __tsan_write4_pc, __tsan_write8_pc});
}

/// Compound accesses, as `__tsan_read_write4` is one. For the detector in the running program a write is all there is
/// to know.
OMEN_ABI void __omen_read_write_range(void* p, unsigned long length) {
  if (!online::online.on() || recorder.recording()) __tsan_read_range_pc(p, length, OMEN_CALLER);
  __tsan_write_range_pc(p, length, OMEN_CALLER);
}

/// The program will access this soon.
OMEN_ABI void __omen_prefetch(const void*) {}
