/// \file
/// The framework of the subcommands. A subcommand is one file with one `Command` object at namespace scope, which
/// registers itself, so no other code names it:
///
///     const Command command{"dump", "Print a trace, one event a line", [](CLI::App& app) -> Action {
///       auto options = std::make_shared<Options>();
///       app.add_option("TRACE", options->trace, "the trace")->required();
///       return [options] { return run(*options); };
///     }};
///
/// An argument that turns out to be wrong in `run` is reported by throwing `CLI::ValidationError` (exit 64).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "trace/error.hpp"
#include "trace/formats/format.hpp"

namespace omen::cli {

/// Exit codes; other programs rely on them.
inline constexpr int kExitNothingFound = 0;
inline constexpr int kExitRaces = 66;
inline constexpr int kExitUsage = 64;
inline constexpr int kExitInput = 65;
inline constexpr int kExitInternal = 70;

/// Executes a subcommand after its arguments are parsed. Returns an exit code, or an error in an input (exit 65).
using Action = std::function<std::expected<int, InputError>()>;

class Command {
 public:
  /// `define` adds the subcommand's arguments to `app` and returns its action.
  Command(const char* name, const char* help, Action (*define)(CLI::App& app));

  static std::vector<const Command*> all();  ///< by name

  const char* name;
  const char* help;
  Action (*define)(CLI::App& app);
};

/// Adds an option like `--format`: one of `auto`, `std`, `omen`.
CLI::Option* add_format(CLI::App& app, const std::string& flags, Format& format, const std::string& help);

/// Adds a count or an index. CLI11 alone would read `-1` as a very large number.
CLI::Option* add_number(CLI::App& app, const std::string& flags, std::uint64_t& number, const std::string& help);

}  // namespace omen::cli
