/// \file
/// A program that was started alone, with a mode in OMEN_OPTIONS. With `mode=online` it starts the omen that reads its
/// log, prints its races, and knows the code to end with (cli/watch.cpp). With `mode=record` it becomes the omen that
/// runs it anew and records it. docs/capture.md, "A program started alone".
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// Does the environment ask for it? Not in a program that runs with another user's rights.
bool wants_watcher();

struct Watcher {
  const char* setting;  ///< for `Detector::start`
  u32 process;
};

/// Returns when omen is ready. What was asked for and cannot be done ends the process, with code 65: a test that is not
/// watched must not pass.
Watcher start_watcher();

/// `mode=record`: the process becomes `omen record-alone`, which runs the program with these arguments. Called before
/// anything of the program has run. If there is no omen, the process ends with code 65.
[[noreturn]] void become_recorder(const char* const* arguments);

/// `help=1`: omen prints what OMEN_OPTIONS can say.
void print_options_help();

}  // namespace omen::rt
