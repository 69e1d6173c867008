#include "capture/runtime/detector/arena.hpp"

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

namespace omen::rt::detect {
namespace {

constexpr std::size_t kSmallest = 16;
constexpr std::size_t kLargest = 64U << 10;  ///< of the blocks that come from slabs
constexpr std::size_t kSlab = 256U << 10;

struct FreeBlock {
  FreeBlock* next;
};
/// A part of the arena. A thread keeps to one; blocks go back to the part of the thread that frees them.
struct alignas(64) Shard {
  SpinLock lock;
  FreeBlock* free_blocks[17];  // guarded by `lock`, as are the rest; by the power of two
  char* slab = nullptr;
  std::size_t slab_left = 0;
};
constexpr std::size_t kShards = 64;
constinit Shard shards[kShards] = {};
std::atomic<u64> taken{0};
constinit std::atomic<u32> next_shard{0};
__thread u32 own_shard __attribute__((tls_model("initial-exec"))) = 0;  // 1 + its number; 0: none yet

Shard& shard() {
  if (OMEN_UNLIKELY(own_shard == 0)) own_shard = 1 + next_shard.fetch_add(1, std::memory_order_relaxed) % kShards;
  return shards[own_shard - 1];
}

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
    taken.fetch_add(mapped, std::memory_order_relaxed);
    return block;
  }
  const std::size_t size = rounded(bytes);
  Shard& own = shard();
  FreeBlock*& first = own.free_blocks[std::countr_zero(size)];
  const SpinGuard guard(own.lock);
  if (first != nullptr) {
    FreeBlock* const block = first;
    first = block->next;
    return block;
  }
  if (own.slab_left < size) {
    own.slab = static_cast<char*>(map_memory(kSlab));
    OMEN_CHECK(own.slab != nullptr);
    own.slab_left = kSlab;
    taken.fetch_add(kSlab, std::memory_order_relaxed);
  }
  // From the end, which keeps every block at a multiple of its size up to the cache line.
  own.slab_left = (own.slab_left - size) & ~(size < 64 ? size - 1 : std::size_t{63});
  return own.slab + own.slab_left;
}

void arena_free(void* block, std::size_t bytes) {
  if (block == nullptr) return;
  if (bytes > kLargest) {
    const std::size_t mapped = (bytes + kPage - 1) & ~(kPage - 1);
    unmap_memory(block, mapped);
    taken.fetch_sub(mapped, std::memory_order_relaxed);
    return;
  }
  Shard& own = shard();
  FreeBlock*& first = own.free_blocks[std::countr_zero(rounded(bytes))];
  auto* const freed = static_cast<FreeBlock*>(block);
  const SpinGuard guard(own.lock);
  freed->next = first;
  first = freed;
}

u64 arena_bytes() {
  return taken.load(std::memory_order_relaxed);
}
void arena_reset_lock() {
  for (Shard& each : shards) each.lock.reset();
}

}  // namespace omen::rt::detect
