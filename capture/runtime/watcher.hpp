/// \file
/// A program that runs without `omen run`, with a mode in OMEN_OPTIONS. For `mode=online` it starts the omen that reads
/// its log, prints its races, and decides its exit code (cli/watch.cpp). For `mode=record` it becomes the omen that
/// runs it again and records it. docs/capture.md, "A program started alone".
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// True if the environment sets a mode. False in a program that runs with another user's rights.
bool wants_watcher();

struct Watcher {
  const char* setting;  ///< for `Detector::start`
  u32 process;
};

/// Returns when omen is ready. If the requested mode is impossible the process ends with code 65, because a test that
/// is not watched must not pass.
Watcher start_watcher();

/// `mode=record`: the process becomes `omen record-alone`, which runs the program with these arguments. Called before
/// any code of the program. If there is no omen the process ends with code 65.
[[noreturn]] void become_recorder(const char* const* arguments);

/// `help=1`: omen prints the options of OMEN_OPTIONS.
void print_options_help();

}  // namespace omen::rt
