/// \file
/// The analyses' memory inside the program: no allocator of the program is touched. Blocks come in powers of two and go
/// back to lists; large ones are mappings of their own.
#pragma once

#include <cstddef>

#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

void* arena_allocate(std::size_t bytes);
void arena_free(void* block, std::size_t bytes);
/// What the arena has from the system, in bytes.
u64 arena_bytes();
/// In a forked child: whoever held its lock is not there.
void arena_reset_lock();

}  // namespace omen::rt::online

namespace omen {

template <class T>
struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(rt::online::arena_allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) { rt::online::arena_free(block, n * sizeof(T)); }
  bool operator==(const Allocator&) const { return true; }
};

}  // namespace omen
