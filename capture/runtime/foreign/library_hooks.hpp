/// \file
/// Functions of the C++ library that ordinary containers call, and which run before the eyes of the analysis instead:
/// linked lists, trees, hashing. With them `std::list`, `std::map`, `std::set` and the hash tables keep no hidden
/// state.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt {

struct LibraryHook {
  const char* name;
  void (*replacement)();
  std::atomic<uptr>* original;  ///< for a replacement that calls what it replaces; else null
};
inline constexpr u32 kLibraryHooks = 17;
extern const LibraryHook library_hooks[kLibraryHooks];

}  // namespace omen::rt
