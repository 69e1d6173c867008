/// \file
/// What is to happen when the process forks and when it ends.
#pragma once

namespace omen::rt {

void install_process_hooks();

}  // namespace omen::rt
