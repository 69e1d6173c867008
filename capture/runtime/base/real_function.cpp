/// \file
/// Looks up the functions that the runtime replaces.
#include "capture/runtime/base/real_function.hpp"

#include <dlfcn.h>

#include "capture/runtime/base/keep_errno.hpp"

/// Every `Real`, laid out consecutively by the linker.
extern "C" omen::rt::RealFunction __start_omen_real_functions[];
extern "C" omen::rt::RealFunction __stop_omen_real_functions[];

namespace omen::rt {

void* real_function_or_null(const char* name, const char* version) {
  return version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
}

namespace {
/// Finds these functions even in a program that is linked without the C library's math functions.
void* in_mathematics(const char* name) {
  void* const library = dlopen("libm.so.6", RTLD_LAZY);
  return library == nullptr ? nullptr : dlsym(library, name);
}
}  // namespace

void* real_function(const char* name, const char* version) {
  const KeepErrno keep;  // the caller has called nothing that may change it
  void* function = real_function_or_null(name, version);
  if (function == nullptr && version != nullptr) function = real_function_or_null(name, nullptr);
  if (function == nullptr) function = in_mathematics(name);
  if (function == nullptr) {
    Message() << "the C library has no " << name << "; programs linked statically cannot be recorded";
    __builtin_trap();
  }
  return function;
}

void find_real_functions() {
  for (RealFunction* real = __start_omen_real_functions; real != __stop_omen_real_functions; ++real) {
    if (real->found.load(std::memory_order_relaxed) != nullptr) continue;
    real->found.store(real_function_or_null(real->name, real->version), std::memory_order_relaxed);
  }
  dlerror();  // drops the message about a function that was not found
}

}  // namespace omen::rt
