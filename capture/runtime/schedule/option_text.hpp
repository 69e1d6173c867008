/// \file
/// Environment variables that are lists: `name=value:name=value`.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt::schedule {

/// Finds the value of a name. False: there is none. A value that does not fit into `room` is truncated.
bool option_in(const char* text, const char* name, char* value, std::size_t room);
/// The decimal number that a text begins with.
u64 number_in(const char* text);

}  // namespace omen::rt::schedule
