#include "capture/runtime/online/arena.hpp"

#include <asm/unistd.h>

#include <bit>

#include "trace/check.hpp"

namespace omen {

void check_failed(const char* file, int line, const char* condition) {
  rt::Message() << "internal error (this is a bug in omen): check failed: " << condition << "\n  at " << file << ":"
                << static_cast<rt::u64>(line);
  rt::system_call(__NR_exit_group, 70);
  __builtin_trap();
}

}  // namespace omen

// The C++ library's own exits of its containers. The build renames them (CMakeLists.txt): a program in C has none.
namespace std {
__attribute__((noreturn)) void omen_throw_length_error(const char* what) {
  omen::check_failed("vector", 0, what);
}
__attribute__((noreturn)) void omen_throw_bad_alloc() {
  omen::check_failed("allocation", 0, "there is memory");
}
__attribute__((noreturn)) void omen_throw_bad_array_new_length() {
  omen::check_failed("allocation", 0, "a length fits");
}
}  // namespace std

namespace omen::rt::online {
namespace {

constexpr std::size_t kSmallest = 16;
constexpr std::size_t kLargest = 64U << 10;  ///< of the blocks that come from slabs
constexpr std::size_t kSlab = 1U << 20;

struct FreeBlock {
  FreeBlock* next;
};
SpinLock lock;
FreeBlock* free_blocks[17];  // guarded by `lock`, as are the next three; by the power of two
char* slab = nullptr;
std::size_t slab_left = 0;
u64 taken = 0;

std::size_t rounded(std::size_t bytes) {
  return bytes <= kSmallest ? kSmallest : std::bit_ceil(bytes);
}
constexpr std::size_t kPage = 4096;

}  // namespace

void* arena_allocate(std::size_t bytes) {
  if (bytes > kLargest) {
    const std::size_t mapped = (bytes + kPage - 1) & ~(kPage - 1);
    void* const block = map_memory(mapped);
    OMEN_CHECK(block != nullptr);
    const SpinGuard guard(lock);
    taken += mapped;
    return block;
  }
  const std::size_t size = rounded(bytes);
  FreeBlock*& first = free_blocks[std::countr_zero(size)];
  const SpinGuard guard(lock);
  if (first != nullptr) {
    FreeBlock* const block = first;
    first = block->next;
    return block;
  }
  if (slab_left < size) {
    slab = static_cast<char*>(map_memory(kSlab));
    OMEN_CHECK(slab != nullptr);
    slab_left = kSlab;
    taken += kSlab;
  }
  // From the end, which keeps every block at a multiple of its size up to the cache line.
  slab_left = (slab_left - size) & ~(size < 64 ? size - 1 : std::size_t{63});
  return slab + slab_left;
}

void arena_free(void* block, std::size_t bytes) {
  if (block == nullptr) return;
  if (bytes > kLargest) {
    const std::size_t mapped = (bytes + kPage - 1) & ~(kPage - 1);
    unmap_memory(block, mapped);
    const SpinGuard guard(lock);
    taken -= mapped;
    return;
  }
  FreeBlock*& first = free_blocks[std::countr_zero(rounded(bytes))];
  auto* const freed = static_cast<FreeBlock*>(block);
  const SpinGuard guard(lock);
  freed->next = first;
  first = freed;
}

u64 arena_bytes() {
  return taken;
}
void arena_reset_lock() {
  lock.reset();
}

}  // namespace omen::rt::online
