/// \file
/// What the compiler calls at function entry and exit and before each plain access (the `__tsan_*` ABI of GCC and
/// clang). The fast path is a look at the memory's cell, or into the thread's filter.
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/online/line_access.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"
#include "capture/runtime/start.hpp"

using namespace omen::rt;
using namespace omen::rt::online;

#define OMEN_ABI extern "C" __attribute__((visibility("default")))
/// Another sanitizer's runtime may be there and have it too.
#define OMEN_WEAK_ABI extern "C" __attribute__((visibility("default"), weak))
#define OMEN_CALLER reinterpret_cast<uptr>(__builtin_return_address(0))

namespace {

/// What is not decided by a look at the cell.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_further(uptr address, uptr pc) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  if (OMEN_LIKELY(thread->watch == ThreadState::Watch::Yes)) {
    online::online.access(thread, address, bytes, write, pc);
  } else if (OMEN_LIKELY(thread->watch == ThreadState::Watch::No)) {
    recorder.access(thread, address, bytes, write, pc);
  }
}

/// The same of cells that are open.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_cells_further(uptr address, uptr pc) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(!is_quick(thread) || thread->planes == nullptr)) return access_further<bytes, write>(address, pc);
  online::online.access_in_cells(thread, address, bytes, write, pc);
}

// What follows is made of pieces that end in a call of the next one, with the same arguments: none of them needs a
// frame of its own, and each is what most accesses that come so far need.

/// The first access of a function: from now on its frame has a node.
template <u32 bytes, bool write, void next(uptr, uptr)>
OMEN_NOINLINE void access_in_new_frame(uptr address, uptr pc) {
  if (!recorder.give_node_to_frame(current_thread)) return access_further<bytes, write>(address, pc);
  next(address, pc);
}

/// What is no repetition, of memory that others read too.
template <u32 bytes>
OMEN_NOINLINE void read_in_plane_anew(uptr address, uptr pc) {
  const First done = read_first_in_plane<bytes>(current_thread, address, pc);
  if (done == First::Done) return;
  if (done == First::NewFrame) return access_in_new_frame<bytes, false, read_in_plane_anew<bytes>>(address, pc);
  access_cells_further<bytes, false>(address, pc);
}

template <u32 bytes, bool write>
void access_in_cells(uptr address, uptr pc);

/// What is no repetition, in one cell or in two that are open.
template <u32 bytes, bool write, bool in_two>
OMEN_NOINLINE void access_cells_anew(uptr address, uptr pc, Cell* cell) {
  const First done = in_two ? access_first_across<bytes, write>(current_thread, cell, address, pc)
                            : access_first<bytes, write>(current_thread, *cell, address, pc);
  switch (done) {
    case First::Done:
      return;
    case First::NewFrame:
      return access_in_new_frame<bytes, write, access_in_cells<bytes, write>>(address, pc);
    case First::Shared:
      return read_in_plane_anew<bytes>(address, pc);
    case First::InCells:
    case First::Other:
      return access_cells_further<bytes, write>(address, pc);
  }
}

/// In cells of a line that are open.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_in_cells(uptr address, uptr pc) {
  const u64 wanted = bytes_at(address % kCellBytes, bytes);
  Cell* const cell = ShadowMap::find(address);
  if (OMEN_UNLIKELY(cell == nullptr || wanted > 0xffff)) return access_further<bytes, write>(address, pc);
  if (wanted > kBytes) {
    const u64 in_line = line_bytes_at(address % kLineSize, bytes);
    if (OMEN_UNLIKELY((in_line & ~LineMap::find(address)->opened()) != 0)) {
      return access_further<bytes, write>(address, pc);
    }
    if (!is_repeated_in_two<write>(cell, wanted)) access_cells_anew<bytes, write, true>(address, pc, cell);
  } else {
    if (!is_repeated<write>(*cell, wanted)) access_cells_anew<bytes, write, false>(address, pc, cell);
  }
}

/// A read that is no repetition, of a line that others read too.
template <u32 bytes>
OMEN_NOINLINE void read_in_line_plane_anew(uptr address, uptr pc) {
  const First done = read_first_in_line_plane<bytes>(current_thread, address, pc);
  if (done == First::Done) return;
  if (done == First::NewFrame) return access_in_new_frame<bytes, false, read_in_line_plane_anew<bytes>>(address, pc);
  access_further<bytes, false>(address, pc);
}

/// What is not that simple, in one line.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_line_anew(uptr address, uptr pc) {
  switch (access_first_in_line<bytes, write>(current_thread, address, pc)) {
    case First::Done:
      return;
    case First::InCells:
      return access_in_cells<bytes, write>(address, pc);
    case First::NewFrame:
      return access_in_new_frame<bytes, write, access_line_anew<bytes, write>>(address, pc);
    case First::Shared:
      return read_in_line_plane_anew<bytes>(address, pc);
    case First::Other:
      return access_further<bytes, write>(address, pc);
  }
}

/// An access that does not lie in one line.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_across(uptr address, uptr pc) {
  const Line* const lines = LineMap::find(address);
  const u32 first = kLineSize - address % kLineSize;  // how many bytes are in the first line
  if (OMEN_LIKELY(lines != nullptr && address % kRegion + bytes <= kRegion) &&
      is_repeated_in_line<write>(lines[0], current_cell_now, line_bytes_at(kLineSize - first, first)) &&
      is_repeated_in_line<write>(lines[1], current_cell_now, line_bytes_at(0, bytes - first))) {
    return;
  }
  access_further<bytes, write>(address, pc);
}

template <u32 bytes, bool write>
void access_line(uptr address, uptr pc);

/// What is no repetition. `line` is that of the address.
template <u32 bytes, bool write>
OMEN_NOINLINE void access_anew(uptr address, uptr pc, Line* line) {
  if (bytes > 1 && OMEN_UNLIKELY(address % kLineSize + bytes > kLineSize)) {
    return access_across<bytes, write>(address, pc);
  }
  const u64 wanted = line_bytes_at(address % kLineSize, bytes);
  if (line->is_open(wanted)) return access_in_cells<bytes, write>(address, pc);
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(!is_quick(thread))) return access_further<bytes, write>(address, pc);
  const OnlineThread& state = *thread->online;
  const auto log = [&] { return log_first(thread, state, address, bytes, write, pc); };
  switch (access_own_line<write>(state, *line, wanted, log)) {
    case First::Done:
      return;
    case First::NewFrame:
      return access_in_new_frame<bytes, write, access_line<bytes, write>>(address, pc);
    case First::Shared:
      return read_in_line_plane_anew<bytes>(address, pc);
    case First::InCells:
    case First::Other:
      return access_line_anew<bytes, write>(address, pc);
  }
}

/// As far as a look at the line tells.
template <u32 bytes, bool write>
OMEN_INLINE void access_line(uptr address, uptr pc) {
  Line* const line = LineMap::find(address);
  if (OMEN_UNLIKELY(line == nullptr)) return access_further<bytes, write>(address, pc);
  if (is_repeated_in_line<write>(*line, current_cell_now, line_bytes_at(address % kLineSize, bytes))) return;
  access_anew<bytes, write>(address, pc, line);
}

/// A read at a place where the thread's last one was in one of its planes.
template <u32 bytes>
OMEN_NOINLINE void read_together(uptr address, uptr pc) {
  if (OMEN_LIKELY(shared_site(pc) == kInLinePlane)) {
    const LinePlanes::Word* const mine = LinePlanes::find(current_line_planes, address);
    if (mine != nullptr && mine->word.has(current_cell_now, line_bytes_at(address % kLineSize, bytes))) return;
  } else {
    const u64 wanted = bytes_at(address % kCellBytes, bytes);
    if (wanted <= 0xffff && is_read_together(address, wanted)) return;
  }
  shared_site(pc) = 0;
  access_line<bytes, false>(address, pc);
}

/// Nearly all that a watched program does is a repetition: this is as short as it can be. What is said to be aligned
/// and is not is looked at as a whole when its first line is not a repetition.
template <u32 bytes, bool write, bool aligned = true>
OMEN_INLINE void access(const void* p, uptr pc) {
  const uptr address = reinterpret_cast<uptr>(p);
  if ((!aligned || bytes > kCellBytes) && OMEN_UNLIKELY(address % kLineSize + bytes > kLineSize)) {
    return access_across<bytes, write>(address, pc);
  }
  if (!write && shared_site(pc) != 0) return read_together<bytes>(address, pc);
  access_line<bytes, write>(address, pc);
}

OMEN_INLINE void range(const void* address, u64 bytes, bool write, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  recorder.range(thread, reinterpret_cast<uptr>(address), bytes, write, pc);
}

}  // namespace

OMEN_ABI void __tsan_init() {
  start_runtime();
  look_at_modules(OMEN_CALLER);
}

OMEN_ABI void __tsan_func_entry(void* pc) {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  thread->stack.enter(reinterpret_cast<uptr>(pc), reinterpret_cast<uptr>(__builtin_frame_address(0)));
}

OMEN_ABI void __tsan_func_exit() {
  ThreadState* const thread = current_thread;
  if (OMEN_UNLIKELY(thread == nullptr)) return;
  thread->stack.leave(reinterpret_cast<uptr>(__builtin_frame_address(0)));
}

// Clang asks not to see a region of code (`-fsanitize-ignorelist`, Objective-C runtime): such accesses are dropped.
OMEN_ABI void __tsan_ignore_thread_begin() {
  if (ThreadState* const thread = current_thread) ++thread->ignore_access;
}
OMEN_ABI void __tsan_ignore_thread_end() {
  ThreadState* const thread = current_thread;
  if (thread != nullptr && thread->ignore_access > 0) --thread->ignore_access;
}

// A compound access reads, then writes, the same memory. Both are recorded: what was read decides which schedules are
// possible.
template <u32 bytes, bool aligned = true>
OMEN_INLINE void read_and_write(void* p, uptr pc) {
  if (online::online.on() && !recorder.recording()) return access<bytes, true, aligned>(p, pc);
  access<bytes, false, aligned>(p, pc);
  access<bytes, true, aligned>(p, pc);
}

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

// The sanitizers' common interface for code that loads and stores unaligned data by hand.
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

// Constructors and destructors set an object's class. Setting what is there already changes nothing and is no access.
OMEN_ABI void __tsan_vptr_update(void** vptr, void* value) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || *vptr == value) return;
  const uptr address = reinterpret_cast<uptr>(vptr);
  if (online::online.on()) {
    online::online.access_slowly(thread, address, 8, online::Did::VptrWrite, OMEN_CALLER);
    return;
  }
  const u64 bytes = u64{0xff} << (address % kLineBytes);
  recorder.access_in_line(thread, line_of(address), bytes, omen::raw::RawOp::VptrWrite, OMEN_CALLER);
}
OMEN_ABI void __tsan_vptr_read(void** vptr) {
  access<8, false>(static_cast<void*>(vptr), OMEN_CALLER);
}
