/// \file
/// What a recording and a detector's log say first of their process: the command line, the modules, and the options and
/// suppressions that the program brings along (`__tsan_default_options`, `__tsan_default_suppressions`).
#pragma once

namespace omen::rt {

struct ThreadState;

/// The arguments of `main`; null until the start. Set once, before there are threads.
extern char** process_arguments;

/// The head of a new file, from its first thread: at the start, and in a forked child.
void record_process(ThreadState* thread);

/// The modules that were loaded since the last call.
void record_modules(ThreadState* thread);

/// The program's own suppressions.
void record_suppressions(ThreadState* thread);

}  // namespace omen::rt
