/// \file
/// The `--analysis` option: names of analyses, separated by commas, or `all`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "analysis/registry.hpp"

namespace omen::cli {

/// Adds `--analysis` to a subcommand. `names` holds the default.
CLI::Option* add_analyses(CLI::App& app, std::vector<std::string>& names);

/// The analyses behind the names, each once, in the order named. An unknown name is a usage error that lists the known
/// ones.
std::vector<const AnalysisInfo*> resolve_analyses(const std::vector<std::string>& names);

}  // namespace omen::cli
