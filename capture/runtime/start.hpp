/// \file
/// The start of the runtime.
#pragma once

namespace omen::rt {

/// Starts recording, detection or replay as the environment requests. Only the first call has an effect.
void start_runtime();

/// The function that the loader calls (entry.cpp).
using Entry = void (*)(int, char**, char**);
extern const Entry loader_entry;

/// Makes later calls of `start_runtime` ineffective.
void leave_to_another_runtime();

}  // namespace omen::rt
