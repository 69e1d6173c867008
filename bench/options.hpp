/// \file
/// The generator's command line options, the same for omen-bench-generate and omen-bench.
#pragma once

#include <CLI/CLI.hpp>

#include "bench/generator.hpp"

namespace omen::bench {

/// Shares are given in percent.
void add_generator_options(CLI::App& app, GeneratorOptions& options);

/// One line with every parameter, for the head of a table.
std::string describe(const GeneratorOptions& options);

}  // namespace omen::bench
