#include "cli/online_run.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <queue>

#include "cli/command.hpp"
#include "cli/confirm_runs.hpp"
#include "cli/online_log_folder.hpp"
#include "cli/report_log.hpp"
#include "report/online_session.hpp"
#include "report/race_text.hpp"

namespace omen::cli {
namespace {

using report::OnlineSession;
using report::RunReport;

constexpr std::array<std::string_view, 4> kAnalyses{"fto-hb", "st-wcp", "st-dc", "st-wdc"};

const AnalysisInfo& online_analysis(const RunArguments& arguments) {
  const AnalysisInfo* const found = find_online_analysis(arguments.online);
  if (found == nullptr) {
    throw CLI::ValidationError("--online",
                               fmt::format("expected one of {}, not '{}'", online_analyses(), arguments.online));
  }
  if (!arguments.keep.empty() && !arguments.record) {
    throw CLI::ValidationError("--keep", "there is a trace only with --record");
  }
  return *found;
}

/// Of `--confirm`.
std::uint32_t confirm_runs(const RunArguments& arguments) {
  std::uint32_t runs = 0;
  const char* const end = arguments.confirm.data() + arguments.confirm.size();
  const auto [stop, wrong] = std::from_chars(arguments.confirm.data(), end, runs);
  if (wrong != std::errc{} || stop != end || runs == 0) {
    throw CLI::ValidationError("--confirm", "expected a number from 1 on, not '" + arguments.confirm + "'");
  }
  return runs;
}

/// The runtime reads OMEN_OPTIONS only. What TSAN_OPTIONS says of the options that it obeys is added there.
std::string options_for_runtime(const report::RunOptions& options) {
  const char* const own = std::getenv("OMEN_OPTIONS");
  std::string text = own == nullptr ? "" : own;
  const auto add = [&](std::string_view name, std::uint64_t value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ":", name, value);
  };
  if (options.halt_on_error) {
    add("halt_on_error", 1);
    add("exitcode", static_cast<std::uint64_t>(options.exitcode));
  }
  if (options.memory_limit_mb != 0) add("memory_limit_mb", options.memory_limit_mb);
  return text;
}

bool thread_runs(std::uint64_t process, std::uint64_t thread) {
  return access(fmt::format("/proc/{}/task/{}", process, thread).c_str(), F_OK) == 0;
}

class OnlineRun {
 public:
  OnlineRun(const RunArguments& arguments, const AnalysisInfo& analysis, report::RunOptions environment,
            report::Suppressions suppressions)
      : arguments_(arguments),
        analysis_(analysis),
        environment_(std::move(environment)),
        suppressions_(std::move(suppressions)) {}

  std::expected<int, InputError> run() {
    const auto end = run_watched();
    if (!end) return std::unexpected(end.error());
    if (!arguments_.confirm.empty()) {
      if (auto ok = demonstrate_predictions(confirm_runs(arguments_)); !ok) return std::unexpected(ok.error());
    }
    return finish(*end);
  }

 private:
  /// The run itself, and what its record says if there is one. Its folder is gone afterwards.
  std::expected<ProgramEnd, InputError> run_watched() {
    const auto folder = TemporaryFolder::create(arguments_.folder);
    if (!folder) return std::unexpected(folder.error());
    const auto begin = std::chrono::steady_clock::now();
    auto end = follow(folder->path());
    took_ = std::chrono::steady_clock::now() - begin;
    if (end && arguments_.record) {
      if (auto ok = add_records(folder->path(), *end); !ok) return std::unexpected(ok.error());
    }
    return end;
  }

  /// Runs the program again for each race that is predicted and has no witness.
  std::expected<void, InputError> demonstrate_predictions(std::uint32_t runs) {
    // A run takes longer by the waits, which have a bound of their own in it.
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(10 * took_) + std::chrono::seconds(20);
    OnlineSession::Ran& ran = ran_.front();  // other processes are started by the first one
    for (report::Race& race : ran.report.races) {
      if (race.observed || race.confirmed) continue;
      race.demonstration = demonstrate(race, arguments_.command, runs, longest);
      const report::TextStyle style{.strip_path_prefix = ran.options.strip_path_prefix,
                                    .summary = ran.options.print_summary};
      if (auto ok = print(finding_text(race, style), ran.options, ran.report.process); !ok) return ok;
    }
    return {};
  }

  std::expected<void, InputError> print(const std::string& text, const report::RunOptions& options,
                                        std::uint64_t process) {
    return text.empty() ? std::expected<void, InputError>{} : log_.print(text, options, process);
  }

  /// Runs the program, and prints its races as they come.
  std::expected<ProgramEnd, InputError> follow(const std::string& folder) {
    auto control = OnlineControl::create(folder);
    if (!control) return std::unexpected(std::move(control.error()));
    OnlineSession session(
        suppressions_,
        {.options_of = options_of,
         .print = [this](const std::string& text, const report::RunOptions& options,
                         std::uint64_t process) { return print(text, options, process); },
         .judge = [&](std::uint64_t race, online::Judgement judgement) { control->judge(race, judgement); },
         .is_running = thread_runs,
         .style = [this](const report::RunOptions& options) { return text_style(arguments_.text, options); }});
    OnlineLogs logs(folder);
    RunningProgram::Environment environment{{"OMEN_ONLINE", fmt::format("{}:{}", analysis_.name, folder)},
                                            {"OMEN_RECORD", arguments_.record ? std::optional(folder) : std::nullopt}};
    if (std::string options = options_for_runtime(environment_); !options.empty()) {
      environment.emplace_back("OMEN_OPTIONS", std::move(options));
    }
    auto program = RunningProgram::start(arguments_.command, environment);
    if (!program) return std::unexpected(std::move(program.error()));
    const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, program->pid(), 0));
    std::optional<ProgramEnd> end;
    while (true) {
      end = program->end();
      logs.read([&](std::uint64_t process, const online::Message& message) { return session.take(process, message); });
      if (logs.error()) control->let_all_go_on();
      if (end) break;
      logs.wait(descriptor);
    }
    if (descriptor >= 0) close(descriptor);
    if (logs.error()) return std::unexpected(*logs.error());
    if (session.empty()) return std::unexpected(nothing_said());
    ran_ = session.all(static_cast<std::uint64_t>(end->pid));
    // The analysis of a record counts all races once more.
    if (!arguments_.record) session.count_suppressed();
    ran_.front().report.exit = exit_status(*end);
    return *end;
  }

  InputError nothing_said() const {
    return {arguments_.command[0], "",
            "said nothing: expected a program compiled with omen-cc or omen-c++, with the runtime of this omen"};
  }

  /// What the records say, for each process: confirmations, and races that only they show.
  std::expected<void, InputError> add_records(const std::string& folder, const ProgramEnd& end) {
    std::map<std::uint64_t, std::queue<std::size_t>> images;  // by process, in order, as the recordings
    for (std::size_t i = 0; i < ran_.size(); ++i) images[ran_[i].report.process].push(i);
    for (const Recording& recording : recordings_in(folder, end.pid)) {
      auto& of_process = images[static_cast<std::uint64_t>(recording.pid)];
      if (of_process.empty()) {  // it had nothing to say, or nowhere to say it
        of_process.push(ran_.size());
        ran_.emplace_back();
        ran_.back().options = environment_;
      }
      OnlineSession::Ran& ran = ran_[of_process.front()];
      of_process.pop();
      auto result = report_on(recording, arguments_, analysis_, ran.report.exit);
      if (!result) return std::unexpected(std::move(result.error()));
      if (!ran.options.report_bugs) report::clear_races(result->report);
      suppressions_.apply(result->report);
      ran.report = with_record(std::move(ran.report), std::move(result->report));
      if (ran.options.halt_on_error && ran.report.races.size() > 1) ran.report.races.resize(1);
      if (auto ok = print_record(ran); !ok) return ok;
    }
    return {};
  }

  std::expected<void, InputError> print_record(OnlineSession::Ran& ran) {
    report::TextStyle style = text_style(arguments_.text, ran.options);
    style.unconfirmed = arguments_.unconfirmed;
    std::string text;
    std::size_t open = 0;
    for (const report::Race& race : ran.report.unconfirmed) {
      if (race.online || arguments_.unconfirmed) text += unconfirmed_text(race, style);  // it was printed as a race
    }
    for (const report::Race& race : ran.report.races) {
      if (!race.online) {
        text += race_text(race, ran.report, style);
      } else if (race.confirmed) {
        text += finding_text(race, style);
      } else if (!race.observed) {
        ++open;
      }
    }
    if (open != 0 && !arguments_.no_confirm) {
      ran.report.notes.push_back(
          fmt::format("{} of the races that were predicted while the program ran {} neither confirmed nor excluded by "
                      "the record",
                      open, open == 1 ? "is" : "are"));
    }
    return print(text, ran.options, ran.report.process);
  }

  std::expected<int, InputError> finish(const ProgramEnd& end) {
    RunReport all;  // of the first process, with the races of all
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      auto& [report, options] = ran_[i];
      std::string text;
      // Processes that forked and did nothing worth saying say nothing.
      if (i == 0 || !report.races.empty()) text += closing_text(report);
      if (options.stats) text += counters_text(report);
      if (auto ok = print(text, options, report.process); !ok) return std::unexpected(std::move(ok.error()));
      if (i == 0) {
        all = report;
      } else {
        report::add_process(all, std::move(report));
      }
    }
    const report::RunOptions& options = ran_.front().options;
    auto printed = print(suppressions_text(suppressions_, options), options, all.process);
    if (!printed) return std::unexpected(std::move(printed.error()));
    if (auto written = write_reports(arguments_, all); !written) return std::unexpected(std::move(written.error()));
    return exit_code(all, options, end);
  }

  const RunArguments& arguments_;
  const AnalysisInfo& analysis_;
  report::RunOptions environment_;
  report::Suppressions suppressions_;
  ReportLog log_;
  std::vector<OnlineSession::Ran> ran_;
  std::chrono::steady_clock::duration took_{};  ///< the run that was watched
};

}  // namespace

std::string online_analyses() {
  return fmt::format("{}", fmt::join(kAnalyses, ", "));
}

const AnalysisInfo* find_online_analysis(std::string_view name) {
  return std::ranges::find(kAnalyses, name) == kAnalyses.end() ? nullptr : find_analysis(name);
}

std::string counters_text(const RunReport& report) {
  std::string text = fmt::format("OmenRaceDetector: counters (pid={}):\n", report.process);
  for (const auto& [name, value] : report.counters) {
    fmt::format_to(std::back_inserter(text), "  {:<32} {:>14}\n", name, value);
  }
  return text;
}

std::expected<int, InputError> run_online(const RunArguments& arguments) {
  const AnalysisInfo& analysis = online_analysis(arguments);
  if (!arguments.confirm.empty()) confirm_runs(arguments);
  auto environment = options_of("");  // before anything runs: what is wrong with it is said at once
  if (!environment) return std::unexpected(std::move(environment.error()));
  print_help_if_asked(*environment);
  auto suppressions = read_suppressions(arguments, *environment);
  if (!suppressions) return std::unexpected(std::move(suppressions.error()));
  return OnlineRun(arguments, analysis, std::move(*environment), std::move(*suppressions)).run();
}

}  // namespace omen::cli
