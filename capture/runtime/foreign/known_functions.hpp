/// \file
/// What is known of functions without instrumentation, by their names: known_functions.cpp has the table.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct KnownFunction {
  enum class Kind : u8 {
    Unknown,   ///< it may keep state
    Harmless,  ///< it keeps none, or what it keeps is modelled
    Replaced,  ///< another function, of ours, does the same before the eyes of the analysis
  };
  Kind kind = Kind::Unknown;
  uptr replacement = 0;
  std::atomic<uptr>* original = nullptr;  ///< where the replacement looks for the function that it stands for; or null
  const char* library = nullptr;          ///< replaced in the library of that name only; another's is harmless
};
KnownFunction known_function(const char* name);

}  // namespace omen::rt
