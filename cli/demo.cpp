/// \file
/// `omen demo`: the whole way on the shipped program of examples/bank: compiled with omen-c++, run once, its race
/// reported, also as a page for a browser; and what ThreadSanitizer says of the same program, run several times.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/recorded_run.hpp"
#include "embedded/bank_program.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kPeerRuns = 20;
constexpr int kRaceFound = 66;  // ThreadSanitizer's exit code, and ours

/// Runs a command in a folder; its exit code, or nothing if it could not be run. `quiet`: its output is thrown away.
std::optional<int> run_in(const fs::path& folder, const Words& command, bool quiet) {
  std::fflush(stdout);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    if (quiet) {
      const int nothing = open("/dev/null", O_WRONLY);
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
    } else {
      dup2(STDOUT_FILENO, STDERR_FILENO);  // the report belongs between our own lines
    }
    if (chdir(folder.c_str()) == 0) execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) return std::nullopt;
  return WEXITSTATUS(status);
}

/// What is beside this program in its folder, or the name alone.
std::string beside(const char* name) {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error).parent_path() / name;
  return !error && fs::exists(path) ? path.string() : name;
}

/// In how many of the runs ThreadSanitizer reports the race. Nothing if it is not there, or does not start here.
std::optional<int> reports_of_thread_sanitizer(const fs::path& folder) {
  const Words build{"g++", "-std=c++20", "-g", "-fsanitize=thread", "bank.cpp", "-o", "bank-tsan"};
  if (run_in(folder, build, true) != 0) return std::nullopt;
  int found = 0;
  for (int i = 0; i < kPeerRuns; ++i) {
    const auto code = run_in(folder, {"./bank-tsan"}, true);
    if (code == kRaceFound) {
      ++found;
    } else if (code != 0) {
      return std::nullopt;
    }
  }
  return found;
}

/// Where users' programs keep what can be made anew; without a home, where temporary files go.
fs::path cache_folder() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "omen"}, std::pair{"HOME", ".cache/omen"}}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value == '/') return fs::path(value) / below;
  }
  return fs::temp_directory_path() / fmt::format("omen-{}", geteuid());
}

/// Copies the page to where it outlives this run. Each demo replaces the page of the last.
std::expected<fs::path, InputError> keep_page(const fs::path& made) {
  std::error_code error;
  const fs::path folder = cache_folder();
  const fs::path kept = folder / "demo.html";
  fs::create_directories(folder, error);
  std::ifstream in(made, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (auto written = write_text(kept.string(), text); !written) return std::unexpected(written.error());
  return kept;
}

std::expected<int, InputError> run() {
  const auto temporary = TemporaryFolder::create("");
  if (!temporary) return std::unexpected(temporary.error());
  const fs::path folder = temporary->path();
  std::ofstream(folder / "bank.cpp") << embedded::bank_program;

  fmt::print(
      "A bank (examples/bank/bank.cpp). A teller makes two deposits; an auditor compares the accounts with the total,\n"
      "which nothing guards. Both also take the lock of the log, and whoever takes it second seems to come after the\n"
      "other. So a run rarely shows the race.\n\n"
      "$ omen-c++ -std=c++20 -g bank.cpp -o bank\n");
  const auto built = run_in(folder, {beside("omen-c++"), "-std=c++20", "-g", "bank.cpp", "-o", "bank"}, false);
  if (built != 0)
    return std::unexpected(InputError{"bank.cpp", "", "omen-c++ could not compile it; is g++ installed?"});
  fmt::print("$ omen run --html bank.html -- ./bank\n");
  const auto code = run_in(folder, {beside("omen"), "run", "--html", "bank.html", "--", "./bank"}, false);
  if (code != kRaceFound) {
    return std::unexpected(InputError{
        "bank", "", fmt::format("omen run ended with {}, expected a race", code ? std::to_string(*code) : "a signal")});
  }
  fmt::print("\n$ g++ -std=c++20 -g -fsanitize=thread bank.cpp -o bank-tsan && ./bank-tsan     # {} times\n",
             kPeerRuns);
  if (const auto found = reports_of_thread_sanitizer(folder)) {
    fmt::print("ThreadSanitizer reports the race in {} of {} runs; omen needed one.\n", *found, kPeerRuns);
  } else {
    fmt::print("ThreadSanitizer is not installed or does not start here.\n");
  }
  const auto page = keep_page(folder / "bank.html");
  if (!page) return std::unexpected(page.error());
  fmt::print("\nThe report as a page, for a browser: {}\n", page->string());
  fmt::print("Next: compile a program of your own with omen-c++ -g, and ./omen run -- ./program\n");
  return kExitNothingFound;
}

const Command command{"demo", "Compile and run a small program, and find a race that its run does not show",
                      [](CLI::App&) -> Action { return [] { return run(); }; }};

}  // namespace
}  // namespace omen::cli
