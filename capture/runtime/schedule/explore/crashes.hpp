/// \file
/// Ends of a controlled run that are the program's own fault: a fatal signal, a failed assertion. Each is written to
/// the log with the stack of the thread. Then the program ends as it would without omen.
#pragma once

namespace omen::rt::explore {

/// Installs handlers for fatal signals that the program does not handle itself.
void catch_crashes();
/// True for omen's own handler, which a program that queries the action must not see.
bool is_crash_action(const void* handler);
/// Called when `assert` has failed.
void note_assertion(const char* expression, const char* file, unsigned line, const char* function);

}  // namespace omen::rt::explore
