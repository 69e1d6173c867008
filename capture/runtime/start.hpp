/// \file
/// The runtime's beginning.
#pragma once

namespace omen::rt {

/// Starts recording, detecting or replaying if the environment asks for it. May be called several times; the first
/// counts.
void start_runtime();

/// What the loader calls (entry.cpp).
using Entry = void (*)(int, char**, char**);
extern const Entry loader_entry;

/// No later call of `start_runtime` does anything.
void leave_to_another_runtime();

}  // namespace omen::rt
