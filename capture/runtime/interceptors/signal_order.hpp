/// \file
/// Signals order: what a thread did before it sent one is seen by whoever takes it, be it a handler, `sigwait` or the
/// reader of a signal descriptor. One object for each number, as signals of one number are not told apart.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

void signal_sent(int signal, uptr pc);
void signal_taken(int signal, uptr pc);

/// Descriptors of `signalfd`, as far as their numbers are small.
bool is_signal_descriptor(int descriptor);
void set_signal_descriptor(int descriptor, bool is_one);

}  // namespace omen::rt
