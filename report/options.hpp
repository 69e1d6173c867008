/// \file
/// What `OMEN_OPTIONS` and, for the names that both know, `TSAN_OPTIONS` say. The syntax is the sanitizers':
/// `name=value` separated by colons, commas or blanks; a value may be in single or double quotes.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "trace/error.hpp"

namespace omen::report {

enum class ColourWhen : std::uint8_t { Auto, Always, Never };

/// What a program does that was started alone, without `omen run`.
enum class AloneMode : std::uint8_t { Off, Online, Record };

/// Which races give such a program the exit code for races.
enum class AloneFailOn : std::uint8_t { Observed, Predicted };

/// The members are the options of `kOptions` in options.cpp, which has their help texts.
struct RunOptions {
  AloneMode mode = AloneMode::Off;
  std::string trace_path = "omen-%p.omen";  ///< of a program that records itself; see `trace_file`
  std::string analysis = "st-dc";           ///< of a program that was started alone
  AloneFailOn fail_on = AloneFailOn::Observed;
  std::string suppressions;          ///< path; empty: none
  bool builtin_suppressions = true;  ///< what is known of the C++ library is not reported
  bool print_suppressions = true;    ///< those that were used
  bool print_unused_suppressions = false;
  std::string log_path = "stderr";  ///< `stdout`, `stderr`, or a file's path, to which `.PID` is added
  bool halt_on_error = false;       ///< report the first race only
  int exitcode = 66;                ///< if a race is reported
  bool report_bugs = true;          ///< false: nothing is reported
  bool print_summary = true;
  bool ignore_noninstrumented_modules = false;
  ColourWhen color = ColourWhen::Auto;   ///< in text on a terminal; `NO_COLOR` counts only for `Auto`
  std::string strip_path_prefix;         ///< not shown in front of files' names
  std::uint64_t max_trace_mb = 4096;     ///< recording stops there; 0: never
  std::uint64_t history_size = 3;        ///< how many accesses each thread remembers, for the detector
  std::uint64_t memory_limit_mb = 0;     ///< for the detector that runs in the program; 0: no limit
  std::uint64_t most_threads = 0;        ///< at once, for the detector; 0: as many as it has room for
  std::uint64_t most_epochs = 0;         ///< of a thread, for the detector; 0: as many as it has room for
  std::uint64_t atexit_sleep_ms = 1000;  ///< the longest wait at the end of the program for threads that still run
  bool pauses = true;                    ///< short sleeps behind releases, so that more threads take part
  bool help = false;                     ///< print what options there are
  bool stats = false;                    ///< times and sizes after the run
  std::uint64_t verbosity = 0;

  bool operator==(const RunOptions&) const = default;

  /// Where reports go: empty for standard error and output, else the file of this process.
  std::string log_file(std::uint64_t process) const;

  /// Where a program that was started alone writes its trace: `trace_path`, with the process number for `%p`.
  std::string trace_file(std::uint64_t process) const;
};

/// Applies an environment variable's text on top of `options`. What is wrong is said with the variable's name as the
/// file. `TSAN_OPTIONS` (`own` false): names that omen does not know are skipped. `OMEN_OPTIONS`: they are an error
/// that lists the known ones, except ThreadSanitizer's own, which have no meaning here and are accepted.
std::expected<void, InputError> parse_options(std::string_view text, const std::string& variable, bool own,
                                              RunOptions& options);

/// `TSAN_OPTIONS`, then `OMEN_OPTIONS`; either may be null.
std::expected<RunOptions, InputError> options_from(const char* tsan, const char* omen);

std::optional<ColourWhen> parse_colour(std::string_view text);

/// A line per option: name, value, meaning.
std::string options_help();

}  // namespace omen::report
