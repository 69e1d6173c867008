#include "capture/runtime/base/code.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace omen::rt {

bool replace_code(uptr at, const void* code, std::size_t count) {
  constexpr uptr kPage = 4096;
  const uptr begin = at & ~(kPage - 1);
  const uptr bytes = ((at + count + kPage - 1) & ~(kPage - 1)) - begin;
  void* const copy = map_memory(bytes);
  if (copy == nullptr) return false;
  copy_bytes(copy, reinterpret_cast<const void*>(begin), bytes);
  copy_bytes(static_cast<u8*>(copy) + (at - begin), code, count);
  const long made = reinterpret_cast<long>(copy);
  if (system_call(__NR_mprotect, made, static_cast<long>(bytes), PROT_READ | PROT_EXEC) == 0 &&
      system_call(__NR_mremap, made, static_cast<long>(bytes), static_cast<long>(bytes), MREMAP_MAYMOVE | MREMAP_FIXED,
                  static_cast<long>(begin)) == static_cast<long>(begin)) {
    return true;
  }
  unmap_memory(copy, bytes);
  return false;
}

}  // namespace omen::rt
