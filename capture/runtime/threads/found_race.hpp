/// \file
/// A race that the online detector has found, for the program's own `__tsan_on_report`. The access that finds it holds
/// locks of the runtime, so the program is notified when its thread leaves the runtime.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

struct ThreadState;

struct FoundRace {
  struct Access {
    u32 thread = 0;
    bool write = false;
    bool atomic = false;
    uptr address = 0;
    u64 bytes = 0;
    std::size_t places = 0;  ///< the number of known entries of `stack`, innermost first
    uptr stack[128] = {};
  };
  const char* kind = "";  ///< as ThreadSanitizer names it
  Access accesses[2];     ///< the later one first
  FoundRace* next = nullptr;
};

/// True if the program defines the hook.
bool has_race_callback();
/// Calls it for the races that `thread` has found since the last call.
void tell_of_found_races(ThreadState* thread);
/// A race for `tell_of_found_races`; null: out of memory.
FoundRace* add_found_race(ThreadState* thread);

}  // namespace omen::rt
