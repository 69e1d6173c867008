#include "capture/driver/compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "capture/driver/contains.hpp"

namespace omen::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kNewest = 30;  // the highest version suffix that is tried

std::string base_name(const std::string& path) {
  return fs::path(path).filename().string();
}

/// The file of a command's name, found through PATH; empty if there is none.
std::string find_program(const std::string& name) {
  if (name.contains('/')) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
  }
  return {};
}

bool is_file(const std::string& program, const std::string& file) {
  std::error_code error;
  return fs::equivalent(program, file, error);
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The name of the same compiler for the other language: gcc-12 and g++-12, clang-19 and clang++-19.
std::string counterpart(const std::string& name, Language language) {
  const size_t begin = name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1;
  const auto [from, to] =
      language == Language::Cxx
          ? std::array<std::array<std::string_view, 3>, 2>{{{"clang", "gcc", "cc"}, {"clang++", "g++", "c++"}}}
          : std::array<std::array<std::string_view, 3>, 2>{{{"clang++", "g++", "c++"}, {"clang", "gcc", "cc"}}};
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t at = name.find(from[i], begin);
    if (at != std::string::npos) return name.substr(0, at) + std::string(to[i]) + name.substr(at + from[i].size());
  }
  return {};
}

/// The predefined macros: the output of `-dM -E` for an empty file. Empty if the compiler does not run.
std::map<std::string, std::string> predefined_macros(const Compiler& compiler) {
  std::vector<std::string> words(compiler.words.begin() + static_cast<std::ptrdiff_t>(compiler.program),
                                 compiler.words.end());
  words.insert(words.end(), {"-dM", "-E", "-x", "c", "/dev/null"});
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; failed == 0 && (got = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  if (failed != 0) return {};
  int status = 0;
  waitpid(child, &status, 0);

  std::map<std::string, std::string> macros;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::string define, name, value;
    if (parts >> define >> name >> value) macros[name] = value;
  }
  return macros;
}

/// 19 for clang-19, clang++-19 and llvm-19, 12 for g++-12; 0 for a name without such a suffix.
int version_behind(std::string_view begin, std::string_view name) {
  const size_t at = name.find(begin);
  if (at == std::string_view::npos) return 0;
  name.remove_prefix(at + begin.size());
  if (name.starts_with("++")) name.remove_prefix(2);
  if (!name.starts_with('-') || name.size() == 1) return 0;
  name.remove_prefix(1);
  const bool number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::atoi(std::string(name).c_str()) : 0;
}

/// Judged by the program's name; for a name like cc or c++, by its macros.
std::optional<Family> family_of(const Compiler& compiler) {
  const std::string name = base_name(compiler.words[compiler.program]);
  if (name.contains("clang")) return Family::Clang;
  if (name.contains("gcc") || name.contains("g++")) return Family::Gcc;
  const auto macros = predefined_macros(compiler);
  if (macros.contains("__clang__")) return Family::Clang;
  if (macros.contains("__GNUC__")) return Family::Gcc;
  return std::nullopt;
}

/// Names of programs that run a compiler given as an argument.
constexpr std::array<std::string_view, 8> kPrefixes = {"ccache", "distcc", "sccache", "icecc",
                                                       "icerun", "pump",   "env",     "nice"};

/// The index of the compiler after these prefixes.
size_t program_in(const std::vector<std::string>& words) {
  size_t program = 0;
  while (program + 1 < words.size() && contains(kPrefixes, std::string_view(base_name(words[program])))) ++program;
  return program;
}

/// Builds a Compiler from the words of a command.
std::expected<Compiler, Failure> from_words(std::vector<std::string> words, const std::string& origin,
                                            const std::string& self) {
  Compiler compiler{.words = std::move(words)};
  compiler.program = program_in(compiler.words);
  const std::string& name = compiler.words[compiler.program];
  const std::string file = find_program(name);
  if (file.empty())
    return std::unexpected(Failure{kUnavailable, origin + " names " + name + ", and there is no such program"});
  if (is_file(file, self)) {
    return std::unexpected(
        Failure{kUnavailable, origin + " names omen's own driver; it has to name the compiler behind it"});
  }
  const std::optional<Family> family = family_of(compiler);
  if (!family) return std::unexpected(Failure{kUnavailable, name + " is neither GCC nor clang"});
  compiler.family = *family;
  return compiler;
}

}  // namespace

std::expected<Compiler, Failure> take_compiler(std::vector<std::string>& arguments, const std::string& self) {
  if (arguments.empty()) return std::unexpected(Failure{kRefused, "expected a compiler behind --omen-behind"});
  const auto end = arguments.begin() + static_cast<std::ptrdiff_t>(program_in(arguments)) + 1;
  std::vector<std::string> words(arguments.begin(), end);
  arguments.erase(arguments.begin(), end);
  return from_words(std::move(words), "--omen-behind", self);
}

std::expected<Compiler, Failure> choose_compiler(Language language, const std::string& self) {
  const std::string own = language == Language::C ? "OMEN_CC" : "OMEN_CXX";
  const std::string other = language == Language::C ? "OMEN_CXX" : "OMEN_CC";
  if (const char* text = std::getenv(own.c_str()); text != nullptr && !split(text).empty()) {
    return from_words(split(text), own, self);
  }
  if (const char* text = std::getenv(other.c_str()); text != nullptr && !split(text).empty()) {
    std::vector<std::string> words = split(text);
    for (std::string& word : words) {
      const std::string name = counterpart(word, language);
      if (!word.starts_with('-') && base_name(word) != "ccache" && base_name(word) != "distcc" && !name.empty() &&
          !find_program(name).empty()) {
        word = name;
        return from_words(std::move(words), other, self);
      }
    }
  }
  const auto families = language == Language::C ? std::array<std::string, 2>{"gcc", "clang"}
                                                : std::array<std::string, 2>{"g++", "clang++"};
  for (const std::string& name : families) {
    std::vector<std::string> names{name};
    for (int version = kNewest; version >= (name[0] == 'c' ? kOldestClang : kOldestGcc); --version) {
      names.push_back(name + "-" + std::to_string(version));
    }
    for (const std::string& candidate : names) {
      const std::string file = find_program(candidate);
      if (!file.empty() && !is_file(file, self)) return from_words({candidate}, candidate, self);
    }
  }
  return std::unexpected(Failure{kUnavailable, "there is no GCC and no clang; install one, or name it in " + own});
}

int major_version(const Compiler& compiler) {
  const bool is_clang = compiler.family == Family::Clang;
  const auto named = [is_clang](std::string_view file) {
    if (is_clang) return version_behind("clang", file);
    const int version = version_behind("gcc", file);
    return version != 0 ? version : version_behind("g++", file);
  };
  const std::string& name = compiler.words[compiler.program];
  if (const int version = named(base_name(name)); version != 0) return version;
  std::error_code error;
  const fs::path real = fs::canonical(find_program(name), error);
  if (const int version = named(real.filename().string()); version != 0) return version;
  for (const fs::path& part : real) {
    const int version = is_clang ? version_behind("llvm", part.string()) : 0;
    if (version != 0) return version;
  }
  const auto macros = predefined_macros(compiler);
  const char* const macro = is_clang ? "__clang_major__" : "__GNUC__";
  return macros.contains(macro) ? std::atoi(macros.at(macro).c_str()) : 0;
}

std::string folder_of(const Compiler& compiler) {
  std::error_code error;
  return fs::canonical(find_program(compiler.words[compiler.program]), error).parent_path().string();
}

std::expected<void, Failure> check_version(const Compiler& compiler) {
  const auto macros = predefined_macros(compiler);
  const auto number = [&](const char* name) { return macros.contains(name) ? std::atoi(macros.at(name).c_str()) : 0; };
  const bool clang = macros.contains("__clang__");
  const int version = number(clang ? "__clang_major__" : "__GNUC__");
  const int oldest = clang ? kOldestClang : kOldestGcc;
  const std::string name = compiler.words[compiler.program];
  if (version == 0) return std::unexpected(Failure{kUnavailable, name + " does not run, or is neither GCC nor clang"});
  if (version < oldest) {
    return std::unexpected(Failure{kUnavailable, name + " is " + (clang ? "clang " : "GCC ") + std::to_string(version) +
                                                     "; omen needs " + std::to_string(oldest) +
                                                     " or newer (OMEN_CC and OMEN_CXX name the compiler)"});
  }
  return {};
}

}  // namespace omen::driver
