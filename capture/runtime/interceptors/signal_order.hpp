/// \file
/// Signals imply order: the sender's events before the send are seen by the receiver, which is a handler, `sigwait` or
/// the reader of a signalfd. There is one object for each signal number, since signals of one number cannot be
/// distinguished.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

void signal_sent(int signal, uptr pc);
void signal_taken(int signal, uptr pc);

/// True for descriptors of `signalfd`, as far as their numbers are small.
bool is_signal_descriptor(int descriptor);
void set_signal_descriptor(int descriptor, bool is_one);

}  // namespace omen::rt
