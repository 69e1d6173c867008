/// \file
/// What file descriptors order, for calls that come by other ways than the C library's functions.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Addresses that no object of the program has: what stands for descriptors and for the names of files.
inline constexpr uptr kFileObjects = uptr{1} << 47;
inline constexpr uptr kPaths = kFileObjects + 8;  ///< all names together

void descriptor_created(int descriptor, uptr pc);
void descriptor_replaced(int descriptor, uptr pc);  ///< another file stands behind the number now
void descriptor_closes(int descriptor, uptr pc);    ///< it is about to be closed

void descriptor_releases(int descriptor, uptr pc);  ///< it is about to be written to
void descriptor_acquires(int descriptor, uptr pc);  ///< it was read from

void descriptor_registers(int set, uptr pc);  ///< something is about to change in a set of descriptors
/// There is nothing to read: after the reads that left nothing, before the next write.
void descriptor_is_empty(int descriptor, uptr pc);
void descriptor_wakes(int set, uptr pc);  ///< the set has told the thread that something happened

}  // namespace omen::rt
