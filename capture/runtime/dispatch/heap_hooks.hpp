/// \file
/// Heap events for the program's own hooks (`sanitizer/allocator_interface.h`), whether or not the run is recorded. The
/// allocation interceptors call these functions for every block.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Called after a block was allocated. Calls the program's hooks.
void heap_block_begins(void* block, std::size_t bytes);
/// Called before a block is freed. False: a hook of the program keeps it.
bool heap_block_ends(void* block);
/// The block was about to be freed, and was not.
void heap_block_goes_on(void* block);

}  // namespace omen::rt
