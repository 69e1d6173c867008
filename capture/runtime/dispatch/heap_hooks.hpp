/// \file
/// What the program may know of its heap, whether or not it is recorded: `sanitizer/allocator_interface.h`. The
/// functions that allocate tell of every block here.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// After a block was allocated. The program's own hooks are called.
void heap_block_begins(void* block, std::size_t bytes);
/// Before a block is freed. False: a hook of the program wants it to stay.
bool heap_block_ends(void* block);
/// The block was to be freed, and was not.
void heap_block_goes_on(void* block);

}  // namespace omen::rt
