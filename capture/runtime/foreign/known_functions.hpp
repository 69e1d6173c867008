/// \file
/// Properties of uninstrumented functions, by name: known_functions.cpp has the table.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct KnownFunction {
  enum class Kind : u8 {
    Unknown,   ///< it may keep state
    Harmless,  ///< it keeps no state, or its state is modelled
    Replaced,  ///< an instrumented function of the runtime replaces it
  };
  Kind kind = Kind::Unknown;
  uptr replacement = 0;
  std::atomic<uptr>* original = nullptr;  ///< where the replacement finds the original function; or null
  const char* library = nullptr;          ///< replaced only in the library of this name; harmless in others
};
KnownFunction known_function(const char* name);

}  // namespace omen::rt
