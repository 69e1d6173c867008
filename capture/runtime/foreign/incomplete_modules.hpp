/// \file
/// Modules with incomplete instrumentation: some accesses that another thread can observe have no call of the runtime.
/// A clang compiled them that leaves such accesses out, without omen's plugin (docs/instrumentation.md). Each such file
/// registers itself when it is loaded (`capture/driver/omen-incomplete.h`).
///
/// A missing read is a missing order, so the accesses of critical sections in such code are not completely known.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// True if the address is in a module that has at least one incomplete object file.
bool is_in_incomplete_module(uptr pc);

/// An incomplete object file is loaded; `pc` is in it.
void add_incomplete_module(uptr pc);

/// True once there is such a module.
extern std::atomic<bool> incomplete_modules_exist;
OMEN_INLINE bool has_incomplete_modules() {
  return incomplete_modules_exist.load(std::memory_order_acquire);
}

}  // namespace omen::rt
