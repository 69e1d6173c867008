/// \file
/// Race-directed runs (`omen run --online --confirm`): a thread that reaches one of two sites waits there for a limited
/// time, until another thread reaches the other site with overlapping memory. Then both are before their accesses at
/// the same time, and nothing orders them: the race is demonstrated. After Sen, Race Directed Random Testing of
/// Concurrent Programs, PLDI 2008, without its control of the other threads, which run freely here.
///
/// A wait ends when its time is over, when the time of all waits is used up, or when no other thread of the process can
/// run. So a program that terminates by itself still terminates.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "trace/point_kind.hpp"

namespace omen::rt {
struct ThreadState;
}

namespace omen::rt::confirm {

/// OMEN_CONFIRM: `log=PATH:wait=MS:total=MS:first=OFFSET@NAME:second=OFFSET@NAME`, the offsets in decimal, the names
/// those of modules without their folders. False: this process takes no part.
bool start(const char* text);
/// Called when modules may have been loaded.
void find_modules();
/// Called before an access of any kind.
void access(const ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
/// In a forked child, which runs uncontrolled.
void stop();

}  // namespace omen::rt::confirm
