/// \file
/// What a program or library of this process is at an address: for questions that programs ask about themselves.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct Module {
  const char* path = nullptr;  ///< null: nothing that was loaded holds the address
  uptr bias = 0;               ///< its addresses in memory are greater by this than in its file
};
Module module_at(uptr address);

struct Variable {
  uptr begin = 0;
  u64 bytes = 0;  ///< 0: no variable is known there
};
/// From the module's symbols. `name` has room for `room` bytes, and is left alone if there is no variable.
Variable variable_at(const Module& module, uptr address, char* name, uptr room);

}  // namespace omen::rt
