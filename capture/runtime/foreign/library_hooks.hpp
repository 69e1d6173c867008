/// \file
/// Functions of the libraries that are replaced in the linkage tables of instrumented modules. Those that ordinary
/// containers call run before the eyes of the analysis instead: linked lists, trees, hashing. With them `std::list`,
/// `std::map`, `std::set` and the hash tables keep no hidden state. Calls of `operator new` say where they are.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct LibraryHook {
  const char* name;
  void (*replacement)();
  std::atomic<uptr>* original;  ///< for a replacement that calls what it replaces; else null
};
inline constexpr u32 kLibraryHooks = 25;
extern const LibraryHook library_hooks[kLibraryHooks];

}  // namespace omen::rt
