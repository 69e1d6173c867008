/// \file
/// Members of `std::string` that live in the C++ library: before C++20 programs call most of them there. What they
/// access is known, and said for them, so that a section that works with strings keeps no hidden state. And functions
/// that use a stream (stream_calls.hpp).
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The way to `target`, the function of that name, on which its accesses are said; 0: nothing is known of it.
uptr string_call(const char* name, uptr target);

}  // namespace omen::rt
