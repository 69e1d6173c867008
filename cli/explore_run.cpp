#include "cli/explore_run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "cli/online_log_folder.hpp"
#include "cli/preload.hpp"
#include "cli/recorded_run.hpp"
#include "cli/run_parts.hpp"
#include "report/online_session.hpp"
#include "symbolize/symbolizer.hpp"

namespace omen::cli {
namespace {

using report::FailedThread;
using report::Failure;
using report::FailureKind;

/// A return address as module path and offset.
using ModulePlace = std::pair<std::string, std::uint64_t>;

/// Symbolizes places, and caches the modules: all runs are of the same program.
class ModuleFrames {
 public:
  report::Stack frames(const std::vector<ModulePlace>& places) {
    report::Stack stack;
    for (const auto& [path, offset] : places) {
      for (symbolize::Frame frame : symbolizer_.frames(begin_of(path) + offset)) {
        if (frame.function != "__omen_call_main") stack.push_back(std::move(frame));
      }
    }
    return stack;
  }

 private:
  static constexpr std::uint64_t kRoom = std::uint64_t{1}
                                         << 40;  // address range reserved for each module; larger than any

  std::uint64_t begin_of(const std::string& path) {
    const auto [known, is_new] = begins_.try_emplace(path, (begins_.size() + 1) * kRoom);
    const std::uint64_t begin = known->second;
    if (is_new) symbolizer_.add({.begin = begin, .end = begin + kRoom, .bias = begin, .path = path, .build_id = ""});
    return begin;
  }

  symbolize::Symbolizer symbolizer_{{}};
  std::map<std::string, std::uint64_t> begins_;
};

report::Stack frames_of(const std::vector<ModulePlace>& places) {
  static ModuleFrames modules;
  return modules.frames(places);
}

/// The log of one process.
struct ControlLog {
  std::uint64_t points = 0;
  std::uint64_t steps = 0;
  std::uint64_t threads = 0;
  std::string schedule;
  std::string why;  ///< the verdict; empty: it was killed
  bool released = false;
  std::string assertion;
  std::string crash;
  std::vector<FailedThread> stacks;
};

ControlLog read_control_log(const std::string& path) {
  ControlLog log;
  std::ifstream file(path);
  std::vector<std::vector<ModulePlace>> places;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "end") {
      words >> log.points >> log.steps >> log.threads >> log.schedule >> log.why;
    } else if (key == "released") {
      log.released = true;
      words >> log.points >> log.steps >> log.threads >> log.schedule;
    } else if (key == "assertion") {
      words >> std::ws;
      std::getline(words, log.assertion);
    } else if (key == "crash") {
      FailedThread thread;
      words >> thread.id >> log.crash;
      log.stacks.push_back(std::move(thread));
      places.emplace_back();
    } else if (key == "waits") {
      FailedThread thread;
      std::uint32_t holder = 0;
      words >> thread.id >> thread.waits_for >> holder >> std::hex >> thread.object;
      if (holder != 0) thread.held_by = holder - 1;
      log.stacks.push_back(std::move(thread));
      places.emplace_back();
    } else if (key == "frame" && !places.empty()) {
      std::uint64_t offset = 0;
      words >> offset >> std::ws;
      std::string module;
      std::getline(words, module);
      places.back().emplace_back(std::move(module), offset);
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    log.stacks[i].stack = frames_of(places[i]);
    log.stacks[i].label = log.stacks[i].id == 0 ? "main" : fmt::format("T{}", log.stacks[i].id);
  }
  return log;
}

std::optional<FailureKind> stuck_kind(const std::string& why) {
  for (const FailureKind kind : {FailureKind::Deadlock, FailureKind::LostWakeup, FailureKind::Livelock}) {
    if (why == report::name_in(report::kFailureKindNames, kind)) return kind;
  }
  return std::nullopt;
}

std::optional<Failure> failure_of(const ControlLog& log, const ProgramEnd& end, bool timed_out) {
  Failure failure;
  failure.threads = log.stacks;
  if (const auto stuck = stuck_kind(log.why)) {
    failure.kind = *stuck;
  } else if (timed_out) {
    failure.kind = FailureKind::Hang;
    failure.what = "the run did not end in time";
  } else if (!log.assertion.empty()) {
    failure.kind = FailureKind::Assertion;
    failure.what = log.assertion;
  } else if (end.signal != 0) {
    failure.kind = FailureKind::Crash;
    failure.what = report::signal_name(end.signal);
  } else if (end.code != 0) {
    failure.kind = FailureKind::ExitCode;
    failure.what = fmt::format("exit code {}", end.code);
  } else {
    return std::nullopt;
  }
  failure.fingerprint = fingerprint(failure);
  return failure;
}

bool thread_runs(std::uint64_t process, std::uint64_t thread) {
  return access(fmt::format("/proc/{}/task/{}", process, thread).c_str(), F_OK) == 0;
}

}  // namespace

void fix_addresses() {
  const int now = personality(0xffffffff);
  if (now >= 0) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
}

std::expected<ExploredRun, InputError> explore_once(const ExploreSettings& settings, std::uint64_t seed,
                                                    std::uint64_t steps, report::Suppressions suppressions) {
  using Clock = std::chrono::steady_clock;
  const auto folder = TemporaryFolder::create("");
  if (!folder) return std::unexpected(folder.error());
  auto control = OnlineControl::create(folder->path());
  if (!control) return std::unexpected(std::move(control.error()));
  report::OnlineSession session(
      suppressions, {.options_of = options_of,
                     .print = [](const std::string&, const report::RunOptions&,
                                 std::uint64_t) -> std::expected<void, InputError> { return {}; },
                     .judge = [&](std::uint64_t race, online::Judgement judgement) { control->judge(race, judgement); },
                     .is_running = thread_runs});
  OnlineLogs logs(folder->path());
  const std::string log = folder->path() + "/explore";
  auto program = RunningProgram::start(
      settings.command,
      {{"OMEN_ONLINE", fmt::format("{}:{}", settings.analysis, folder->path())},
       {"OMEN_EXPLORE", fmt::format("log={}:strategy={}:seed={}:depth={}:steps={}:points={}", log, settings.strategy,
                                    seed, settings.depth, steps, settings.points)},
       {"OMEN_RECORD", std::nullopt},
       {"OMEN_REPLAY", std::nullopt},
       preload_variable()},
      settings.shows_output ? RunningProgram::Streams::Ours : RunningProgram::Streams::None);
  if (!program) return std::unexpected(std::move(program.error()));
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, program->pid(), 0));
  const auto deadline = Clock::now() + std::chrono::seconds(settings.timeout);
  bool timed_out = false;
  std::optional<ProgramEnd> end;
  while (true) {
    end = program->end();
    logs.read([&](std::uint64_t process, const online::Message& message) { return session.take(process, message); });
    if (logs.error()) control->let_all_go_on();
    if (end) break;
    if (!timed_out && Clock::now() > deadline) {
      timed_out = true;
      kill(program->pid(), SIGKILL);
    }
    logs.wait(descriptor);
  }
  if (descriptor >= 0) close(descriptor);
  if (logs.error()) return std::unexpected(*logs.error());
  ExploredRun run;
  for (auto& ran : session.all(static_cast<std::uint64_t>(end->pid))) {
    if (run.report.command.empty()) {
      run.report = std::move(ran.report);
    } else {
      report::add_process(run.report, std::move(ran.report));
    }
  }
  run.report.exit = exit_status(*end);
  run.report.command = settings.command;
  // The first process determines how the run ended; its children may be stuck.
  const std::string own = fmt::format("{}.{}", log, end->pid);
  ControlLog first = read_control_log(own);
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder->path(), ignored)) {
    const std::string path = entry.path().string();
    if (!path.starts_with(log + ".")) continue;
    const ControlLog other = path == own ? first : read_control_log(path);
    run.controlled = true;
    run.released |= other.released;
    run.points += other.points;
    run.threads += other.threads;
    if (path == own) continue;
    if (auto failure = failure_of(other, {}, false)) run.report.failures.push_back(std::move(*failure));
  }
  run.schedule = first.schedule;
  run.steps = first.steps;
  run.why = first.why;
  if (auto failure = failure_of(first, *end, timed_out)) {
    run.report.failures.insert(run.report.failures.begin(), std::move(*failure));
  }
  return run;
}

}  // namespace omen::cli
