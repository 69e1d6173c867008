/// \file
/// The program's and its libraries' code in which accesses have no calls of the runtime though another thread can see
/// them: compiled by a clang that leaves them out, without omen's plugin (docs/instrumentation.md). Each such file says
/// so when it is loaded (`capture/driver/omen-incomplete.h`).
///
/// A read that is missing is an order that is missing, so critical sections of such code are not known as a whole.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// True if the address is in a module that has at least one incomplete object file.
bool is_in_incomplete_module(uptr pc);

/// One of its object files is loaded; `pc` is in it.
void add_incomplete_module(uptr pc);

/// False: there is no such module so far.
extern std::atomic<bool> incomplete_modules_exist;
OMEN_INLINE bool has_incomplete_modules() {
  return incomplete_modules_exist.load(std::memory_order_acquire);
}

}  // namespace omen::rt
