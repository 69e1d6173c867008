/// \file
/// Changing the code of the process while it runs.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Puts `count` bytes into the code, in a page or two of it: a changed copy takes their place. No page is writable and
/// executable at any time. False: the system does not allow it.
bool replace_code(uptr at, const void* bytes, std::size_t count);

}  // namespace omen::rt
