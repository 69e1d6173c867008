/// \file
/// Starts other programs: omen's own tools, and compilers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace omen::cli {

/// The path of a program in omen's own folder; only the name if it is not there.
std::string beside(const char* name);

enum class Output : std::uint8_t {
  Ours,  ///< all to our standard output, since the text belongs between our own lines
  None,  ///< discarded
};

/// Runs a command in a folder. Returns its exit code, or nothing if it could not run.
std::optional<int> run_in(const std::filesystem::path& folder, const std::vector<std::string>& command, Output output);

/// Returns the standard output of a command; nothing if it fails.
std::optional<std::string> output_of(const std::vector<std::string>& command);

}  // namespace omen::cli
