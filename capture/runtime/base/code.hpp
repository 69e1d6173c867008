/// \file
/// Changes the code of the running process.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Writes `count` bytes into the code, on one page or two: a changed copy replaces the page. No page is writable and
/// executable at once. False: the system does not allow it.
bool replace_code(uptr at, const void* bytes, std::size_t count);

}  // namespace omen::rt
