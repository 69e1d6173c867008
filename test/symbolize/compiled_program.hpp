/// \file
/// A program that a test compiles and runs, and the addresses that its run prints: real modules, real return addresses.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "trace/capture_info.hpp"

namespace omen::test {

/// A folder that is removed after the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "omen-test-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) path_ = std::filesystem::canonical(pattern);
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// The output of a shell command; nothing if it failed.
inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  return pclose(pipe) == 0 ? text : std::string();
}

inline bool succeeds(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

inline bool has_compiler(const std::string& compiler) {
  return succeeds("command -v " + compiler);
}

/// Prepended to a program's source. `here("name")` prints the address that it returns to, `there("name", &x)` that of a
/// variable; main begins with `say_modules()`.
inline constexpr const char* kPrelude = R"(
#include <cstdio>
#include <link.h>
__attribute__((noinline)) void here(const char* name) {
  std::printf("%s %p\n", name, __builtin_return_address(0));
}
__attribute__((noinline)) void there(const char* name, const void* address) { std::printf("%s %p\n", name, address); }
__attribute__((noinline)) void say_modules() {
  dl_iterate_phdr([](dl_phdr_info* info, size_t, void*) {
    if (info->dlpi_name[0] != 0) return 0;
    unsigned long low = ~0ul, high = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      if (segment.p_vaddr < low) low = segment.p_vaddr;
      if (segment.p_vaddr + segment.p_memsz > high) high = segment.p_vaddr + segment.p_memsz;
    }
    std::printf("bias 0x%lx\nbegin 0x%lx\nend 0x%lx\n", (unsigned long)info->dlpi_addr,
                (unsigned long)info->dlpi_addr + low, (unsigned long)info->dlpi_addr + high - 1);
    return 0;
  }, nullptr);
}
#line 1 "program.cpp"
)";

class CompiledProgram {
 public:
  /// `compile` is the compiler with its flags; `after` a shell command on the binary, `$P`, before it runs.
  CompiledProgram(const Scratch& scratch, const std::string& source, const std::string& compile,
                  const std::string& after = "true") {
    path = scratch.file("program");
    std::ofstream(scratch.file("source.cpp")) << kPrelude << source;
    const std::string folder = std::filesystem::path(path).parent_path();
    if (!succeeds("cd " + folder + " && " + compile + " source.cpp -o program")) return;
    if (!succeeds("cd " + folder + " && P=" + path + " && " + after)) return;
    std::istringstream lines(output_of(path));
    std::string name;
    std::string address;
    while (lines >> name >> address) addresses[name] = std::strtoull(address.c_str(), nullptr, 16);
  }

  bool ran() const { return !addresses.empty(); }
  std::uint64_t at(const std::string& name) const {
    const auto found = addresses.find(name);
    return found == addresses.end() ? 0 : found->second;
  }
  Module module(std::string build_id = "") const {
    return {at("begin"), at("end"), at("bias"), path, std::move(build_id)};
  }

  std::string path;
  std::map<std::string, std::uint64_t> addresses;
};

}  // namespace omen::test
