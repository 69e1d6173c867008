/// \file
/// The heap and mappings. An allocation begins a new life of the block's memory. A free ends it with a write, which
/// races with every use that is not ordered before it. Accesses that the C library makes for itself are not recorded
/// (c_library.hpp).
#include "capture/runtime/dispatch/heap_hooks.hpp"
#include "capture/runtime/foreign/allocation_sites.hpp"
#include "capture/runtime/foreign/c_library.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

/// A caller of this function may use the room beyond the requested size.
OMEN_INTERCEPT(std::size_t, malloc_usable_size, (void* block)) {
  const std::size_t bytes = OMEN_REAL(malloc_usable_size)(block);
  if (ThreadState* const thread = block == nullptr ? nullptr : recording_thread()) {
    recorder.note(thread, RawOp::Room, reinterpret_cast<uptr>(block), bytes, OMEN_CALLER);
  }
  return bytes;
}

namespace {

/// For allocations of the loader while the runtime looks up `malloc` itself. Never freed.
alignas(16) char early_memory[64U << 10];
std::atomic<std::size_t> early_used{0};
thread_local u32 looking_up __attribute__((tls_model("initial-exec"))) = 0;

bool is_early(const void* block) {
  return block >= early_memory && block < early_memory + sizeof early_memory;
}

void* early_allocate(std::size_t bytes) {
  const std::size_t at = early_used.fetch_add((bytes + 31) & ~std::size_t{15});
  if (at + bytes + 16 > sizeof early_memory) return nullptr;
  *reinterpret_cast<std::size_t*>(early_memory + at) = bytes;
  return early_memory + at + 16;
}
std::size_t early_size(const void* block) {
  return *reinterpret_cast<const std::size_t*>(static_cast<const char*>(block) - 16);
}

template <class Function>
Function* real_or_null(Real<Function>& real) {
  if (OMEN_UNLIKELY(real.found.load(std::memory_order_relaxed) == nullptr)) {
    if (looking_up != 0) return nullptr;
    ++looking_up;
    real.get();
    --looking_up;
  }
  return real.get();
}

void record_allocation(void* block, std::size_t bytes, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    const RawOp op = is_for_library(*thread, pc) ? RawOp::AllocateUnwritten : RawOp::Allocate;
    recorder.memory(thread, op, reinterpret_cast<uptr>(block), bytes == 0 ? 1 : bytes, pc);
  }
}
void allocated(void* block, std::size_t bytes, uptr pc) {
  if (block == nullptr) return;
  record_allocation(block, bytes, pc);
  heap_block_begins(block, bytes);
}

void record_free(void* block, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    const std::size_t bytes = OMEN_REAL(malloc_usable_size)(block);
    const RawOp op = is_for_library(*thread, pc) ? RawOp::Renew : RawOp::Free;
    recorder.memory(thread, op, reinterpret_cast<uptr>(block), bytes, pc);
  }
}

/// Puts a small block into quarantine; returns the block to free in its place.
void* keep(ThreadState* thread, void* block) {
  if (OMEN_REAL(malloc_usable_size)(block) > ThreadState::kKeptBytes) return block;
  void*& place = thread->kept[thread->kept_next++ % ThreadState::kKept];
  void* const oldest = place;
  place = block;
  return oldest;
}

}  // namespace

OMEN_INTERCEPT(void*, malloc, (std::size_t bytes)) {
  const uptr pc = allocation_place(OMEN_CALLER);
  auto* const real = real_or_null(omen_real_malloc);
  if (real == nullptr) return early_allocate(bytes);
  void* const block = real(bytes);
  allocated(block, bytes, pc);
  return block;
}

OMEN_INTERCEPT(void*, calloc, (std::size_t count, std::size_t bytes)) {
  auto* const real = real_or_null(omen_real_calloc);
  if (real == nullptr) return early_allocate(count * bytes);  // the memory is zero
  void* const block = real(count, bytes);
  allocated(block, count * bytes, OMEN_CALLER);
  return block;
}

OMEN_INTERCEPT(void, free, (void* block)) {
  if (block == nullptr || is_early(block)) return;
  if (OMEN_UNLIKELY(looking_up != 0) && omen_real_free.found.load(std::memory_order_relaxed) == nullptr) return;
  if (!heap_block_ends(block)) return;
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) {
    OMEN_REAL(free)(block);
    return;
  }
  record_free(block, OMEN_CALLER);
  const Busy busy(thread);
  OMEN_REAL(free)(keep(thread, block));
}

namespace omen::rt {
void free_kept_blocks(ThreadState* thread) {
  const Busy busy(thread);
  for (void*& block : thread->kept) {
    if (block != nullptr) OMEN_REAL(free)(block);
    block = nullptr;
  }
}
}  // namespace omen::rt

namespace {
/// The old block no longer exists when the call returns, and may already belong to another thread, so its end is
/// reported before the call. If the call fails the block continues as a new one.
template <class Reallocate>
void* reallocated(void* block, std::size_t bytes, uptr pc, Reallocate reallocate) {
  if (block != nullptr) {
    if (!heap_block_ends(block)) {
      void* const copy = __omen_intercept_malloc(bytes);
      const std::size_t old = OMEN_REAL(malloc_usable_size)(block);
      if (copy != nullptr) copy_bytes(copy, block, old < bytes ? old : bytes);
      return copy;
    }
    record_free(block, pc);
  }
  void* const moved = reallocate();
  if (moved != nullptr) {
    allocated(moved, bytes, pc);
  } else if (block != nullptr && bytes != 0) {
    record_allocation(block, OMEN_REAL(malloc_usable_size)(block), pc);
    heap_block_goes_on(block);
  }
  return moved;
}
}  // namespace

OMEN_INTERCEPT(void*, realloc, (void* block, std::size_t bytes)) {
  if (is_early(block)) {
    void* const moved = __omen_intercept_malloc(bytes);
    const std::size_t old = early_size(block);
    if (moved != nullptr) copy_bytes(moved, block, old < bytes ? old : bytes);
    return moved;
  }
  return reallocated(block, bytes, OMEN_CALLER, [&] { return OMEN_REAL(realloc)(block, bytes); });
}

OMEN_INTERCEPT(void*, reallocarray, (void* block, std::size_t count, std::size_t bytes)) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) all = ~std::size_t{0};  // which fails
  return reallocated(block, all, OMEN_CALLER, [&] { return OMEN_REAL(reallocarray)(block, count, bytes); });
}

OMEN_INTERCEPT(void*, memalign, (std::size_t alignment, std::size_t bytes)) {
  void* const block = OMEN_REAL(memalign)(alignment, bytes);
  allocated(block, bytes, OMEN_CALLER);
  return block;
}
OMEN_INTERCEPT(void*, aligned_alloc, (std::size_t alignment, std::size_t bytes)) {
  const uptr pc = allocation_place(OMEN_CALLER);
  void* const block = OMEN_REAL(aligned_alloc)(alignment, bytes);
  allocated(block, bytes, pc);
  return block;
}
OMEN_INTERCEPT(int, posix_memalign, (void** block, std::size_t alignment, std::size_t bytes)) {
  const uptr pc = allocation_place(OMEN_CALLER);
  const int result = OMEN_REAL(posix_memalign)(block, alignment, bytes);
  if (result == 0) allocated(*block, bytes, pc);
  return result;
}
OMEN_INTERCEPT(void*, valloc, (std::size_t bytes)) {
  void* const block = OMEN_REAL(valloc)(bytes);
  allocated(block, bytes, OMEN_CALLER);
  return block;
}
OMEN_INTERCEPT(void*, pvalloc, (std::size_t bytes)) {
  void* const block = OMEN_REAL(pvalloc)(bytes);
  allocated(block, bytes, OMEN_CALLER);
  return block;
}

namespace {
void mapped(void* memory, std::size_t bytes, uptr pc) {
  if (memory == reinterpret_cast<void*>(-1)) return;
  if (ThreadState* const thread = recording_thread()) {
    recorder.memory(thread, RawOp::NewMemory, reinterpret_cast<uptr>(memory), bytes, pc);
  }
}
void unmapping(void* memory, std::size_t bytes, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.memory(thread, RawOp::Free, reinterpret_cast<uptr>(memory), bytes, pc);
  }
}
}  // namespace

OMEN_INTERCEPT(void*, mmap, (void* at, std::size_t bytes, int protection, int flags, int file, long offset)) {
  void* const memory = OMEN_REAL(mmap)(at, bytes, protection, flags, file, offset);
  mapped(memory, bytes, OMEN_CALLER);
  return memory;
}
OMEN_INTERCEPT(void*, mmap64, (void* at, std::size_t bytes, int protection, int flags, int file, long offset)) {
  void* const memory = OMEN_REAL(mmap64)(at, bytes, protection, flags, file, offset);
  mapped(memory, bytes, OMEN_CALLER);
  return memory;
}
OMEN_INTERCEPT(int, munmap, (void* memory, std::size_t bytes)) {
  unmapping(memory, bytes, OMEN_CALLER);
  return OMEN_REAL(munmap)(memory, bytes);
}

namespace omen::rt {

void find_heap_functions() {
  ++looking_up;
  omen_real_malloc.get();
  omen_real_calloc.get();
  omen_real_realloc.get();
  omen_real_free.get();
  omen_real_malloc_usable_size.get();
  --looking_up;
}

}  // namespace omen::rt
