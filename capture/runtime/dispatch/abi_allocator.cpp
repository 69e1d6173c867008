/// \file
/// `sanitizer/allocator_interface.h`. The heap is the C library's, or an allocator of the program, and sizes come from
/// that allocator: for a block its usable size, for the heap what `mallinfo2` counts.
#include <malloc.h>

#include "capture/runtime/dispatch/heap_hooks.hpp"
#include "capture/runtime/dispatch/live_blocks.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;

/// The runtime of another sanitizer may be linked and define these too.
#define OMEN_WEAK_ABI extern "C" __attribute__((visibility("default"), weak))

using Block = const volatile void*;

// A program may define these.
extern "C" __attribute__((weak)) void __sanitizer_malloc_hook(Block block, std::size_t bytes);
extern "C" __attribute__((weak)) void __sanitizer_free_hook(Block block);
extern "C" __attribute__((weak)) int __sanitizer_ignore_free_hook(Block block);

namespace {

LiveBlocks live_blocks;

struct Hooks {
  void (*allocated)(Block, std::size_t);
  void (*freeing)(Block);
};
constexpr int kHooks = 5;  // as many as the interface guarantees
Hooks hooks[kHooks];
std::atomic<int> hooks_used{0};

uptr address_of(Block block) {
  return reinterpret_cast<uptr>(block);
}

/// Allocations that the runtime itself causes are not the program's.
bool hooks_apply() {
  return current_thread == nullptr || current_thread->busy == 0;
}

/// Calls `ask` so that the allocator's own locks do not count as the program's synchronisation.
template <class Ask>
std::size_t ask_allocator(Ask ask) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return ask();
  const Busy busy(thread);
  return ask();
}

/// As if the program had called it: the program may use all of the returned size.
std::size_t size_of(Block block) {
  return malloc_usable_size(const_cast<void*>(block));
}

}  // namespace

namespace omen::rt {

void heap_block_begins(void* block, std::size_t bytes) {
  live_blocks.add(address_of(block));
  if (!hooks_apply()) return;
  if (__sanitizer_malloc_hook != nullptr) __sanitizer_malloc_hook(block, bytes);
  const int used = hooks_used.load(std::memory_order_acquire);
  for (int i = 0; i < used; ++i) hooks[i].allocated(block, bytes);
}

bool heap_block_ends(void* block) {
  if (hooks_apply()) {
    if (__sanitizer_ignore_free_hook != nullptr && __sanitizer_ignore_free_hook(block) != 0) return false;
    if (__sanitizer_free_hook != nullptr) __sanitizer_free_hook(block);
    const int used = hooks_used.load(std::memory_order_acquire);
    for (int i = 0; i < used; ++i) hooks[i].freeing(block);
  }
  live_blocks.remove(address_of(block));
  return true;
}

void heap_block_goes_on(void* block) {
  live_blocks.add(address_of(block));
}

}  // namespace omen::rt

OMEN_WEAK_ABI std::size_t __sanitizer_get_estimated_allocated_size(std::size_t bytes) {
  return bytes;
}
OMEN_WEAK_ABI int __sanitizer_get_ownership(Block block) {
  return live_blocks.has(address_of(block)) ? 1 : 0;
}
OMEN_WEAK_ABI const void* __sanitizer_get_allocated_begin(const void* place) {
  const uptr begin = live_blocks.at_or_below(address_of(place));
  auto* const block = reinterpret_cast<const void*>(begin);
  return begin != 0 && address_of(place) - begin < size_of(block) ? block : nullptr;
}
OMEN_WEAK_ABI std::size_t __sanitizer_get_allocated_size(Block block) {
  return live_blocks.has(address_of(block)) ? size_of(block) : 0;
}
OMEN_WEAK_ABI std::size_t __sanitizer_get_allocated_size_fast(Block block) {
  return size_of(block);
}

OMEN_WEAK_ABI std::size_t __sanitizer_get_current_allocated_bytes() {
  return ask_allocator([] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  });
}
OMEN_WEAK_ABI std::size_t __sanitizer_get_heap_size() {
  return ask_allocator([] {
    const struct mallinfo2 info = mallinfo2();
    return info.arena + info.hblkhd;
  });
}
OMEN_WEAK_ABI std::size_t __sanitizer_get_free_bytes() {
  return ask_allocator([] { return mallinfo2().fordblks; });
}
OMEN_WEAK_ABI std::size_t __sanitizer_get_unmapped_bytes() {
  return 0;
}
OMEN_WEAK_ABI void __sanitizer_purge_allocator() {
  ask_allocator([] { return static_cast<std::size_t>(malloc_trim(0)); });
}

OMEN_WEAK_ABI int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(Block, std::size_t),
                                                            void (*freeing)(Block)) {
  const int used = hooks_used.load(std::memory_order_relaxed);
  if (allocated == nullptr || freeing == nullptr || used == kHooks) return 0;
  hooks[used] = {allocated, freeing};
  hooks_used.store(used + 1, std::memory_order_release);
  return used + 1;
}
