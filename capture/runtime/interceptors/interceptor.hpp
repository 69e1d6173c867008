/// \file
/// How a function of the C library is replaced:
///
///     OMEN_INTERCEPT(int, pthread_mutex_lock, (void* mutex)) {
///       const int result = OMEN_REAL(pthread_mutex_lock)(mutex);
///       …
///     }
///
/// The replacement is weak: a program that defines the function itself keeps its own. Its name is given in assembly, so
/// that the C library's declaration, with its own types, does not clash with ours, where most types are opaque.
#pragma once

#include "capture/runtime/recorder.hpp"

namespace omen::rt {

/// The next definition after ours in the order of the loaded libraries. Ends the program if there is none.
void* real_function(const char* name, const char* version);
void* real_function_or_null(const char* name, const char* version);

/// Found on first use. Two threads may both look it up; they find the same.
template <class Function>
struct Real {
  const char* name;
  const char* version;
  std::atomic<Function*> found{nullptr};

  OMEN_INLINE Function* get() {
    Function* function = found.load(std::memory_order_relaxed);
    if (OMEN_UNLIKELY(function == nullptr)) {
      function = reinterpret_cast<Function*>(real_function(name, version));
      found.store(function, std::memory_order_relaxed);
    }
    return function;
  }
};

}  // namespace omen::rt

#define OMEN_INTERCEPT_VERSION(result, name, parameters, version)                                       \
  asm(".weak " #name "\n.type " #name ", @function\n.set " #name ", __omen_intercept_" #name            \
      "\n"                                                                                              \
      ".weak __interceptor_" #name "\n.set __interceptor_" #name ", __omen_intercept_" #name);          \
  [[maybe_unused]] static constinit omen::rt::Real<result parameters> omen_real_##name{#name, version}; \
  extern "C" __attribute__((visibility("default"), used)) result __omen_intercept_##name parameters

/// `parameters` with names: `(void* mutex)`.
#define OMEN_INTERCEPT(result, name, parameters) OMEN_INTERCEPT_VERSION(result, name, parameters, nullptr)
#define OMEN_REAL(name) omen_real_##name.get()
#define OMEN_CALLER reinterpret_cast<omen::rt::uptr>(__builtin_return_address(0))
