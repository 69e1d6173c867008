/// \file
/// Where the program calls `operator new` of the C++ library: the library's own frame is between that call and
/// `malloc`, and has no record. So the calls are diverted (library_hooks.cpp), and each says where it is until it
/// returns.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The return address of the call of `operator new` that the thread is in; 0: none, or `malloc` has been told.
extern __thread uptr allocation_site asm("omen_allocation_site")
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/// The place of an allocation: `caller`, which called `malloc`, unless it did so for `operator new`. Only the first
/// allocation of such a call is its own: a handler that frees memory may allocate too.
OMEN_INLINE uptr allocation_place(uptr caller) {
  const uptr site = allocation_site;
  if (OMEN_LIKELY(site == 0)) return caller;
  allocation_site = 0;
  return site;
}

}  // namespace omen::rt
