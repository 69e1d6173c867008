/// \file
/// `--preload`: the runtime is loaded into a program that omen-cc did not link, for the sake of its instrumented
/// libraries: a plugin in an interpreter, a server, or a test runner.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/recorded_run.hpp"

namespace omen::cli {

/// The option decides about all programs that this omen starts.
void add_preload(CLI::App& app);
bool preloads_runtime();

/// Of a process that got the runtime so: a note if none of these files is instrumented; else empty.
std::string nothing_watched_note(const std::vector<std::string>& modules);

/// LD_PRELOAD for such a program: the runtime in front of what is there.
RunningProgram::Variable preload_variable();

}  // namespace omen::cli
