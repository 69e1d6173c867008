/// \file
/// Looking up the functions that ours replace.
#include <dlfcn.h>

#include "capture/runtime/interceptors/keep_errno.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt {

void* real_function_or_null(const char* name, const char* version) {
  return version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
}

namespace {
/// A program that is linked without the C library's mathematics finds these functions here all the same.
void* in_mathematics(const char* name) {
  void* const library = dlopen("libm.so.6", RTLD_LAZY);
  return library == nullptr ? nullptr : dlsym(library, name);
}
}  // namespace

void* real_function(const char* name, const char* version) {
  const KeepErrno keep;  // the caller has not called anything that may change it
  void* function = real_function_or_null(name, version);
  if (function == nullptr && version != nullptr) function = real_function_or_null(name, nullptr);
  if (function == nullptr) function = in_mathematics(name);
  if (function == nullptr) {
    Message() << "the C library has no " << name << "; programs linked statically cannot be recorded";
    __builtin_trap();
  }
  return function;
}

}  // namespace omen::rt
