/// \file
/// The library function that a hook replaces (library_hooks.hpp).
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

template <class Function>
class Original {
 public:
  Function* get() const { return reinterpret_cast<Function*>(address.load(std::memory_order_relaxed)); }
  std::atomic<uptr> address{0};
};

}  // namespace omen::rt
