/// \file
/// The runtime's beginning.
#pragma once

namespace omen::rt {

/// Starts recording, detecting or replaying if the environment asks for it. May be called several times; the first
/// counts.
void start_runtime();

}  // namespace omen::rt
