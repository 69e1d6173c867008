/// \file
/// The first records of a recording, and of a detector's log, which describe the process: the command line, the
/// modules, and the options and suppressions that the program defines (`__tsan_default_options`,
/// `__tsan_default_suppressions`).
#pragma once

namespace omen::rt {

struct ThreadState;

/// The arguments of `main`; null until the start. Set once, before there are other threads.
extern char** process_arguments;

/// Writes the head of a new file, from its first thread: at the start, and in a forked child.
void record_process(ThreadState* thread);

/// Records the modules that were loaded since the last call.
void record_modules(ThreadState* thread);

/// Records the program's own suppressions.
void record_suppressions(ThreadState* thread);

}  // namespace omen::rt
