/// \file
/// Writes generated traces to a file.
#pragma once

#include <expected>
#include <string>

#include "bench/generator.hpp"
#include "trace/error.hpp"

namespace omen::bench {

/// Writes a random trace, in the format of the name's extension.
std::expected<void, InputError> write_trace(const GeneratorOptions& options, const std::string& path);

}  // namespace omen::bench
