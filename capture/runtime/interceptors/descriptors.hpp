/// \file
/// The order that file descriptors imply, for calls that do not go through the C library's functions.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Addresses that no object of the program has: pseudo addresses of descriptors and of file names.
inline constexpr uptr kFileObjects = uptr{1} << 47;
inline constexpr uptr kPaths = kFileObjects + 8;  ///< one object for all file names

void descriptor_created(int descriptor, uptr pc);
void descriptor_replaced(int descriptor, uptr pc);  ///< the number now refers to another file
void descriptor_closes(int descriptor, uptr pc);    ///< it is about to be closed

void descriptor_releases(int descriptor, uptr pc);  ///< it is about to be written to
void descriptor_acquires(int descriptor, uptr pc);  ///< it was read from

void descriptor_registers(int set, uptr pc);  ///< a set of descriptors is about to change
/// There is no data: ordered after the reads that took the last of it, and before the next write.
void descriptor_is_empty(int descriptor, uptr pc);
void descriptor_wakes(int set, uptr pc);  ///< the set has reported an event to the thread

}  // namespace omen::rt
