/// \file
/// A race that the detector has found while the program runs, for the program's own `__tsan_on_report`. The access that
/// finds it holds locks of the runtime, so the program is told when its thread leaves the runtime.
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
    std::size_t places = 0;  ///< how many of `stack` are known, innermost first
    uptr stack[128] = {};
  };
  const char* kind = "";  ///< as ThreadSanitizer names it
  Access accesses[2];     ///< the later one first
  FoundRace* next = nullptr;
};

/// Does the program want to be told?
bool has_race_callback();
/// Tells it of the races that `thread` has found since.
void tell_of_found_races(ThreadState* thread);
/// A race for `tell_of_found_races`; null: there is no memory.
FoundRace* add_found_race(ThreadState* thread);

}  // namespace omen::rt
