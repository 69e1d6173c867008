#include "cli/recorded_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <tuple>

#include "cli/end_signals.hpp"
#include "cli/inherited_signals.hpp"
#include "cli/leftovers.hpp"
#include "cli/preload.hpp"
#include "symbolize/instrumented.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 4;

}  // namespace

std::expected<TemporaryFolder, InputError> TemporaryFolder::create(const std::string& parent) {
  std::error_code error;
  std::string pattern = (parent.empty() ? fs::temp_directory_path(error) : fs::absolute(parent, error)).string();
  if (error) {
    const char* const temporary = std::getenv("TMPDIR");
    return std::unexpected(InputError{!parent.empty()        ? parent
                                      : temporary != nullptr ? temporary
                                                             : "the folder for temporary files",
                                      "", error.message()});
  }
  remove_leftovers(pattern);
  pattern += fmt::format("/{}XXXXXX", kRecordingFolder);
  const std::string named = pattern;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    pattern = named;
    if (mkdtemp(pattern.data()) == nullptr) break;
    const int lock = lock_folder(pattern.c_str());
    if (lock < 0 && attempt + 1 < kAttempts) {  // another omen took it for a leftover, or the file system has no locks
      rmdir(pattern.c_str());
      continue;
    }
    take_end_signals(pattern);
    return TemporaryFolder(pattern, lock);
  }
  return std::unexpected(InputError{pattern, "", fmt::format("cannot record here: {}", std::strerror(errno))});
}

std::expected<TemporaryFolder, InputError> TemporaryFolder::create_for_log(const std::string& parent) {
  auto folder = create(parent);
  for (const char* const other : {"/dev/shm", "."}) {
    if (folder || !parent.empty()) break;
    if (auto there = create(other)) return there;
  }
  return folder;
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  // A process that outlives the program may be about to create a file in the folder; it must not find it any more.
  std::error_code failed;
  const std::string hidden = path_ + ".done";
  fs::rename(path_, hidden, failed);
  std::error_code ignored;
  fs::remove_all(failed ? path_ : hidden, ignored);
  if (lock_ >= 0) close(lock_);
  give_back_end_signals();
}

RunningProgram::RunningProgram(RunningProgram&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), end_(other.end_) {}
RunningProgram::~RunningProgram() {
  if (pid_ != 0) wait();
}

std::expected<RunningProgram, InputError> RunningProgram::start(const std::vector<std::string>& command,
                                                                const Environment& environment, Streams streams) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int report[2];  // the child reports through it why the program could not start
  if (pipe2(report, O_CLOEXEC) != 0) return std::unexpected(InputError{command[0], "", std::strerror(errno)});
  std::optional<EndSignalsWait> waiting(std::in_place);
  const pid_t pid = fork();
  if (pid < 0) return std::unexpected(InputError{command[0], "", std::strerror(errno)});
  if (pid == 0) {
    waiting->undo_in_child();
    if (streams == Streams::OutputIsErrors) dup2(STDERR_FILENO, STDOUT_FILENO);
    if (streams == Streams::None) {
      const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
    }
    for (const auto& [name, value] : environment) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    restore_inherited_signals();
    execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto written = write(report[1], &error, sizeof error);
    _exit(127);
  }
  set_running_program(pid);
  waiting.reset();
  RunningProgram program(pid);
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
  set_running_program(0);
  end_ = ProgramEnd{.pid = pid_};
  if (WIFSIGNALED(status)) {
    end_->signal = WTERMSIG(status);
  } else {
    end_->code = WEXITSTATUS(status);
  }
  return end_;
}

std::expected<ProgramEnd, InputError> run_program(const std::vector<std::string>& command, const std::string& folder,
                                                  RunningProgram::Streams streams) {
  auto program = RunningProgram::start(
      command,
      {{"OMEN_RECORD", folder}, {"OMEN_ONLINE", std::nullopt}, {"OMEN_REPLAY", std::nullopt}, preload_variable()},
      streams);
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

bool is_instrumented_command(const std::vector<std::string>& command) {
  const std::string& name = command[0];
  if (name.contains('/')) return symbolize::is_instrumented(name);
  const char* const folders = std::getenv("PATH");
  std::string_view left = folders == nullptr ? "" : folders;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string path = fmt::format("{}/{}", end == 0 ? "." : left.substr(0, end), name);
    if (access(path.c_str(), X_OK) == 0) return symbolize::is_instrumented(path);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return true;
}

InputError nothing_recorded(const std::vector<std::string>& command) {
  return {command[0], "",
          preloads_runtime()
              ? "recorded nothing: --preload needs a program that is linked dynamically with the C library"
              : "recorded nothing: expected a program compiled with omen-cc or omen-c++ (`omen-c++ prog.cpp -o prog`); "
                "if only libraries that it loads were, use --preload"};
}

}  // namespace omen::cli
