#include "cli/other_programs.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace omen::cli {
namespace {

constexpr int kNotRun = 127;

/// Does not come back.
[[noreturn]] void become(const std::filesystem::path& folder, const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (chdir(folder.c_str()) == 0) execvp(arguments[0], arguments.data());
  _exit(kNotRun);
}

std::optional<int> exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) == kNotRun) return std::nullopt;
  return WEXITSTATUS(status);
}

}  // namespace

std::string beside(const char* name) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name;
  return !error && std::filesystem::exists(path) ? path.string() : name;
}

std::optional<int> run_in(const std::filesystem::path& folder, const std::vector<std::string>& command, Output output) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    if (output == Output::None) {
      const int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, STDOUT_FILENO);
    }
    dup2(STDOUT_FILENO, STDERR_FILENO);
    become(folder, command);
  }
  return exit_code_of(child);
}

std::optional<std::string> output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    become(".", command);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; child > 0 && (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (child < 0 || exit_code_of(child) != 0) return std::nullopt;
  return text;
}

}  // namespace omen::cli
