#include "cli/version.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "store/database.hpp"

#ifndef OMEN_VERSION
#define OMEN_VERSION "unknown"
#endif
#ifndef OMEN_BUILT_WITH
#define OMEN_BUILT_WITH "unknown"
#endif

namespace omen::cli {

namespace {

/// The path of a compiler plugin; empty if it was not built.
std::string plugin_file(const char* name) {
  std::error_code error;
  const auto root = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  for (const char* const folder : {"lib", "lib/omen"}) {
    const auto plugin = root / folder / name;
    if (std::filesystem::exists(plugin, error)) return plugin.string();
  }
  return {};
}

/// The text of `omen --version` about the plugin for a compiler, if there is one.
std::string plugin_text(const std::string& compiler, const char* name, const char* package) {
  if (compiler.empty()) return fmt::format("not built ({} was not there)", package);
  const std::string file = plugin_file(name);
  return file.empty() ? fmt::format("for {}, but {} is missing", compiler, name)
                      : fmt::format("for {}, {}", compiler, file);
}

}  // namespace

std::string placement_plugin() {
  return plugin_file("omen_placement.so");
}

std::string version_text() {
#ifdef OMEN_PLUGIN_LLVM
  const std::string llvm = "clang of LLVM " OMEN_PLUGIN_LLVM;
#else
  const std::string llvm;
#endif
#ifdef OMEN_PLUGIN_GCC
  const std::string gcc = "GCC " OMEN_PLUGIN_GCC;
#else
  const std::string gcc;
#endif
  return fmt::format(
      "omen {}\n"
      "built with: {}\n"
      "check placement: {}\n"
      "plugin of GCC: {}\n"
      "store: {}",
      OMEN_VERSION, OMEN_BUILT_WITH, plugin_text(llvm, "omen_placement.so", "llvm-19-dev"),
      plugin_text(gcc, "omen_gcc.so", "gcc-12-plugin-dev"), store::databases_built_in());
}

}  // namespace omen::cli
