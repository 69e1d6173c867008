/// \file
/// Library functions that are replaced in the linkage tables of instrumented modules. The functions that ordinary
/// containers call have instrumented replacements: linked lists, trees, hashing. With them `std::list`, `std::map`,
/// `std::set` and the hash tables have no hidden state. Calls of `operator new` record their location.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct LibraryHook {
  const char* name;
  void (*replacement)();
  std::atomic<uptr>* original;  ///< for a replacement that calls the original; else null
};
inline constexpr u32 kLibraryHooks = 25;
extern const LibraryHook library_hooks[kLibraryHooks];

}  // namespace omen::rt
