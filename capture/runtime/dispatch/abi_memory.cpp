/// \file
/// The functions that the compiler calls at function entry and exit and before each plain access (the `__tsan_*` ABI of
/// GCC and clang). Under the online detector the fast path checks the memory's shadow line (detector/fast_path.hpp); a
/// run that is only recorded goes to the recorder.
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/fast_path.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

using namespace omen::rt;
using namespace omen::rt::detect;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
/// The runtime of another sanitizer may be linked and define these too.
#define OMEN_WEAK_ABI extern "C" __attribute__((visibility("default"), weak))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

namespace {

/// The slow path: accesses that the shadow line does not decide.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_slowly(uptr address, uptr pc) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  if (OMEN_LIKELY(thread->watch == ThreadState::Watch::Yes)) {
    detector.access(thread, address, bytes, write ? LogKind::Write : LogKind::Read, pc);
  } else if (OMEN_LIKELY(thread->watch == ThreadState::Watch::No)) {
    recorder.access(thread, address, bytes, write, pc);
  } else if (thread->watch == ThreadState::Watch::Scheduled) {
    schedule::access(thread, address, bytes, write, pc);
  }
}

// The functions below end in a tail call of the next one with the same arguments, so that none needs a stack frame.
// Each handles what most accesses that reach it need.

/// The first access of a function: gives the function's frame its stack node.
template <u32 bytes, bool write, void next(uptr, uptr)>
OMEN_NOINLINE void access_in_new_frame(uptr address, uptr pc) {
  if (!recorder.give_node_to_frame(current_thread)) return access_slowly<bytes, write>(address, pc);
  next(address, pc);
}

/// A read that is not a repetition, of a line that other threads read too.
template <u32 bytes>
OMEN_NOINLINE void read_shared_line(uptr address, uptr pc) {
  ThreadState* const thread = current_thread;
  const auto log = [&] { return log_access(thread, *thread->detector, address, bytes, false, pc); };
  const Fast done = read_shared(thread, *ShadowMap::find(address), address & ~(kLineSize - 1),
                                ByteSet::run(address % kLineSize, bytes), pc, log);
  if (OMEN_LIKELY(done == Fast::Done)) return;
  if (done == Fast::NewFrame) return access_in_new_frame<bytes, false, read_shared_line<bytes>>(address, pc);
  access_slowly<bytes, false>(address, pc);
}

/// Case Ordered.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_ordered_line(uptr address, uptr pc) {
  ThreadState* const thread = current_thread;
  DetectorThread& t = *thread->detector;
  const auto log = [&] { return log_access(thread, t, address, bytes, write, pc); };
  switch (access_ordered<write>(t, *ShadowMap::find(address), address & ~(kLineSize - 1),
                                ByteSet::run(address % kLineSize, bytes), detector.shadow(), log)) {
    case Fast::Done:
      return;
    case Fast::NewFrame:
      return access_in_new_frame<bytes, write, access_ordered_line<bytes, write>>(address, pc);
    case Fast::Shared:
      return read_shared_line<bytes>(address, pc);
    case Fast::Slow:
      return access_slowly<bytes, write>(address, pc);
  }
}

/// An access that crosses the end of a line.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_across(uptr address, uptr pc) {
  const ShadowLine* const lines = ShadowMap::find(address);
  const u32 first = kLineSize - address % kLineSize;  // the number of bytes in the first line
  const Word now = Word::of_bits(current_cell_now);
  if (OMEN_LIKELY(lines != nullptr && address % kRegion + bytes <= kRegion) &&
      is_repeated<write>(lines[0], now, ByteSet::run(kLineSize - first, first)) &&
      is_repeated<write>(lines[1], now, ByteSet::run(0, bytes - first))) {
    return;
  }
  access_slowly<bytes, write>(address, pc);
}

/// A line whose groups of bytes have separate words.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_split_line(uptr address, uptr pc) {
  ThreadState* const thread = current_thread;
  const auto log = [&] { return log_access(thread, *thread->detector, address, bytes, write, pc); };
  switch (access_split<write>(thread, *ShadowMap::find(address), address & ~(kLineSize - 1),
                              ByteSet::run(address % kLineSize, bytes), pc, log)) {
    case Fast::Done:
      return;
    case Fast::NewFrame:
      return access_in_new_frame<bytes, write, access_split_line<bytes, write>>(address, pc);
    case Fast::Shared:
      return read_shared_line<bytes>(address, pc);
    case Fast::Slow:
      return access_slowly<bytes, write>(address, pc);
  }
}

template <u32 bytes, bool write>
void access_line(uptr address, uptr pc);

/// An access that is not a repetition: case Own. `line` is the line of the address.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_own_line(uptr address, uptr pc, ShadowLine* line) {
  if (bytes > 1 && OMEN_UNLIKELY(address % kLineSize + bytes > kLineSize)) {
    return access_across<bytes, write>(address, pc);
  }
  const ByteSet wanted = ByteSet::run(address % kLineSize, bytes);
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(!line->is_plain(wanted) || !is_quick(thread))) return access_slowly<bytes, write>(address, pc);
  if (OMEN_UNLIKELY(line->is_split())) return access_split_line<bytes, write>(address, pc);
  const DetectorThread& t = *thread->detector;
  const auto log = [&] { return log_access(thread, t, address, bytes, write, pc); };
  switch (access_own<write>(t, *line, wanted, log)) {
    case Fast::Done:
      return;
    case Fast::NewFrame:
      return access_in_new_frame<bytes, write, access_line<bytes, write>>(address, pc);
    case Fast::Shared:
      return read_shared_line<bytes>(address, pc);
    case Fast::Slow:
      return access_ordered_line<bytes, write>(address, pc);
  }
}

/// Decides the access from the shadow line, if possible.
template <u32 bytes, bool write>
OMEN_INLINE void access_line(uptr address, uptr pc) {
  ShadowLine* const line = ShadowMap::find(address);
  if (OMEN_UNLIKELY(line == nullptr)) return access_slowly<bytes, write>(address, pc);
  if (is_repeated<write>(*line, Word::of_bits(current_cell_now), ByteSet::run(address % kLineSize, bytes))) return;
  access_own_line<bytes, write>(address, pc, line);
}

/// A read at a code location whose previous read was found in the thread's own table.
template <u32 bytes>
OMEN_NOINLINE void read_own_table(uptr address, uptr pc) {
  const ReadWord* const mine = ThreadReads::find(current_thread_reads, address);
  if (mine != nullptr && mine->word.has(Word::of_bits(current_cell_now), ByteSet::run(address % kLineSize, bytes))) {
    return;
  }
  shared_site(pc) = 0;
  access_line<bytes, false>(address, pc);
}

/// Nearly all accesses are repetitions, so this path is as short as possible. An access whose declared alignment is
/// wrong is checked as a whole if its first line does not show a repetition.
template <u32 bytes, bool write, bool aligned = true>
OMEN_INLINE void access(const void* p, uptr pc) {
  const uptr address = reinterpret_cast<uptr>(p);
  if ((!aligned || bytes > 8) && OMEN_UNLIKELY(address % kLineSize + bytes > kLineSize)) {
    return access_across<bytes, write>(address, pc);
  }
  if (!write && shared_site(pc) != 0) return read_own_table<bytes>(address, pc);
  access_line<bytes, write>(address, pc);
}

OMEN_INLINE void range(const void* address, u64 bytes, bool write, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  recorder.range(thread, reinterpret_cast<uptr>(address), bytes, write, pc);
}

}  // namespace

OMEN_ABI void __tsan_func_entry(void* pc) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  thread->stack.enter(reinterpret_cast<uptr>(pc), reinterpret_cast<uptr>(__builtin_frame_address(0)));
}

OMEN_ABI void __tsan_func_exit() {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  thread->stack.leave(reinterpret_cast<uptr>(__builtin_frame_address(0)), OMEN_CALLER);
}

// Clang requests to ignore a region of code (`-fsanitize-ignorelist`, Objective-C runtime): its accesses are dropped.
OMEN_ABI void __tsan_ignore_thread_begin() {
  if (ThreadState* const thread = current_thread) ++thread->ignore_access;
}
OMEN_ABI void __tsan_ignore_thread_end() {
  ThreadState* const thread = current_thread;
  if (thread != nullptr && thread->ignore_access > 0) --thread->ignore_access;
}

// A compound access reads, then writes, the same memory. Both are recorded: the value read decides which schedules are
// possible.
template <u32 bytes, bool aligned = true>
OMEN_INLINE void read_and_write(void* p, uptr pc) {
  if (detector.on() && !recorder.recording()) return access<bytes, true, aligned>(p, pc);
  access<bytes, false, aligned>(p, pc);
  access<bytes, true, aligned>(p, pc);
}

/// An update: the value read goes into the value written, and nowhere else (capture/pass/updates.hpp).
template <u32 bytes>
OMEN_INLINE void update(void* p, uptr pc) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  if (OMEN_LIKELY(thread->watch == ThreadState::Watch::No)) {
    return recorder.update(thread, reinterpret_cast<uptr>(p), bytes, pc);
  }
  read_and_write<bytes, false>(p, pc);
}

#define OMEN_UPDATE(bytes)                           \
  OMEN_ABI void __omen_read_update##bytes(void* p) { \
    update<bytes>(p, OMEN_CALLER);                   \
  }
OMEN_UPDATE(1)
OMEN_UPDATE(2)
OMEN_UPDATE(4)
OMEN_UPDATE(8)

#define OMEN_ACCESS(bytes)                                         \
  OMEN_ABI void __tsan_read##bytes(void* p) {                      \
    access<bytes, false>(p, OMEN_CALLER);                          \
  }                                                                \
  OMEN_ABI void __tsan_write##bytes(void* p) {                     \
    access<bytes, true>(p, OMEN_CALLER);                           \
  }                                                                \
  OMEN_ABI void __tsan_read_write##bytes(void* p) {                \
    read_and_write<bytes>(p, OMEN_CALLER);                         \
  }                                                                \
  OMEN_ABI void __tsan_volatile_read##bytes(void* p) {             \
    access<bytes, false>(p, OMEN_CALLER);                          \
  }                                                                \
  OMEN_ABI void __tsan_volatile_write##bytes(void* p) {            \
    access<bytes, true>(p, OMEN_CALLER);                           \
  }                                                                \
  OMEN_ABI void __tsan_read##bytes##_pc(void* p, void* pc) {       \
    access<bytes, false>(p, reinterpret_cast<uptr>(pc));           \
  }                                                                \
  OMEN_ABI void __tsan_write##bytes##_pc(void* p, void* pc) {      \
    access<bytes, true>(p, reinterpret_cast<uptr>(pc));            \
  }                                                                \
  OMEN_ABI void __tsan_read_write##bytes##_pc(void* p, void* pc) { \
    read_and_write<bytes>(p, reinterpret_cast<uptr>(pc));          \
  }

OMEN_ACCESS(1)
OMEN_ACCESS(2)
OMEN_ACCESS(4)
OMEN_ACCESS(8)
OMEN_ACCESS(16)

#define OMEN_UNALIGNED(bytes)                                          \
  OMEN_ABI void __tsan_unaligned_read##bytes(const void* p) {          \
    access<bytes, false, false>(p, OMEN_CALLER);                       \
  }                                                                    \
  OMEN_ABI void __tsan_unaligned_write##bytes(void* p) {               \
    access<bytes, true, false>(p, OMEN_CALLER);                        \
  }                                                                    \
  OMEN_ABI void __tsan_unaligned_read_write##bytes(void* p) {          \
    read_and_write<bytes, false>(p, OMEN_CALLER);                      \
  }                                                                    \
  OMEN_ABI void __tsan_unaligned_volatile_read##bytes(const void* p) { \
    access<bytes, false, false>(p, OMEN_CALLER);                       \
  }                                                                    \
  OMEN_ABI void __tsan_unaligned_volatile_write##bytes(void* p) {      \
    access<bytes, true, false>(p, OMEN_CALLER);                        \
  }

OMEN_UNALIGNED(2)
OMEN_UNALIGNED(4)
OMEN_UNALIGNED(8)
OMEN_UNALIGNED(16)

// The sanitizers' common interface for code that loads and stores unaligned data explicitly.
OMEN_WEAK_ABI u16 __sanitizer_unaligned_load16(const void* p) {
  access<2, false, false>(p, OMEN_CALLER);
  u16 value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
OMEN_WEAK_ABI u32 __sanitizer_unaligned_load32(const void* p) {
  access<4, false, false>(p, OMEN_CALLER);
  u32 value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
OMEN_WEAK_ABI u64 __sanitizer_unaligned_load64(const void* p) {
  access<8, false, false>(p, OMEN_CALLER);
  u64 value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
}
OMEN_WEAK_ABI void __sanitizer_unaligned_store16(void* p, u16 value) {
  access<2, true, false>(p, OMEN_CALLER);
  __builtin_memcpy(p, &value, sizeof value);
}
OMEN_WEAK_ABI void __sanitizer_unaligned_store32(void* p, u32 value) {
  access<4, true, false>(p, OMEN_CALLER);
  __builtin_memcpy(p, &value, sizeof value);
}
OMEN_WEAK_ABI void __sanitizer_unaligned_store64(void* p, u64 value) {
  access<8, true, false>(p, OMEN_CALLER);
  __builtin_memcpy(p, &value, sizeof value);
}

OMEN_ABI void __tsan_read_range(void* p, unsigned long bytes) {
  range(p, bytes, false, OMEN_CALLER);
}
OMEN_ABI void __tsan_write_range(void* p, unsigned long bytes) {
  range(p, bytes, true, OMEN_CALLER);
}
OMEN_ABI void __tsan_read_range_pc(void* p, unsigned long bytes, void* pc) {
  range(p, bytes, false, reinterpret_cast<uptr>(pc));
}
OMEN_ABI void __tsan_write_range_pc(void* p, unsigned long bytes, void* pc) {
  range(p, bytes, true, reinterpret_cast<uptr>(pc));
}

// Constructors and destructors set an object's class. Storing the value that is already there changes nothing, and is
// not an access.
OMEN_ABI void __tsan_vptr_update(void** vptr, void* value) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || *vptr == value) return;
  const uptr address = reinterpret_cast<uptr>(vptr);
  if (schedule::leads()) return schedule::access(thread, address, 8, true, OMEN_CALLER);
  if (detector.on()) {
    detector.access(thread, address, 8, LogKind::VptrWrite, OMEN_CALLER);
    return;
  }
  const u64 bytes = u64{0xff} << (address % kLineBytes);
  recorder.access_in_line<omen::raw::RawOp::VptrWrite>(thread, line_of(address), bytes, OMEN_CALLER);
}
OMEN_ABI void __tsan_vptr_read(void** vptr) {
  access<8, false>(static_cast<void*>(vptr), OMEN_CALLER);
}
