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

std::string placement_plugin() {
  std::error_code error;
  const auto root = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  for (const char* const folder : {"lib", "lib/omen"}) {
    const auto plugin = root / folder / "omen_placement.so";
    if (std::filesystem::exists(plugin, error)) return plugin.string();
  }
  return {};
}

std::string version_text() {
  const std::string plugin = placement_plugin();
#ifdef OMEN_PLUGIN_LLVM
  const std::string llvm = "LLVM " OMEN_PLUGIN_LLVM;
#else
  const std::string llvm;
#endif
  return fmt::format(
      "omen {}\n"
      "built with: {}\n"
      "check placement: {}\n"
      "store: {}",
      OMEN_VERSION, OMEN_BUILT_WITH,
      llvm.empty()     ? "not built (llvm-19-dev was not there)"
      : plugin.empty() ? "for " + llvm + ", but omen_placement.so is missing"
                       : "for clang of " + llvm + ", " + plugin,
      store::databases_built_in());
}

}  // namespace omen::cli
