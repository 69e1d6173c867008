/// \file
/// `omen doctor`: checks what works on this machine, and says how to fix what does not. It does not only look for
/// compilers: each one compiles a program with a race, which is run in both ways.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/other_programs.hpp"
#include "cli/recorded_run.hpp"
#include "cli/version.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kSomethingMissing = 1;
constexpr int kRaceFound = 66;

constexpr const char* kProgram = R"(#include <thread>
int x;
int main() {
  std::thread a([] { x = 1; });
  std::thread b([] { x = 2; });
  a.join();
  b.join();
}
)";

enum class State : std::uint8_t { Works, Limited, Fails };

class Doctor {
 public:
  int examine() {
    fmt::print("{}\n", version_text());
    look_for_parts();
    look_at_system();
    try_compilers();
    look_for_libraries();
    if (failed_ == 0) {
      fmt::print("omen works here.\n");
      return kExitNothingFound;
    }
    fmt::print("{} of these must be mended.\n", failed_);
    return kSomethingMissing;
  }

 private:
  void say(State state, std::string_view what, std::string_view found, std::string_view advice = {}) {
    constexpr std::array<std::string_view, 3> kWords{"ok", "limited", "FAILS"};
    fmt::print("{:<8} {:<16} {}\n", kWords[static_cast<std::size_t>(state)], what, found);
    if (!advice.empty()) fmt::print("{:<8} {:<16} {}\n", "", "", advice);
    if (state == State::Fails) ++failed_;
  }

  static std::string first_line(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
  }

  void look_for_parts() {
    const fs::path driver = beside("omen-c++");
    if (!driver.is_absolute()) {
      return say(State::Fails, "omen-c++", "is not beside omen", "Build or install omen whole: cmake --install.");
    }
    const fs::path root = driver.parent_path().parent_path();
    for (const char* const folder : {"lib", "lib/omen"}) {
      const fs::path runtime = root / folder / "libomen_rt.a";
      std::error_code error;
      if (fs::exists(runtime, error)) return say(State::Works, "runtime", runtime.string());
    }
    say(State::Fails, "runtime", "libomen_rt.a is missing", "Build the target omen_rt, or install omen-dev.");
  }

  void look_at_system() {
    say_processor();
    std::error_code error;
    if (!fs::exists("/proc/self/maps", error)) {
      say(State::Limited, "/proc", "is not mounted",
          "The end of a program does not wait for its threads; mount /proc in the container.");
    }
    say_disk();
    rlimit memory = {};
    if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY) {
      say(State::Limited, "address space", fmt::format("limited to {} MiB (ulimit -v)", memory.rlim_cur >> 20),
          "omen run --online and mode=online need much address space: ulimit -v unlimited.");
    }
    if (first_line("/proc/sys/vm/overcommit_memory") == "2") {
      say(State::Limited, "memory", "vm.overcommit_memory is 2",
          "omen run --online and mode=online reserve more than they use: sysctl vm.overcommit_memory=0.");
    }
    const std::string random = first_line("/proc/sys/kernel/randomize_va_space");
    if (!random.empty()) {
      say(State::Works, "ASLR", random == "0" ? "off" : fmt::format("on ({}); omen needs no fixed addresses", random));
    }
    const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
    if (scope.empty() || scope == "0" || scope == "1") {
      say(State::Works, "ptrace", scope == "1" ? "for child processes: omen replay --gdb works" : "not restricted");
    } else {
      say(State::Limited, "ptrace", fmt::format("kernel.yama.ptrace_scope is {}", scope),
          "omen replay --gdb needs it: sysctl kernel.yama.ptrace_scope=1. All else works.");
    }
  }

  void say_processor() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("flags")) continue;
      if (line.contains(" avx ")) return say(State::Works, "processor", "has AVX");
      return say(State::Limited, "processor", "has no AVX", "omen run records; --online and mode=online do not work.");
    }
  }

  void say_disk() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error || access(folder.c_str(), W_OK) != 0) {
      return say(State::Fails, "disk",
                 fmt::format("cannot write to {}", error ? "the folder for temporary files" : folder.string()),
                 "Set TMPDIR to a folder for temporary files.");
    }
    struct statvfs room = {};
    if (statvfs(folder.c_str(), &room) != 0) return;
    const auto free = room.f_bavail * room.f_frsize >> 20;
    const auto whole = room.f_blocks * room.f_frsize >> 20;
    const auto kept = std::min<unsigned long>(whole / 10, 1024);  // the part that a recording leaves free
    const std::string found = fmt::format("{} MiB free in {}", free, folder.string());
    if (free > kept + 1024) return say(State::Works, "disk", found);
    say(State::Limited, "disk", fmt::format("{}; recordings leave {} MiB free", found, kept),
        "Free some, or record elsewhere: omen run --folder D, or TMPDIR.");
  }

  /// Tries the compilers that omen-c++ chooses by itself, and the others that are installed.
  void try_compilers() {
    const auto temporary = TemporaryFolder::create("");
    if (!temporary) return say(State::Fails, "compilers", temporary.error().text());
    std::ofstream(fs::path(temporary->path()) / "race.cpp") << kProgram;
    bool any = false;
    for (const char* const name : {"g++", "clang++-19", "clang++"}) {
      const auto version = output_of({name, "--version"});
      if (!version) continue;
      any |= try_compiler(name, version->substr(0, version->find('\n')), temporary->path());
    }
    if (!any) say(State::Fails, "compilers", "none works", "apt install g++ (12 or newer), or clang (14 or newer).");
  }

  bool try_compiler(const std::string& name, const std::string& version, const fs::path& folder) {
    setenv("OMEN_CXX", name.c_str(), 1);
    unsetenv("OMEN_OPTIONS");
    const auto fails = [&](std::string_view what) {
      say(State::Limited, name, fmt::format("{}: {}", version, what),
          "Try: OMEN_CXX=" + name + " omen-c++ -g race.cpp");
      return false;
    };
    if (run_in(folder, {beside("omen-c++"), "-g", "-pthread", "race.cpp", "-o", "race"}, Output::None) != 0) {
      return fails("omen-c++ cannot build with it");
    }
    if (run_in(folder, {beside("omen"), "run", "--", "./race"}, Output::None) != kRaceFound) {
      return fails("omen run finds no race in its program");
    }
    setenv("OMEN_OPTIONS", "mode=online", 1);
    if (run_in(folder, {"./race"}, Output::None) != kRaceFound)
      return fails("mode=online finds no race in its program");
    const bool places = name.starts_with("clang") && version.contains("version 19.") && !placement_plugin().empty();
    say(State::Works, name, version + (places ? ", with check placement" : ""));
    return true;
  }

  void look_for_libraries() {
    if (!output_of({"gdb", "--version"})) say(State::Limited, "gdb", "is not there", "omen replay --gdb needs it.");
    std::error_code error;
    for (const char* const folder : {"/usr/lib/llvm-19/lib/libarcher.so", "/usr/lib/llvm-14/lib/libarcher.so"}) {
      if (fs::exists(folder, error)) return say(State::Works, "OpenMP", fmt::format("gcc; clang by {}", folder));
    }
    say(State::Works, "OpenMP", "gcc; for clang: apt install libomp-19-dev");
  }

  int failed_ = 0;
};

const Command command{"doctor", "Say what of omen works on this machine, and what to do about the rest",
                      [](CLI::App& app) -> Action {
                        app.footer("Exit code: 0; 1 if something fails that omen needs.");
                        return []() -> std::expected<int, InputError> { return Doctor().examine(); };
                      }};

}  // namespace
}  // namespace omen::cli
