/// \file
/// Race-directed runs (`omen run --online --confirm`): a thread that comes to one of two places waits there, for a
/// while, for another thread to come to the other place with overlapping memory. If it does, both stand in front of
/// their accesses at the same time, and nothing orders them: the race is demonstrated. After Sen, Race Directed Random
/// Testing of Concurrent Programs, PLDI 2008, without its control of the other threads, which run freely here.
///
/// A wait ends when its time is over, when the time of all waits is used up, or when no other thread of the process can
/// run. So a program that ends by itself does so here, too.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "trace/point_kind.hpp"

namespace omen::rt {
struct ThreadState;
}

namespace omen::rt::confirm {

/// OMEN_CONFIRM: `log=PATH:wait=MS:total=MS:first=OFFSET@NAME:second=OFFSET@NAME`, the offsets in decimal, the names
/// those of modules without their folders. False: there is nothing to do here.
bool start(const char* text);
/// Modules may have been loaded since.
void find_modules();
/// An access of any kind that is about to be made.
void access(const ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
/// In a forked child, which runs freely.
void stop();

}  // namespace omen::rt::confirm
