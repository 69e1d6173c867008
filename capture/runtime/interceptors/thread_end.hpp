/// \file
/// The end of a thread: recorded after the program's own thread-local destructors, so that these are still recorded.
#pragma once

namespace omen::rt {

struct ThreadState;

bool prepare_thread_end();
void arrange_thread_end(ThreadState* thread);

}  // namespace omen::rt
