#include "report/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <variant>

#include "trace/quote.hpp"

namespace omen::report {
namespace {

using Member =
    std::variant<bool RunOptions::*, int RunOptions::*, std::uint64_t RunOptions::*, std::string RunOptions::*,
                 ColourWhen RunOptions::*, AloneMode RunOptions::*, AloneFailOn RunOptions::*>;

struct Option {
  std::string_view name;
  Member member;
  bool shared;  ///< ThreadSanitizer has this option too
  std::string_view help;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< the largest allowed number
};

/// The one table of options.
const std::array<Option, 26> kOptions{{
    {"mode", &RunOptions::mode, false,
     "for a program that is started without omen run: off; online: find races while it runs; record: write its trace"},
    {"trace_path", &RunOptions::trace_path, false,
     "with mode=record: the trace, %p for the process number; default omen-%p.omen"},
    {"analysis", &RunOptions::analysis, false, "for such a program, as for omen run --online; default st-dc"},
    {"fail_on", &RunOptions::fail_on, false,
     "which reported races make such a program end with exitcode: observed; predicted, all of them"},
    {"suppressions", &RunOptions::suppressions, true, "file of suppressions"},
    {"builtin_suppressions", &RunOptions::builtin_suppressions, false,
     "0: report the C++ library's known races with itself"},
    {"print_suppressions", &RunOptions::print_suppressions, true, "list the suppressions that were used"},
    {"print_unused_suppressions", &RunOptions::print_unused_suppressions, false, "list those that were not"},
    {"log_path", &RunOptions::log_path, true, "stdout, stderr, or a path to which .PID is added"},
    {"halt_on_error", &RunOptions::halt_on_error, true, "report the first race only"},
    {"exitcode", &RunOptions::exitcode, true,
     "exit code of a run that fails (--fail-on, fail_on); 0: the program's own"},
    {"report_bugs", &RunOptions::report_bugs, true, "0 reports nothing"},
    {"print_summary", &RunOptions::print_summary, true, "end each report with a SUMMARY line"},
    {"ignore_noninstrumented_modules", &RunOptions::ignore_noninstrumented_modules, true,
     "do not report what libraries without instrumentation access"},
    {"color", &RunOptions::color, true,
     "auto, always or never: colours in reports; auto: on a terminal, without NO_COLOR"},
    {"strip_path_prefix", &RunOptions::strip_path_prefix, true, "left out in front of files' names"},
    {"max_trace_mb", &RunOptions::max_trace_mb, false,
     "stop recording a process at this size, 4096 unless told; 0: never"},
    {"history_size", &RunOptions::history_size, true,
     "with --online: 0 to 10, each twice as many remembered accesses of a thread; 3 unless told", 10},
    {"memory_limit_mb", &RunOptions::memory_limit_mb, true, "with --online: what the detector may take; 0: no limit"},
    {"most_threads", &RunOptions::most_threads, false,
     "with --online: watch until more threads than this run at once; 0: until 8192 do"},
    {"most_epochs", &RunOptions::most_epochs, false,
     "with --online: watch until a thread has had so many epochs; 0: as many as there are"},
    {"atexit_sleep_ms", &RunOptions::atexit_sleep_ms, true,
     "how long the end of the program waits for threads that still run; 0: not at all"},
    {"pauses", &RunOptions::pauses, false, "threads sleep for a moment behind some of their releases; 0: never"},
    {"stats", &RunOptions::stats, false, "times and sizes after the run"},
    {"verbosity", &RunOptions::verbosity, true, "say more on standard error"},
    {"help", &RunOptions::help, true, "print this list"},
}};

/// Options of ThreadSanitizer and of the sanitizers' common runtime that have no effect here: the program has no
/// deadlock detector, and symbolization happens after the run.
constexpr std::array<std::string_view, 70> kOnlyTsan{"abort_on_error",
                                                     "allocator_may_return_null",
                                                     "allocator_release_to_os_interval_ms",
                                                     "allow_addr2line",
                                                     "allow_user_segv_handler",
                                                     "can_use_proc_maps_statm",
                                                     "check_printf",
                                                     "clear_shadow_mmap_threshold",
                                                     "compress_stack_depot",
                                                     "coverage",
                                                     "coverage_dir",
                                                     "decorate_proc_maps",
                                                     "dedup_token_length",
                                                     "demangle",
                                                     "detect_deadlocks",
                                                     "detect_leaks",
                                                     "die_after_fork",
                                                     "disable_coredump",
                                                     "enable_annotations",
                                                     "enable_symbolizer_markup",
                                                     "external_symbolizer_path",
                                                     "fast_unwind_on_check",
                                                     "fast_unwind_on_fatal",
                                                     "fast_unwind_on_malloc",
                                                     "flush_memory_ms",
                                                     "flush_symbolizer_ms",
                                                     "force_seq_cst_atomics",
                                                     "full_address_space",
                                                     "handle_abort",
                                                     "handle_ioctl",
                                                     "handle_segv",
                                                     "handle_sigbus",
                                                     "handle_sigfpe",
                                                     "handle_sigill",
                                                     "handle_sigtrap",
                                                     "hard_rss_limit_mb",
                                                     "heap_profile",
                                                     "ignore_interceptors_accesses",
                                                     "intercept_tls_get_addr",
                                                     "io_sync",
                                                     "leak_check_at_exit",
                                                     "legacy_pthread_cond",
                                                     "log_exe_name",
                                                     "log_suffix",
                                                     "log_to_syslog",
                                                     "lock_during_write",
                                                     "malloc_context_size",
                                                     "max_allocation_size_mb",
                                                     "mmap_limit_mb",
                                                     "no_huge_pages_for_shadow",
                                                     "print_full_thread_history",
                                                     "print_module_map",
                                                     "profile_memory",
                                                     "report_atomic_races",
                                                     "report_destroy_locked",
                                                     "report_mutex_bugs",
                                                     "report_signal_unsafe",
                                                     "report_thread_leaks",
                                                     "running_on_valgrind",
                                                     "second_deadlock_stack",
                                                     "shared_ptr_interceptor",
                                                     "soft_rss_limit_mb",
                                                     "stack_trace_format",
                                                     "stop_on_start",
                                                     "strict_string_checks",
                                                     "suppress_equal_addresses",
                                                     "suppress_equal_stacks",
                                                     "symbolize",
                                                     "symbolize_inline_frames",
                                                     "use_sigaltstack"};

constexpr std::string_view kSeparators = " ,:\n\t\r";

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "1" || text == "yes" || text == "true") return true;
  if (text == "0" || text == "no" || text == "false") return false;
  return std::nullopt;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Sets a member. If the value is invalid: what was expected.
std::optional<std::string> set(RunOptions& options, const Option& option, std::string_view value) {
  struct Setter {
    RunOptions& options;
    std::string_view value;
    std::uint64_t most;
    std::optional<std::string> operator()(bool RunOptions::* member) const {
      const auto parsed = parse_bool(value);
      if (!parsed) return "0, 1, no, yes, false or true";
      options.*member = *parsed;
      return std::nullopt;
    }
    std::optional<std::string> operator()(int RunOptions::* member) const {
      const auto parsed = parse_number<int>(value);
      if (!parsed || *parsed < 0 || *parsed > 255) return "a number from 0 to 255";
      options.*member = *parsed;
      return std::nullopt;
    }
    std::optional<std::string> operator()(std::uint64_t RunOptions::* member) const {
      const auto parsed = parse_number<std::uint64_t>(value);
      if (!parsed || *parsed > most) {
        return most == std::numeric_limits<std::uint64_t>::max() ? "a number from 0 on"
                                                                 : fmt::format("a number from 0 to {}", most);
      }
      options.*member = *parsed;
      return std::nullopt;
    }
    std::optional<std::string> operator()(ColourWhen RunOptions::* member) const {
      const auto parsed = parse_colour(value);
      if (!parsed) return "auto, always or never";
      options.*member = *parsed;
      return std::nullopt;
    }
    std::optional<std::string> operator()(AloneMode RunOptions::* member) const {
      if (value != "off" && value != "online" && value != "record") return "off, online or record";
      options.*member = value == "online" ? AloneMode::Online : value == "record" ? AloneMode::Record : AloneMode::Off;
      return std::nullopt;
    }
    std::optional<std::string> operator()(AloneFailOn RunOptions::* member) const {
      if (value != "observed" && value != "predicted") return "observed or predicted";
      options.*member = value == "observed" ? AloneFailOn::Observed : AloneFailOn::Predicted;
      return std::nullopt;
    }
    std::optional<std::string> operator()(std::string RunOptions::* member) const {
      options.*member = std::string(value);
      return std::nullopt;
    }
  };
  return std::visit(Setter{options, value, option.most}, option.member);
}

std::string known_names() {
  std::string names;
  for (const Option& option : kOptions) names.append(names.empty() ? "" : ", ").append(option.name);
  return names;
}

/// Splits the text into settings.
class Parser {
 public:
  Parser(std::string_view text, const std::string& variable) : text_(text), variable_(variable) {}

  struct Setting {
    std::string_view name;
    std::string_view value;
    std::size_t position = 0;
  };

  /// The next setting; nothing at the end.
  std::expected<std::optional<Setting>, InputError> next() {
    at_ = std::min(text_.find_first_not_of(kSeparators, at_), text_.size());
    if (at_ == text_.size()) return std::nullopt;
    Setting setting;
    setting.position = at_;
    const std::size_t end = std::min(text_.find_first_of(std::string(kSeparators) + "=", at_), text_.size());
    setting.name = text_.substr(at_, end - at_);
    if (end == text_.size() || text_[end] != '=') {
      return std::unexpected(error(at_, "expected '=' after " + quoted(setting.name)));
    }
    at_ = end + 1;
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote == '"' || quote == '\'') {
      const std::size_t close = text_.find(quote, at_ + 1);
      if (close == std::string_view::npos) return std::unexpected(error(at_, "expected a closing quote"));
      setting.value = text_.substr(at_ + 1, close - at_ - 1);
      at_ = close + 1;
      return setting;
    }
    const std::size_t stop = std::min(text_.find_first_of(kSeparators, at_), text_.size());
    setting.value = text_.substr(at_, stop - at_);
    at_ = stop;
    return setting;
  }

  InputError error(std::size_t position, std::string message) const {
    return {variable_, "character " + std::to_string(position + 1), std::move(message)};
  }

 private:
  std::string_view text_;
  const std::string& variable_;
  std::size_t at_ = 0;
};

}  // namespace

std::string RunOptions::log_file(std::uint64_t process) const {
  if (log_path.empty() || log_path == "stdout" || log_path == "stderr") return {};
  return fmt::format("{}.{}", log_path, process);
}

std::string RunOptions::trace_file(std::uint64_t process) const {
  std::string path = trace_path;
  const std::string number = std::to_string(process);
  for (std::size_t at = 0; (at = path.find("%p", at)) != std::string::npos; at += number.size()) {
    path.replace(at, 2, number);
  }
  return path;
}

std::expected<void, InputError> parse_options(std::string_view text, const std::string& variable, bool own,
                                              RunOptions& options) {
  Parser parser(text, variable);
  while (true) {
    const auto setting = parser.next();
    if (!setting) return std::unexpected(setting.error());
    if (!*setting) return {};
    const auto& [name, value, position] = **setting;
    const auto option = std::ranges::find(kOptions, name, &Option::name);
    if (option == kOptions.end() || (!own && !option->shared)) {
      if (!own || std::ranges::find(kOnlyTsan, name) != kOnlyTsan.end()) continue;
      return std::unexpected(
          parser.error(position, fmt::format("there is no option {}; known are {}", quoted(name), known_names())));
    }
    if (const auto expected = set(options, *option, value)) {
      return std::unexpected(
          parser.error(position, fmt::format("expected {} for {}, not {}", *expected, name, quoted(value))));
    }
  }
}

std::expected<RunOptions, InputError> options_from(const char* tsan, const char* omen) {
  RunOptions options;
  if (tsan != nullptr) {
    if (auto ok = parse_options(tsan, "TSAN_OPTIONS", false, options); !ok) return std::unexpected(ok.error());
  }
  if (omen != nullptr) {
    if (auto ok = parse_options(omen, "OMEN_OPTIONS", true, options); !ok) return std::unexpected(ok.error());
  }
  return options;
}

std::optional<ColourWhen> parse_colour(std::string_view text) {
  if (text == "auto") return ColourWhen::Auto;
  if (text == "always") return ColourWhen::Always;
  if (text == "never") return ColourWhen::Never;
  return std::nullopt;
}

std::string options_help() {
  std::string text;
  for (const Option& option : kOptions) {
    fmt::format_to(std::back_inserter(text), "  {:<31} {}{}\n", option.name, option.help,
                   option.shared ? "" : " (only in OMEN_OPTIONS)");
  }
  return text;
}

}  // namespace omen::report
