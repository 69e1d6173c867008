#include "cli/recorded_run.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <tuple>

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

/// The program that is running, for the handler that passes signals on.
volatile std::sig_atomic_t running_program = 0;

void pass_on(int signal) {
  if (running_program > 0) kill(static_cast<pid_t>(running_program), signal);
}

constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

/// The folder that is there, for the handler; written while the signals have their old actions.
char folder_to_remove[4096];
struct sigaction before_folder[std::size(kSignals)];

/// Only with what a signal handler may call. There are no folders inside.
void remove_folder_now(const char* path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char entries[4096];
  while (true) {
    const long bytes = syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      unlinkat(folder, entry->d_name, 0);
      at += entry->d_reclen;
    }
  }
  close(folder);
  rmdir(path);
}

void remove_folder_and_end(int signal) {
  remove_folder_now(folder_to_remove);
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);  // comes when this handler returns
}

void remove_on_signals(const std::string& path) {
  if (path.size() + 1 > sizeof folder_to_remove) return;
  std::memcpy(folder_to_remove, path.c_str(), path.size() + 1);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_folder[i]);
    if (before_folder[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = remove_folder_and_end;
    sigaction(kSignals[i], &action, nullptr);
  }
}

void no_longer_on_signals() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_folder[i], nullptr);
}

}  // namespace

class SignalsForProgram {
 public:
  SignalsForProgram() {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : kSignals) sigaddset(&ours, signal);
    sigprocmask(SIG_BLOCK, &ours, &mask_);
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction action = {};
      action.sa_handler = kSignals[i] == SIGINT || kSignals[i] == SIGQUIT ? SIG_IGN : pass_on;
      sigaction(kSignals[i], &action, &old_[i]);
    }
  }
  ~SignalsForProgram() {
    come_through();
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

  /// Once it is known whom to pass them on to. Until then they wait.
  void come_through() const { sigprocmask(SIG_SETMASK, &mask_, nullptr); }

  /// In the child, before the program starts: what was ignored stays so, our handlers are not for it.
  void undo_in_child() const {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction action = {};
      action.sa_handler = old_[i].sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL;
      sigaction(kSignals[i], &action, nullptr);
    }
    come_through();
  }

 private:
  struct sigaction old_[std::size(kSignals)] = {};
  sigset_t mask_;
};

std::expected<TemporaryFolder, InputError> TemporaryFolder::create(const std::string& parent) {
  std::error_code error;
  std::string pattern = (parent.empty() ? fs::temp_directory_path(error) : fs::absolute(parent, error)).string();
  if (error) return std::unexpected(InputError{parent, "", error.message()});
  pattern += "/.omen-recording-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return std::unexpected(InputError{pattern, "", fmt::format("cannot record here: {}", std::strerror(errno))});
  }
  remove_on_signals(pattern);
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  // A process that outlives the program may be about to put a file there: it must not find the folder any more.
  std::error_code failed;
  const std::string hidden = path_ + ".done";
  fs::rename(path_, hidden, failed);
  std::error_code ignored;
  fs::remove_all(failed ? path_ : hidden, ignored);
  no_longer_on_signals();
}

RunningProgram::RunningProgram(int pid, std::unique_ptr<SignalsForProgram> signals)
    : pid_(pid), signals_(std::move(signals)) {}
RunningProgram::RunningProgram(RunningProgram&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), end_(other.end_), signals_(std::move(other.signals_)) {}
RunningProgram::~RunningProgram() {
  if (pid_ != 0) wait();
}

std::expected<RunningProgram, InputError> RunningProgram::start(const std::vector<std::string>& command,
                                                                const Environment& environment) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int report[2];  // the child says through it why the program could not be started
  if (pipe2(report, O_CLOEXEC) != 0) return std::unexpected(InputError{command[0], "", std::strerror(errno)});
  auto signals = std::make_unique<SignalsForProgram>();
  const pid_t pid = fork();
  if (pid < 0) return std::unexpected(InputError{command[0], "", std::strerror(errno)});
  if (pid == 0) {
    signals->undo_in_child();
    for (const auto& [name, value] : environment) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(report[1], &error, sizeof error);
    _exit(127);
  }
  running_program = pid;
  signals->come_through();
  RunningProgram program(pid, std::move(signals));
  close(report[1]);
  int error = 0;
  const auto got = read(report[0], &error, sizeof error);
  close(report[0]);
  if (got == static_cast<ssize_t>(sizeof error)) {
    return std::unexpected(InputError{command[0], "", fmt::format("cannot run it: {}", std::strerror(error))});
  }
  return program;
}

std::optional<ProgramEnd> RunningProgram::waited(bool blocking) {
  if (end_) return end_;
  int status = 0;
  pid_t got = 0;
  do got = waitpid(pid_, &status, blocking ? 0 : WNOHANG);
  while (got < 0 && errno == EINTR);
  if (got == 0) return std::nullopt;
  running_program = 0;
  end_ = ProgramEnd{.pid = pid_};
  if (WIFSIGNALED(status)) {
    end_->signal = WTERMSIG(status);
  } else {
    end_->code = WEXITSTATUS(status);
  }
  return end_;
}

std::expected<ProgramEnd, InputError> run_program(const std::vector<std::string>& command, const std::string& folder) {
  auto program = RunningProgram::start(command, {{"OMEN_RECORD", folder}, {"OMEN_ONLINE", std::nullopt}});
  if (!program) return std::unexpected(std::move(program.error()));
  return program->wait();
}

std::vector<Recording> recordings_in(const std::string& folder, int first_pid) {
  struct Named {
    int pid = 0;
    int number = 0;
    std::string path;
  };
  std::vector<Named> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".raw")) continue;
    Named file{.path = entry.path().string()};
    const auto pid = std::from_chars(name.data(), name.data() + name.size(), file.pid);
    if (*pid.ptr == '.') std::from_chars(pid.ptr + 1, name.data() + name.size(), file.number);
    found.push_back(std::move(file));
  }
  std::ranges::sort(found, [&](const Named& a, const Named& b) {
    return std::tuple(a.pid != first_pid, a.pid, a.number) < std::tuple(b.pid != first_pid, b.pid, b.number);
  });
  std::vector<Recording> result;
  result.reserve(found.size());
  for (Named& file : found) result.push_back({std::move(file.path), file.pid});
  return result;
}

InputError nothing_recorded(const std::vector<std::string>& command) {
  return {command[0], "",
          "recorded nothing: expected a program compiled with omen-cc or omen-c++ (`omen-c++ prog.cpp -o prog`)"};
}

}  // namespace omen::cli
