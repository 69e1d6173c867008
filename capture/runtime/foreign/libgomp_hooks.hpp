/// \file
/// Functions of GCC's OpenMP runtime, libgomp, that are replaced in the linkage tables of instrumented modules: each
/// calls the function itself, and says what order the construct gives.
#pragma once

#include "capture/runtime/foreign/library_hooks.hpp"

namespace omen::rt {

extern const LibraryHook libgomp_hooks[];
extern const u32 libgomp_hook_count;

}  // namespace omen::rt
