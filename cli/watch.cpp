/// \file
/// `omen watch`: started by a program that runs with `mode=online` in OMEN_OPTIONS and without `omen run`
/// (capture/runtime/watcher.hpp). It reads the program's log, prints the races as `omen run --online` does, and gives
/// each process of the program its exit code.
///
/// It leaves the program's process group, and closes everything inherited from the program except the standard streams.
/// It ends when every process that the program became or forked is gone, however it ended.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>

#include "cli/command.hpp"
#include "cli/online_log_folder.hpp"
#include "cli/online_run.hpp"
#include "cli/report_log.hpp"
#include "report/online_session.hpp"
#include "report/race_text.hpp"

namespace omen::cli {
namespace {

using report::OnlineSession;
using report::RunOptions;

struct Options {
  std::uint64_t answer = 0;  ///< descriptor on which the program waits for omen to be ready
  std::uint64_t lives = 0;   ///< descriptor whose other end is closed when the last process of the program is gone
  bool help = false;
};

bool thread_runs(std::uint64_t process, std::uint64_t thread) {
  return access(fmt::format("/proc/{}/task/{}", process, thread).c_str(), F_OK) == 0;
}

class Watch {
 public:
  Watch(const Options& options, const RunOptions& environment, report::Suppressions suppressions, std::string folder)
      : lives_(static_cast<int>(options.lives)),
        environment_(environment),
        suppressions_(std::move(suppressions)),
        control_file_(folder + "/" + online_log::kControlFile),
        folder_(std::move(folder)) {}

  std::expected<void, InputError> run(int answer) {
    auto control = OnlineControl::create(folder_);
    if (!control) return std::unexpected(std::move(control.error()));
    const std::string ready = fmt::format("{} {}:{}\n", getpid(), environment_.analysis, folder_);
    const bool told = write(answer, ready.data(), ready.size()) == static_cast<ssize_t>(ready.size());
    close(answer);
    if (!told) return std::unexpected(InputError{"the program", "", "is gone before it began"});

    control_ = &*control;
    OnlineSession session(
        suppressions_,
        {.options_of = options_of,
         .print = [this](const std::string& text, const RunOptions& options,
                         std::uint64_t process) { return print(text, options, process); },
         .judge = [&](std::uint64_t race, online::Judgement judgement) { control->judge(race, judgement); },
         .is_running = thread_runs,
         .style = [](const RunOptions& options) { return text_style({}, options); }});
    session_ = &session;
    OnlineLogs logs(folder_);
    const auto read = [&] {
      logs.read([&](std::uint64_t process, const online::Message& message) { return take(process, message); });
      if (logs.error()) control->let_all_go_on();
    };
    read();
    for (int someone = someone_left(); someone >= 0; someone = someone_left()) {
      logs.wait(someone);
      read();
    }
    read();
    if (logs.error()) return std::unexpected(*logs.error());
    for (const auto& [process, state] : processes_) {
      if (state != State::Ended) close_process(process);
    }
    return {};
  }

 private:
  enum class State : std::uint8_t { Runs, Ended };

  std::expected<void, InputError> print(const std::string& text, const RunOptions& options, std::uint64_t process) {
    return text.empty() ? std::expected<void, InputError>{} : log_.print(text, options, process);
  }

  std::expected<void, InputError> take(std::uint64_t process, const online::Message& message) {
    processes_.emplace(process, State::Runs);
    if (first_ == 0) first_ = process;
    if (auto taken = session_->take(process, message); !taken) return taken;
    if (const auto* const exit = std::get_if<online::Exit>(&message)) {
      const int code = close_process(process);
      processes_[process] = State::Ended;
      control_->end(exit->number, code);
    }
    return {};
  }

  /// Prints the process's final text. Returns the code to end with; 0: its own.
  int close_process(std::uint64_t process) {
    int code = 0;
    for (const OnlineSession::Ran& ran : session_->all(process)) {
      if (ran.report.process != process) continue;
      const RunOptions& options = ran.options;
      std::string text;
      if (process == first_ || !ran.report.races.empty())
        text += closing_text(ran.report, text_style({}, options).columns);
      if (options.stats) text += counters_text(ran.report);
      if (process == first_) {
        session_->count_suppressed();
        text += suppressions_text(suppressions_, options);
      }
      if (auto printed = print(text, options, process); !printed) {
        std::fprintf(stderr, "omen: %s\n", printed.error().text().c_str());
      }
      const bool fails = std::ranges::any_of(ran.report.races, [&](const report::Race& race) {
        return race.observed || options.fail_on == report::AloneFailOn::Predicted;
      });
      if (fails) code = options.exitcode;
    }
    return code;
  }

  /// A descriptor that reports the end of a remaining process; -1: none remains. The logs are read before each call.
  int someone_left() {
    // Processes are known by their logs, which are read once more after the descriptor was closed.
    if (!all_closed_) {
      char ignored = 0;
      all_closed_ = ::read(lives_, &ignored, 1) == 0;
      return lives_;
    }
    // A program may close all its descriptors. A process that still runs the program has omen's control page mapped.
    if (pidfd_ >= 0) close(pidfd_);
    pidfd_ = -1;
    for (const auto& [process, state] : processes_) {
      if (state == State::Ended || !has_control_page(process)) continue;
      pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
      if (pidfd_ >= 0) return pidfd_;
    }
    return -1;
  }

  bool has_control_page(std::uint64_t process) const {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);) {
      if (line.ends_with(control_file_)) return true;
    }
    return false;
  }

  int lives_;
  int pidfd_ = -1;
  bool all_closed_ = false;
  const RunOptions& environment_;
  report::Suppressions suppressions_;
  std::string control_file_;
  std::string folder_;
  ReportLog log_;
  OnlineControl* control_ = nullptr;
  OnlineSession* session_ = nullptr;
  std::uint64_t first_ = 0;
  std::map<std::uint64_t, State> processes_;
};

/// Closes everything inherited from the program, and ignores the signals that end it.
void leave_program(const Options& options) {
  setsid();
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP}) std::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const auto [low, high] = std::minmax({static_cast<unsigned>(options.answer), static_cast<unsigned>(options.lives)});
  close_range(3, low - 1, 0);
  if (low + 1 < high) close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0U, 0);
  for (const unsigned descriptor : {low, high}) fcntl(static_cast<int>(descriptor), F_SETFD, FD_CLOEXEC);
  fcntl(static_cast<int>(options.lives), F_SETFL, O_NONBLOCK);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
}

std::expected<int, InputError> watch(const Options& options) {
  if (options.help) {
    std::fputs(options_help_text().c_str(), stderr);
    return kExitNothingFound;
  }
  if (options.answer < 3 || options.lives < 3 || options.answer == options.lives) {
    throw CLI::ValidationError("watch", "is started by programs (OMEN_OPTIONS=mode=online)");
  }
  auto environment = options_of("");
  if (!environment) return std::unexpected(std::move(environment.error()));
  if (find_online_analysis(environment->analysis) == nullptr) {
    return std::unexpected(
        InputError{"OMEN_OPTIONS", "",
                   fmt::format("expected one of {} for analysis, not '{}'", online_analyses(), environment->analysis)});
  }
  auto suppressions = read_suppressions({}, *environment);
  if (!suppressions) return std::unexpected(std::move(suppressions.error()));
  leave_program(options);
  // As nobody's child, this process is invisible to the program's waits.
  if (const pid_t child = fork(); child != 0) _exit(child > 0 ? kExitNothingFound : kExitInput);
  const auto folder = TemporaryFolder::create("");
  if (!folder) return std::unexpected(folder.error());
  auto done =
      Watch(options, *environment, std::move(*suppressions), folder->path()).run(static_cast<int>(options.answer));
  if (!done) return std::unexpected(std::move(done.error()));
  return kExitNothingFound;
}

const Command command{"watch", "Follow a program that was started alone (programs start it themselves)",
                      [](CLI::App& app) -> Action {
                        auto options = std::make_shared<Options>();
                        app.group("");
                        add_number(app, "--answer", options->answer, "descriptor to say on that all is ready");
                        add_number(app, "--lives", options->lives, "descriptor that closes when the program is gone");
                        app.add_flag("--options", options->help, "print what OMEN_OPTIONS can say");
                        return [options] { return watch(*options); };
                      }};

}  // namespace
}  // namespace omen::cli
