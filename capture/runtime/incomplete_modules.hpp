/// \file
/// The program's and its libraries' code in which accesses have no calls of the runtime though another thread can see
/// them: compiled by a clang that leaves them out, without omen's plugin (docs/instrumentation.md). Each such file says
/// so when it is loaded (`capture/driver/omen-incomplete.h`).
///
/// A read that is missing is an order that is missing, so critical sections of such code are not known as a whole.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt {

/// True if the address is in a module that has at least one incomplete object file.
bool is_in_incomplete_module(uptr pc);

}  // namespace omen::rt
