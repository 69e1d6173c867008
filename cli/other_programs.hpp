/// \file
/// Programs that omen itself starts: its own tools, and compilers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace omen::cli {

/// What is beside this program in its folder, or the name alone.
std::string beside(const char* name);

enum class Output : std::uint8_t {
  Ours,  ///< all to our standard output: a report belongs between our own lines
  None,  ///< thrown away
};

/// Runs a command in a folder; its exit code, or nothing if it could not be run.
std::optional<int> run_in(const std::filesystem::path& folder, const std::vector<std::string>& command, Output output);

/// What a command writes to standard output; nothing if it fails.
std::optional<std::string> output_of(const std::vector<std::string>& command);

}  // namespace omen::cli
