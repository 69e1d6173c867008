/// \file
/// Hooks for GCC's OpenMP runtime, libgomp, that replace its functions in the linkage tables of instrumented modules.
/// Each calls the function itself, and reports the order that the construct implies.
#pragma once

#include "capture/runtime/foreign/library_hooks.hpp"

namespace omen::rt {

extern const LibraryHook libgomp_hooks[];
extern const u32 libgomp_hook_count;

}  // namespace omen::rt
