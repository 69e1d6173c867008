/// \file
/// The environment, modelled as one variable at the address of `environ`. A lookup races with a change. Two changes do
/// not race, because the C library's own lock separates them. So changes are recorded as atomic accesses, which race
/// with plain ones only.
#include <stdlib.h>
#include <unistd.h>

#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

void changes(uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || is_in_library(*thread)) return;
  constexpr u32 kRelaxed = 0;
  recorder.synchronise(thread, RawOp::AtomicRmw, reinterpret_cast<uptr>(&environ), kRelaxed + 256 * sizeof environ, pc);
}

}  // namespace

#define LOOKS READ(&environ, sizeof environ)
#define CHANGES changes(pc);

// clang-format off
OMEN_STATE_CALL(char*, getenv, (const char* name), (name), TEXT(name) LOOKS, )
OMEN_STATE_CALL(char*, secure_getenv, (const char* name), (name), TEXT(name) LOOKS, )
OMEN_STATE_CALL(int, setenv, (const char* name, const char* value, int replaces), (name, value, replaces), TEXT(name) TEXT(value) CHANGES, )
OMEN_STATE_CALL(int, unsetenv, (const char* name), (name), TEXT(name) CHANGES, )
OMEN_STATE_CALL(int, putenv, (char* text), (text), TEXT(text) CHANGES, )
OMEN_STATE_CALL(int, clearenv, (), (), CHANGES, )
// clang-format on
