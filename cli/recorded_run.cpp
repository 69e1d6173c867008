#include "cli/recorded_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <tuple>

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

/// The program that is running, for the handler that passes signals on.
volatile std::sig_atomic_t running_program = 0;

void pass_on(int signal) {
  if (running_program > 0) kill(static_cast<pid_t>(running_program), signal);
}

/// While it lives: interrupts from the terminal reach the program by themselves and are ignored here; a request to end
/// is passed on.
class SignalsForProgram {
 public:
  SignalsForProgram() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction action = {};
      action.sa_handler = kSignals[i] == SIGINT || kSignals[i] == SIGQUIT ? SIG_IGN : pass_on;
      sigaction(kSignals[i], &action, &old_[i]);
    }
  }
  ~SignalsForProgram() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

  /// In the child, before the program starts.
  void undo() const {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  struct sigaction old_[std::size(kSignals)] = {};
};

}  // namespace

std::expected<TemporaryFolder, InputError> TemporaryFolder::create(const std::string& parent) {
  std::error_code error;
  std::string pattern = (parent.empty() ? fs::temp_directory_path(error) : fs::absolute(parent, error)).string();
  if (error) return std::unexpected(InputError{parent, "", error.message()});
  pattern += "/.omen-recording-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return std::unexpected(InputError{pattern, "", fmt::format("cannot record here: {}", std::strerror(errno))});
  }
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
}

std::expected<ProgramEnd, InputError> run_program(const std::vector<std::string>& command, const std::string& folder) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int report[2];  // the child says through it why the program could not be started
  if (pipe2(report, O_CLOEXEC) != 0) return std::unexpected(InputError{command[0], "", std::strerror(errno)});
  const SignalsForProgram signals;
  const pid_t pid = fork();
  if (pid < 0) return std::unexpected(InputError{command[0], "", std::strerror(errno)});
  if (pid == 0) {
    signals.undo();
    setenv("OMEN_RECORD", folder.c_str(), 1);
    execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(report[1], &error, sizeof error);
    _exit(127);
  }
  running_program = pid;
  close(report[1]);
  int error = 0;
  const auto got = read(report[0], &error, sizeof error);
  close(report[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  running_program = 0;
  if (got == static_cast<ssize_t>(sizeof error)) {
    return std::unexpected(InputError{command[0], "", fmt::format("cannot run it: {}", std::strerror(error))});
  }
  ProgramEnd end{.pid = pid};
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.code = WEXITSTATUS(status);
  }
  return end;
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
  for (Named& file : found) result.push_back({std::move(file.path), file.pid});
  return result;
}

InputError nothing_recorded(const std::vector<std::string>& command) {
  return {command[0], "",
          "recorded nothing: expected a program compiled with omen-cc or omen-c++ (`omen-c++ prog.cpp -o prog`)"};
}

}  // namespace omen::cli
