/// \file
/// How a function of the C library is replaced:
///
///     OMEN_INTERCEPT(int, pthread_mutex_lock, (void* mutex)) {
///       const int result = OMEN_REAL(pthread_mutex_lock)(mutex);
///       …
///     }
///
/// The table of original functions is a section that is read as an array. Its entries are `used`, because clang would
/// drop some of them otherwise. The replacement is weak: a program that defines the function itself keeps its own. Its
/// name is set with an assembly label, so that the C library's declaration does not clash with ours, where most types
/// are opaque.
#pragma once

#include "capture/runtime/base/real_function.hpp"
#include "capture/runtime/recorder/recorder.hpp"

#define OMEN_INTERCEPT_VERSION(result, name, parameters, version)                                              \
  asm(".weak " #name "\n.type " #name ", @function\n.set " #name ", __omen_intercept_" #name                   \
      "\n"                                                                                                     \
      ".weak __interceptor_" #name "\n.set __interceptor_" #name ", __omen_intercept_" #name);                 \
  [[gnu::used,                                                                                                 \
    gnu::section("omen_real_functions")]] static constinit omen::rt::Real<result parameters> omen_real_##name{ \
      {#name, version}};                                                                                       \
  extern "C" __attribute__((visibility("default"), used)) result __omen_intercept_##name parameters

/// `parameters` with names: `(void* mutex)`.
#define OMEN_INTERCEPT(result, name, parameters) OMEN_INTERCEPT_VERSION(result, name, parameters, nullptr)
#define OMEN_REAL(name) omen_real_##name.get()
#define OMEN_REAL_OBJECT(name) omen_real_##name
#define OMEN_CALLER reinterpret_cast<omen::rt::uptr>(__builtin_return_address(0))
