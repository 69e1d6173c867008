/// \file
/// The ends of a controlled run that are the program's own fault: a fatal signal, a failed assertion. Each is written
/// to the log with the stack of the thread; then the program ends as it does without us.
#pragma once

namespace omen::rt::explore {

/// For the signals that a program has not taken itself.
void catch_crashes();
/// Ours is not to be seen by a program that asks for the action.
bool is_crash_action(const void* handler);
/// `assert` has failed.
void note_assertion(const char* expression, const char* file, unsigned line, const char* function);

}  // namespace omen::rt::explore
