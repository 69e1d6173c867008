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
#include "cli/preload.hpp"
#include "report/online_session.hpp"
#include "report/race_text.hpp"
#include "report/same_finding.hpp"

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

/// The number of runs in `--confirm`.
std::uint32_t confirm_runs(const RunArguments& arguments) {
  std::uint32_t runs = 0;
  const char* const end = arguments.confirm.data() + arguments.confirm.size();
  const auto [stop, wrong] = std::from_chars(arguments.confirm.data(), end, runs);
  if (wrong != std::errc{} || stop != end || runs == 0) {
    throw CLI::ValidationError("--confirm", "expected a number from 1 on, not '" + arguments.confirm + "'");
  }
  return runs;
}

/// OMEN_OPTIONS for the program's runtime: the environment's own, with options that the runtime obeys and that
/// TSAN_OPTIONS has set.
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
  OnlineRun(const RunArguments& arguments, const AnalysisInfo& analysis, RunSetting& setting)
      : arguments_(arguments), analysis_(analysis), setting_(setting), suppressions_(setting.suppressions) {}

  std::expected<OneRun, InputError> run() {
    const auto end = run_watched();
    if (!end) return std::unexpected(end.error());
    if (!arguments_.confirm.empty()) {
      if (auto ok = demonstrate_predictions(confirm_runs(arguments_)); !ok) return std::unexpected(ok.error());
    }
    return finish(*end);
  }

 private:
  /// Runs the program, and analyses the record if there is one. Afterwards the folder is removed.
  std::expected<ProgramEnd, InputError> run_watched() {
    const auto folder = arguments_.record ? TemporaryFolder::create(arguments_.folder)
                                          : TemporaryFolder::create_for_log(arguments_.folder);
    if (!folder) return std::unexpected(folder.error());
    const auto begin = std::chrono::steady_clock::now();
    auto end = follow(folder->path());
    took_ = std::chrono::steady_clock::now() - begin;
    if (end && arguments_.record) {
      if (auto ok = add_records(folder->path(), *end); !ok) return std::unexpected(ok.error());
    }
    return end;
  }

  /// Runs the program again for each predicted race without a witness.
  std::expected<void, InputError> demonstrate_predictions(std::uint32_t runs) {
    // The waits make a run longer; the runtime bounds their total time.
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(10 * took_) + std::chrono::seconds(20);
    OnlineSession::Ran& ran = ran_.front();  // the first process has started all others
    for (report::Race& race : ran.report.races) {
      if (race.observed || race.confirmed || setting_.was_said(race)) continue;
      race.demonstration = demonstrate(race, arguments_.command, runs, longest);
      const report::TextStyle style = text_style(arguments_.text, ran.options);
      if (auto ok = print(finding_text(race, style), ran.options, ran.report.process); !ok) return ok;
    }
    return {};
  }

  std::expected<void, InputError> print(const std::string& text, const report::RunOptions& options,
                                        std::uint64_t process) {
    return text.empty() ? std::expected<void, InputError>{} : setting_.log.print(text, options, process);
  }

  /// Runs the program, and prints its races as they arrive.
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
         .is_known = [this](const report::Race& race) { return is_known(race) || setting_.was_said(race); },
         .style = [this](const report::RunOptions& options) { return text_style(arguments_.text, options); }});
    OnlineLogs logs(folder);
    RunningProgram::Environment environment{{"OMEN_ONLINE", fmt::format("{}:{}", analysis_.name, folder)},
                                            {"OMEN_RECORD", arguments_.record ? std::optional(folder) : std::nullopt},
                                            preload_variable()};
    if (std::string options = options_for_runtime(setting_.environment); !options.empty()) {
      environment.emplace_back("OMEN_OPTIONS", std::move(options));
    }
    auto program = RunningProgram::start(arguments_.command, environment, streams_of(arguments_));
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
    for (OnlineSession::Ran& ran : ran_) {
      take_known(ran);
      if (std::string note = nothing_watched_note(ran.modules); !note.empty())
        ran.report.notes.push_back(std::move(note));
    }
    // With a record, the analysis of the record counts all races again.
    if (!arguments_.record) session.count_suppressed();
    ran_.front().report.exit = exit_status(*end);
    return *end;
  }

  bool is_known(const report::Race& race) const { return setting_.baseline && setting_.baseline->knows(race); }

  /// Races of the baseline become known ones; races that only earlier runs have printed belong to this run too.
  void take_known(OnlineSession::Ran& ran) const {
    if (setting_.baseline) ran.report.baseline.emplace();
    for (report::Race& race : ran.known) {
      (is_known(race) ? ran.report.baseline->known : ran.report.races).push_back(std::move(race));
    }
    ran.known.clear();
  }

  InputError nothing_said() const {
    if (!is_instrumented_command(arguments_.command)) return nothing_recorded(arguments_.command);
    return {arguments_.command[0], "",
            "said nothing, though it is compiled with omen-cc: expected the runtime of this omen, and memory for it "
            "(a message above says so if there was none; see `ulimit -v`)"};
  }

  /// Adds the records' results for each process: confirmations, and races that only a record shows.
  std::expected<void, InputError> add_records(const std::string& folder, const ProgramEnd& end) {
    std::map<std::uint64_t, std::queue<std::size_t>>
        images;  // process → its images in order, which is also the order of its recordings
    for (std::size_t i = 0; i < ran_.size(); ++i) images[ran_[i].report.process].push(i);
    for (const Recording& recording : recordings_in(folder, end.pid)) {
      auto& of_process = images[static_cast<std::uint64_t>(recording.pid)];
      if (of_process.empty()) {  // the process wrote no log
        of_process.push(ran_.size());
        ran_.emplace_back();
        ran_.back().options = setting_.environment;
      }
      OnlineSession::Ran& ran = ran_[of_process.front()];
      of_process.pop();
      const bool is_first = recording.pid == end.pid;
      auto result = report_on(recording, arguments_, analysis_, is_first ? &end : nullptr);
      if (!result) return std::unexpected(std::move(result.error()));
      if (!ran.options.report_bugs) report::clear_races(result->report);
      suppressions_.apply(result->report);
      if (setting_.baseline) setting_.baseline->apply(result->report);
      auto known = std::move(ran.report.baseline);
      ran.report = with_record(std::move(ran.report), std::move(result->report));
      for (std::size_t i = 0; known && i < known->known.size(); ++i) {
        auto& all = ran.report.baseline->known;
        if (report::find_same(all, known->known[i]) == nullptr) all.push_back(std::move(known->known[i]));
      }
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
      if (race.online || arguments_.unconfirmed)
        text += unconfirmed_text(race, style);  // an online race was printed as a race before
    }
    for (const report::Race& race : ran.report.races) {
      if (setting_.was_said(race)) continue;
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

  std::expected<OneRun, InputError> finish(const ProgramEnd& end) {
    RunReport all;  // the first process's report, with the races of all
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      RunReport& found = ran_[i].report;
      const report::RunOptions& options = ran_[i].options;
      std::string text;
      // A forked process without findings prints nothing.
      if (!setting_.repeated && (i == 0 || !found.races.empty()))
        text += report::closing_text(found, text_style(arguments_.text, options).columns);
      if (options.stats) text += counters_text(found);
      if (auto ok = print(text, options, found.process); !ok) return std::unexpected(std::move(ok.error()));
      if (i == 0) {
        all = std::move(found);
      } else {
        report::add_process(all, std::move(found));
      }
    }
    return OneRun{std::move(all), ran_.front().options, end};
  }

  const RunArguments& arguments_;
  const AnalysisInfo& analysis_;
  RunSetting& setting_;
  report::Suppressions& suppressions_;
  std::vector<OnlineSession::Ran> ran_;
  std::chrono::steady_clock::duration took_{};  ///< duration of the watched run
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

void check_online(const RunArguments& arguments) {
  online_analysis(arguments);
  if (!arguments.confirm.empty()) confirm_runs(arguments);
}

std::expected<OneRun, InputError> run_online(const RunArguments& arguments, RunSetting& setting) {
  return OnlineRun(arguments, online_analysis(arguments), setting).run();
}

}  // namespace omen::cli
