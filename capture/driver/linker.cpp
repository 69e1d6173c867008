/// \file
/// omen-cc as the linker: passes the real linker copies of objects and archives with uninstrumented code, to which it
/// has added stubs (foreign_object.hpp). Usually there are none, and it becomes the real linker.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "capture/abi/tool_note.hpp"
#include "capture/driver/archive.hpp"
#include "capture/driver/command.hpp"
#include "capture/driver/failure.hpp"
#include "capture/driver/foreign_object.hpp"
#include "capture/driver/harmless_symbols.hpp"
#include "capture/driver/link_inputs.hpp"
#include "capture/driver/response_files.hpp"
#include "capture/driver/runtime_files.hpp"
#include "capture/driver/tools.hpp"

namespace omen::driver {
namespace {

namespace fs = std::filesystem;

class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (data_ == MAP_FAILED) data_ = nullptr;
    }
    if (file >= 0) close(file);
  }
  ~Mapping() {
    if (data_ != nullptr) munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::span<const char> bytes() const {
    return data_ == nullptr ? std::span<const char>() : std::span(static_cast<const char*>(data_), size_);
  }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

/// Start-up code and helpers that the compiler adds. They keep no state of the program.
bool is_part_of_the_compiler(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  constexpr std::array<std::string_view, 13> exact = {"crt1.o",
                                                      "Scrt1.o",
                                                      "gcrt1.o",
                                                      "grcrt1.o",
                                                      "rcrt1.o",
                                                      "crti.o",
                                                      "crtn.o",
                                                      "libgcc.a",
                                                      "libgcc_eh.a",
                                                      "libc_nonshared.a",
                                                      "libpthread_nonshared.a",
                                                      "libssp_nonshared.a",
                                                      "crtfastmath.o"};
  for (const std::string_view part : exact) {
    if (name == part) return true;
  }
  return name.starts_with("crtbegin") || name.starts_with("crtend") || name.starts_with("libclang_rt.") ||
         name.starts_with("libubsan") || name.starts_with("libomen_") || name.starts_with("clang_rt.");
}

/// Reads the inputs of a link, and makes copies of those that have to be changed.
class ForeignInputs {
 public:
  ForeignInputs(const LinkLine& line, const std::string& self) {
    rules_.renames_sections = !line.has_script;
    rules_.is_harmless = is_harmless_symbol;
    rules_.is_only_called = [this](std::string_view name) { return is_only_called(std::string(name)); };
    rules_.left_alone = [this](std::string_view name) { leave_alone(std::string(name)); };
    const auto runtime = find_runtime(self);
    for (const LinkInput& input : line.inputs) {
      std::error_code error;
      if (is_part_of_the_compiler(input.path) || (runtime && fs::equivalent(input.path, runtime->archive, error)))
        continue;
      read(input.path);
    }
  }
  ~ForeignInputs() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }
  ForeignInputs(const ForeignInputs&) = delete;
  ForeignInputs& operator=(const ForeignInputs&) = delete;

  bool any() const { return !foreign_.empty() || is_unknown_; }

  /// An additional object if some departures are not marked; otherwise empty. Call after all replacements.
  std::string more() {
    return is_unknown_ ? write("omen-unknown.o", note_object(kUnknownSection, kUnknownNote, ""), "") : "";
  }

  /// The file to link in place of this one.
  std::string replacement(const std::string& path) {
    if (!foreign_.contains(path)) return path;
    const auto [copy, is_new] = copies_.try_emplace(path, path);
    if (!is_new) return copy->second;
    const Mapping file(path);
    const auto changed =
        is_archive(file.bytes())
            ? with_changed_members(path, file.bytes(), [&](auto member) { return with_stubs(member, rules_); })
            : with_stubs(file.bytes(), rules_);
    if (changed) copy->second = write(fs::path(path).filename().string(), *changed, path);
    return copy->second;
  }

 private:
  void read(const std::string& path) {
    const Mapping file(path);
    const auto look = [&](std::span<const char> object) {
      const ObjectKind kind = kind_of_object(object);
      if (kind == ObjectKind::Foreign) foreign_.insert(path);
      if (kind == ObjectKind::Instrumented || kind == ObjectKind::Unmarked) instrumented_.insert(path);
      if (kind == ObjectKind::Bitcode) has_bitcode_ = true;
      if (kind == ObjectKind::Unmarked || kind == ObjectKind::Unknown) is_unknown_ = true;
    };
    if (!is_archive(file.bytes())) {
      look(file.bytes());
    } else {
      if (!for_each_member(path, file.bytes(), look)) is_unknown_ = true;
    }
  }

  bool is_only_called(const std::string& name) { return uses_of(name).called && !uses_of(name).taken; }

  /// Direct calls of the label are not marked, if there are any. Calls through a pointer are: the code is in
  /// kForeignSection.
  void leave_alone(const std::string& name) {
    if (uses_of(name).called || has_bitcode_) is_unknown_ = true;
  }

  struct Use {
    bool called = false, taken = false;
  };
  const Use& uses_of(const std::string& name) {
    if (!uses_) {
      uses_.emplace();
      for (const std::string& path : instrumented_) {
        const Mapping file(path);
        const auto look = [&](std::span<const char> object) {
          list_uses(object, [&](std::string_view used, bool called) {
            auto& use = (*uses_)[std::string(used)];
            (called ? use.called : use.taken) = true;
          });
        };
        if (is_archive(file.bytes())) {
          for_each_member(path, file.bytes(), look);
        } else {
          look(file.bytes());
        }
      }
    }
    return (*uses_)[name];
  }

  /// Writes a copy under the same file name, which the linker's messages contain.
  std::string write(const std::string& name, const std::vector<char>& bytes, const std::string& otherwise) {
    std::error_code error;
    if (folder_.empty()) {
      std::string pattern = (fs::temp_directory_path(error) / "omen-link-XXXXXX").string();
      if (mkdtemp(pattern.data()) == nullptr) return unchanged(otherwise);
      folder_ = pattern;
    }
    const fs::path folder = fs::path(folder_) / std::to_string(++written_);
    fs::create_directory(folder, error);
    std::ofstream out(folder / name, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    return out ? (folder / name).string() : unchanged(otherwise);
  }
  static std::string unchanged(const std::string& path) {
    std::fprintf(stderr,
                 "omen-cc: warning: no room for a copy of %s in the folder for temporary files; calls into its code "
                 "without instrumentation are not seen\n",
                 path.c_str());
    return path;
  }

  std::set<std::string> foreign_, instrumented_;  // files with such objects
  std::map<std::string, std::string> copies_;
  std::optional<std::map<std::string, Use>> uses_;
  bool has_bitcode_ = false, is_unknown_ = false;
  ForeignRules rules_;
  std::string folder_;
  int written_ = 0;
};

/// An object with the path of the omen beside this driver; empty if there is none, or this link has no runtime.
std::string tool_note(const LinkLine& line, const std::string& self) {
  const auto runtime = find_runtime(self);
  const std::string tool = (fs::path(self).parent_path() / "omen").string();
  std::error_code error;
  const bool links_runtime = runtime && std::ranges::any_of(line.inputs, [&](const LinkInput& input) {
                               return fs::path(input.path).filename() == fs::path(runtime->archive).filename() &&
                                      fs::equivalent(input.path, runtime->archive, error);
                             });
  if (!links_runtime || access(tool.c_str(), X_OK) != 0) return {};
  const std::vector<char> object = note_object(kToolNoteSection, kToolNote, {tool.c_str(), tool.size() + 1});
  const int file = memfd_create("omen-tool", 0);  // not close-on-exec, because the linker reads it
  if (file < 0 || write(file, object.data(), object.size()) != static_cast<ssize_t>(object.size())) return {};
  return "/proc/self/fd/" + std::to_string(file);
}

/// True if the linker is lld of the plugins' version, and has LLVM's functions in a shared library, where a plugin
/// finds them.
bool takes_plugin(const std::string& program, const std::string& name) {
  if (!name.ends_with("lld")) return false;
  const Mapping file(program);
  const std::string library = "libLLVM.so." + std::to_string(kPluginClang) + ".";
  return std::string_view(file.bytes().data(), file.bytes().size()).contains(library);
}

int run(const std::string& program, std::vector<std::string> arguments) {
  std::string response;
  if (too_long(arguments)) response = as_response_file(arguments);
  if (!response.empty()) arguments = {response};
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  // A key interrupts both processes: the linker ends, and this one then removes the copies.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    std::fprintf(stderr, "omen-cc: error: %s cannot be run: %s\n", program.c_str(), std::strerror(failed));
    return kUnavailable;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int link(const std::string& name, const std::vector<std::string>& arguments, const std::string& self) {
  const std::string program = find_real_tool(name, self);
  if (program.empty()) {
    std::fprintf(stderr, "omen-cc: error: there is no linker %s\n", name.c_str());
    return kUnavailable;
  }
  std::vector<std::string> words = with_response_files(arguments);
  const LinkLine line = read_link_line(words);
  if (line.is_relocatable) return become(program, arguments);
  // A program gets the thunks from the runtime. The linker takes those that the library calls.
  if (const std::string thunks = find_thunks(self); line.is_shared && !thunks.empty()) words.push_back(thunks);
  if (const std::string note = tool_note(line, self); !note.empty()) words.push_back(note);
  if (const std::string plugin = find_linking_plugin(self); !plugin.empty() && takes_plugin(program, name))
    words.push_back("--load-pass-plugin=" + plugin);
  ForeignInputs inputs(line, self);
  if (!inputs.any()) return become(program, std::move(words));
  std::vector<std::string> changed;
  size_t at = 0;
  for (const LinkInput& input : line.inputs) {
    const std::string path = inputs.replacement(input.path);
    if (path == input.path) continue;
    while (at < input.argument) changed.push_back(words[at++]);
    changed.push_back(path);
    at += input.words;
  }
  while (at < words.size()) changed.push_back(words[at++]);
  if (const std::string more = inputs.more(); !more.empty()) changed.push_back(more);
  return run(program, std::move(changed));
}

}  // namespace omen::driver
