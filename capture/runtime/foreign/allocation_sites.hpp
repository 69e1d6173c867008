/// \file
/// Call sites of the C++ library's `operator new`. The library's own frame is between such a call and `malloc`, and is
/// not recorded. So the calls are redirected (library_hooks.cpp), and each stores its location until it returns.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The return address of the thread's current call of `operator new`; 0: none, or its `malloc` has been reported.
extern __thread uptr allocation_site asm("omen_allocation_site")
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/// The location of an allocation: `caller`, which called `malloc`, unless that call was made for `operator new`. Only
/// the first allocation of such a call belongs to it: a new-handler may allocate too.
OMEN_INLINE uptr allocation_place(uptr caller) {
  const uptr site = allocation_site;
  if (OMEN_LIKELY(site == 0)) return caller;
  allocation_site = 0;
  return site;
}

}  // namespace omen::rt
