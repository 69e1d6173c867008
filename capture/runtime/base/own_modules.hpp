/// \file
/// Which program or library of this process contains an address: answers questions that programs ask about themselves.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct Module {
  const char* path = nullptr;  ///< null: no loaded module contains the address
  uptr bias = 0;               ///< address in memory minus address in the file
};
Module module_at(uptr address);

struct Variable {
  uptr begin = 0;
  u64 bytes = 0;  ///< 0: no known variable
};
/// From the module's symbols. `name` has room for `room` bytes, and is unchanged if there is no variable.
Variable variable_at(const Module& module, uptr address, char* name, uptr room);

}  // namespace omen::rt
