/// \file
/// `--preload`: loads the runtime into a program that omen-cc did not link, for its instrumented libraries: a plugin in
/// an interpreter, a server, or a test runner.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/recorded_run.hpp"

namespace omen::cli {

/// Adds the option, which applies to all programs that this omen starts.
void add_preload(CLI::App& app);
bool preloads_runtime();

/// For a process with the preloaded runtime: a note if none of these files is instrumented; otherwise empty.
std::string nothing_watched_note(const std::vector<std::string>& modules);

/// LD_PRELOAD for such a program: the runtime, then the value in the environment.
RunningProgram::Variable preload_variable();

}  // namespace omen::cli
