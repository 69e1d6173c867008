/// \file
/// The options in `OMEN_OPTIONS` and, for names that ThreadSanitizer has too, in `TSAN_OPTIONS`. The syntax is the
/// sanitizers': `name=value` separated by colons, commas or blanks; a value may be in single or double quotes.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "trace/error.hpp"

namespace omen::report {

enum class ColourWhen : std::uint8_t { Auto, Always, Never };

/// What the runtime does in a program that was started without `omen run`.
enum class AloneMode : std::uint8_t { Off, Online, Record };

/// Which races make such a program end with `exitcode`.
enum class AloneFailOn : std::uint8_t { Observed, Predicted };

/// The members are the options of `kOptions` in options.cpp, which has their help texts.
struct RunOptions {
  AloneMode mode = AloneMode::Off;
  std::string trace_path = "omen-%p.omen";  ///< of a program that records itself; see `trace_file`
  std::string analysis = "st-dc";           ///< of a program started without `omen run`
  AloneFailOn fail_on = AloneFailOn::Observed;
  std::string suppressions;          ///< path of a file; empty: none
  bool builtin_suppressions = true;  ///< do not report known races of the C++ library
  bool print_suppressions = true;    ///< list the suppressions that were used
  bool print_unused_suppressions = false;
  std::string log_path = "stderr";  ///< `stdout`, `stderr`, or a path to which `.PID` is appended
  bool halt_on_error = false;       ///< report only the first race
  int exitcode = 66;                ///< if the run fails; 0: the program's own
  bool report_bugs = true;          ///< false: report nothing
  bool print_summary = true;
  bool ignore_noninstrumented_modules = false;
  ColourWhen color = ColourWhen::Auto;   ///< for text on a terminal; `NO_COLOR` counts only for `Auto`
  std::string strip_path_prefix;         ///< cut from file names, with everything in front of it
  std::uint64_t max_trace_mb = 4096;     ///< recording stops there; 0: never
  std::uint64_t history_size = 3;        ///< the detector: accesses that each thread remembers, as an exponent
  std::uint64_t memory_limit_mb = 0;     ///< the detector; 0: no limit
  std::uint64_t most_threads = 0;        ///< the detector: concurrent threads; 0: the maximum
  std::uint64_t most_epochs = 0;         ///< the detector: epochs of one thread; 0: the maximum
  std::uint64_t atexit_sleep_ms = 1000;  ///< longest wait at program exit for threads that still run
  bool pauses = true;                    ///< threads sleep briefly after some releases, so that other threads take part
  bool help = false;                     ///< print the list of options
  bool stats = false;                    ///< print times and sizes after the run
  std::uint64_t verbosity = 0;

  bool operator==(const RunOptions&) const = default;

  /// The file for this process's reports; empty: standard error or output.
  std::string log_file(std::uint64_t process) const;

  /// The trace of a program that was started without `omen run`: `trace_path` with `%p` replaced by the process number.
  std::string trace_file(std::uint64_t process) const;
};

/// Applies the text of an environment variable to `options`. Errors name the variable in place of a file.
/// `TSAN_OPTIONS` (`own` false): unknown names are skipped. `OMEN_OPTIONS`: an unknown name is an error that lists the
/// known ones, but ThreadSanitizer's own options without effect here are accepted.
std::expected<void, InputError> parse_options(std::string_view text, const std::string& variable, bool own,
                                              RunOptions& options);

/// Applies `TSAN_OPTIONS`, then `OMEN_OPTIONS`; either may be null.
std::expected<RunOptions, InputError> options_from(const char* tsan, const char* omen);

std::optional<ColourWhen> parse_colour(std::string_view text);

/// One line per option: name and help.
std::string options_help();

}  // namespace omen::report
