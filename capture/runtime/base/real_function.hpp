/// \file
/// The original definitions of the C library functions that the runtime replaces.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The next definition after ours in the order of the loaded libraries. Ends the program if there is none.
void* real_function(const char* name, const char* version);
void* real_function_or_null(const char* name, const char* version);
/// Looks up all functions that the program's libraries define. A lookup takes the loader's lock and frees the message
/// that `dlerror` last returned, so none may happen inside a call that the program makes.
void find_real_functions();

/// Aligned to its size, so that compilers leave no gaps between objects that the linker lays out consecutively.
struct alignas(32) RealFunction {
  const char* name;
  const char* version;
  std::atomic<void*> found{nullptr};
};

/// Looked up at the start of the program, or on first use if a library's constructor calls it earlier or the library
/// that defines it is loaded later. Two threads may both look it up; they find the same definition.
template <class Function>
struct Real : RealFunction {
  OMEN_INLINE Function* get() {
    void* function = found.load(std::memory_order_relaxed);
    if (OMEN_UNLIKELY(function == nullptr)) {
      function = real_function(name, version);
      found.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(function);
  }
};
static_assert(sizeof(Real<void()>) == alignof(RealFunction));

}  // namespace omen::rt
