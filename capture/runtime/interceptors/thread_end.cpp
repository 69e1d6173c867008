/// \file
/// A key whose destructor re-registers itself until the C library's last round of destructors.
#include "capture/runtime/interceptors/thread_end.hpp"

#include <pthread.h>

#include <climits>

#include "capture/runtime/dispatch/verified_placement.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {
namespace {

pthread_key_t key;

void end_of_thread(void* state) {
  auto* const thread = static_cast<ThreadState*>(state);
  if (++thread->end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(key, state);
    return;
  }
  // No signal handler may run from here on, because its events would follow the thread's end. Pending ones run first.
  set_signal_mask(kAllSignals);
  deliver_pending_signals(thread);
  free_kept_blocks(thread);
  recorder.synchronise(thread, raw::RawOp::EndThread, thread->id, 0, 0);
  if (schedule::on()) schedule::end_thread(thread);
  end_verified_thread(thread);
  ++thread->busy;
  set_current_thread(nullptr);
  recorder.destroy_thread(thread);
}

}  // namespace

bool prepare_thread_end() {
  return pthread_key_create(&key, end_of_thread) == 0;
}

void arrange_thread_end(ThreadState* thread) {
  pthread_setspecific(key, thread);
}

}  // namespace omen::rt
