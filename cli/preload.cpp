#include "cli/preload.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "symbolize/instrumented.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libomen_rt.so";

/// The preloaded runtime. Empty: the program has its own, or none.
std::string runtime;

/// Searches where libomen_rt.a is searched: in a build tree, or an installation.
std::string find_runtime() {
  std::error_code error;
  const fs::path root = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  std::string tried;
  for (const char* const folder : {"lib", "lib/omen"}) {
    const fs::path library = root / folder / kFile;
    if (fs::exists(library, error)) return library.string();
    tried += (tried.empty() ? "" : " nor ") + library.string();
  }
  throw CLI::ValidationError("--preload", "the runtime is missing as a shared library: there is no " + tried);
}

}  // namespace

void add_preload(CLI::App& app) {
  app.add_flag_callback(
      "--preload", [] { runtime = find_runtime(); },
      "the program was not linked by omen-cc, but loads libraries that were: give it omen's runtime");
}

bool preloads_runtime() {
  return !runtime.empty();
}

std::string nothing_watched_note(const std::vector<std::string>& modules) {
  const auto is_watched = [](const std::string& path) {
    std::error_code ignored;  // not every module is a file
    return fs::path(path).filename() != kFile && fs::is_regular_file(path, ignored) && symbolize::is_instrumented(path);
  };
  if (!preloads_runtime() || std::ranges::any_of(modules, is_watched)) return {};
  return "nothing that the program loaded was compiled with omen-cc: its accesses were not seen";
}

RunningProgram::Variable preload_variable() {
  const char* const given = std::getenv("LD_PRELOAD");
  const bool has_others = given != nullptr && *given != 0;
  if (runtime.empty()) return {"LD_PRELOAD", given != nullptr ? std::optional<std::string>(given) : std::nullopt};
  return {"LD_PRELOAD", has_others ? runtime + ":" + given : runtime};
}

}  // namespace omen::cli
