/// \file
/// The part of the mutex interceptors that those of condition variables use.
#pragma once

namespace omen::rt {

struct ThreadState;

/// False: `pthread_mutex_unlock` by this thread fails, so it is no release.
bool can_unlock_mutex(const ThreadState* thread, const void* lock);

}  // namespace omen::rt
