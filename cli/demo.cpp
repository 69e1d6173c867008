/// \file
/// `omen demo`: the complete workflow on the shipped program examples/bank: compiles it with omen-c++, runs it once,
/// reports its race, also as a page for a browser; and runs the same program several times with ThreadSanitizer.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/other_programs.hpp"
#include "cli/output.hpp"
#include "cli/recorded_run.hpp"
#include "embedded/bank_program.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kPeerRuns = 20;
constexpr int kRaceFound = 66;  // ThreadSanitizer's exit code, and omen's

/// The number of runs in which ThreadSanitizer reports the race. Nothing if it is not installed, or does not start
/// here.
std::optional<int> reports_of_thread_sanitizer(const fs::path& folder) {
  const std::vector<std::string> build{"g++", "-std=c++20", "-g", "-fsanitize=thread", "bank.cpp", "-o", "bank-tsan"};
  if (run_in(folder, build, Output::None) != 0) return std::nullopt;
  int found = 0;
  for (int i = 0; i < kPeerRuns; ++i) {
    const auto code = run_in(folder, {"./bank-tsan"}, Output::None);
    if (code == kRaceFound) {
      ++found;
    } else if (code != 0) {
      return std::nullopt;
    }
  }
  return found;
}

/// The user's cache folder; without a home folder the one for temporary files.
fs::path cache_folder() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "omen"}, std::pair{"HOME", ".cache/omen"}}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value == '/') return fs::path(value) / below;
  }
  return fs::temp_directory_path() / fmt::format("omen-{}", geteuid());
}

/// Copies the page to a folder that outlives this run. Each demo overwrites the page of the previous one.
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
  const auto built = run_in(folder, {beside("omen-c++"), "-std=c++20", "-g", "bank.cpp", "-o", "bank"}, Output::Ours);
  if (built != 0)
    return std::unexpected(InputError{"bank.cpp", "", "omen-c++ could not compile it; is g++ installed?"});
  fmt::print("$ omen run --html bank.html -- ./bank\n");
  const auto code = run_in(folder, {beside("omen"), "run", "--html", "bank.html", "--", "./bank"}, Output::Ours);
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
  fmt::print("Next, a program of your own:\n$ PATH={}:$PATH\n$ omen-c++ -g prog.cpp -o prog && omen run -- ./prog\n",
             fs::path(beside("omen-c++")).parent_path().string());
  return kExitNothingFound;
}

const Command command{
    "demo", "Compile and run a small program, and find a race that its run does not show", [](CLI::App& app) -> Action {
      app.footer(
          "It needs omen-c++ and a compiler. The page with the report goes to ~/.cache/omen/demo.html.\n"
          "Exit code: 0; 65 if the program cannot be built, or omen finds no race in it.");
      return [] { return run(); };
    }};

}  // namespace
}  // namespace omen::cli
