#include "capture/driver/link_inputs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "capture/driver/contains.hpp"

namespace omen::driver {
namespace {

namespace fs = std::filesystem;

/// Options whose value is the next word, which is not an input even if it names a file.
constexpr std::array<std::string_view, 31> kTakesValue = {"-o",
                                                          "--output",
                                                          "-R",
                                                          "--just-symbols",
                                                          "-plugin",
                                                          "-Map",
                                                          "--Map",
                                                          "-m",
                                                          "-z",
                                                          "-e",
                                                          "--entry",
                                                          "-dynamic-linker",
                                                          "--dynamic-linker",
                                                          "-I",
                                                          "-soname",
                                                          "--soname",
                                                          "-h",
                                                          "-rpath",
                                                          "--rpath",
                                                          "-rpath-link",
                                                          "-u",
                                                          "-y",
                                                          "-f",
                                                          "-F",
                                                          "-G",
                                                          "-A",
                                                          "-b",
                                                          "-plugin-opt",
                                                          "--version-script",
                                                          "--dynamic-list",
                                                          "--defsym"};
/// The folders that GNU ld searches by default.
constexpr std::array<std::string_view, 8> kDefaultFolders = {"/usr/local/lib/x86_64-linux-gnu",
                                                             "/lib/x86_64-linux-gnu",
                                                             "/usr/lib/x86_64-linux-gnu",
                                                             "/usr/local/lib64",
                                                             "/lib64",
                                                             "/usr/local/lib",
                                                             "/lib",
                                                             "/usr/lib"};

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The static library for the name after -l; empty if there is none, or a shared one comes first.
std::string find_library(const std::string& name, const std::vector<std::string>& folders, bool only_static) {
  for (const std::string& folder : folders) {
    if (name.starts_with(':')) {
      if (const std::string file = folder + "/" + name.substr(1); is_file(file)) return file;
      continue;
    }
    if (!only_static && is_file(folder + "/lib" + name + ".so")) return {};
    if (const std::string file = folder + "/lib" + name + ".a"; is_file(file)) return file;
  }
  return {};
}

}  // namespace

LinkLine read_link_line(const std::vector<std::string>& arguments) {
  LinkLine line;
  std::vector<std::string> folders;  // -L applies to every -l, also to earlier ones
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if ((word == "-L" || word == "--library-path") && at + 1 < arguments.size()) {
      folders.push_back(arguments[++at]);
    } else if (word.starts_with("--library-path=")) {
      folders.push_back(word.substr(15));
    } else if (word.starts_with("-L")) {
      folders.push_back(word.substr(2));
    }
  }
  folders.insert(folders.end(), kDefaultFolders.begin(), kDefaultFolders.end());

  bool only_static = false;
  std::vector<bool> saved;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    const bool has_next = at + 1 < arguments.size();
    if (!word.starts_with('-')) {
      if (is_file(word)) line.inputs.push_back({at, 1, word});
    } else if (word == "-Bstatic" || word == "-dn" || word == "-non_shared" || word == "-static") {
      only_static = true;
    } else if (word == "-Bdynamic" || word == "-dy" || word == "-call_shared") {
      only_static = false;
    } else if (word == "--push-state") {
      saved.push_back(only_static);
    } else if (word == "--pop-state") {
      if (!saved.empty()) {
        only_static = saved.back();
        saved.pop_back();
      }
    } else if (word == "-r" || word == "-i" || word == "-Ur" || word == "--relocatable") {
      line.is_relocatable = true;
    } else if (word == "-shared" || word == "--shared" || word == "-Bshareable") {
      line.is_shared = true;
    } else if (word == "-T" || word == "--script" || word == "-dT") {
      line.has_script = true;
      ++at;
    } else if (word.starts_with("-T") || word.starts_with("--script=")) {
      line.has_script =
          line.has_script || !(word.starts_with("-Ttext") || word.starts_with("-Tdata") || word.starts_with("-Tbss"));
    } else if ((word == "-l" || word == "--library") && has_next) {
      if (const std::string path = find_library(arguments[at + 1], folders, only_static); !path.empty())
        line.inputs.push_back({at, 2, path});
      ++at;
    } else if (word.starts_with("--library=") || (word.starts_with("-l") && word.size() > 2)) {
      const std::string name = word.substr(word.starts_with("-l") ? 2 : 10);
      if (const std::string path = find_library(name, folders, only_static); !path.empty())
        line.inputs.push_back({at, 1, path});
    } else if (contains(kTakesValue, word)) {
      ++at;
    }
  }
  return line;
}

}  // namespace omen::driver
