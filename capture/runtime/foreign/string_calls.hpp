/// \file
/// Members of `std::string` in the C++ library: before C++20 programs call most of them there. Their accesses are known
/// and reported for them, so that a section that works with strings keeps no hidden state. The same for functions that
/// use a stream (stream_calls.hpp).
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The stub for `target`, the function of that name, which reports its accesses; 0: the function is not in the table.
uptr string_call(const char* name, uptr target);

}  // namespace omen::rt
