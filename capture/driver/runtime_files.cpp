#include "capture/driver/runtime_files.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

namespace omen::driver {
namespace {

namespace fs = std::filesystem;

std::array<fs::path, 2> folders(const std::string& self) {
  const fs::path root = fs::path(self).parent_path().parent_path();
  return {root / "lib", root / "lib" / "omen"};
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

std::expected<RuntimeFiles, Failure> find_runtime(const std::string& self) {
  fs::path archive;
  std::string tried;
  if (const char* named = std::getenv("OMEN_RUNTIME"); named != nullptr && *named != 0) {
    std::error_code error;
    archive = fs::absolute(named, error);
    if (fs::is_directory(archive, error)) archive /= "libomen_rt.a";
    tried = archive.string() + " (OMEN_RUNTIME)";
  } else {
    for (const fs::path& folder : folders(self)) {
      archive = folder / "libomen_rt.a";
      if (is_there(archive)) break;
      tried += (tried.empty() ? "" : " nor ") + archive.string();
    }
  }
  if (!is_there(archive)) {
    return std::unexpected(
        Failure{kUnavailable, "the runtime to link is missing: there is no " + tried +
                                  "; build omen's target omen_rt, or name the file in OMEN_RUNTIME"});
  }
  const fs::path symbols = archive.parent_path() / "omen_rt.syms";
  if (!is_there(symbols)) {
    return std::unexpected(
        Failure{kUnavailable, "the list of the runtime's symbols is missing: there is no " + symbols.string()});
  }
  return RuntimeFiles{archive.string(), symbols.string()};
}

std::string find_plugin(const std::string& self, bool places_checks, bool records_values) {
  const char* const name = records_values  ? "omen_values.so"
                           : places_checks ? "omen_placement.so"
                                           : "omen_instrumentation.so";
  for (const fs::path& folder : folders(self)) {
    if (is_there(folder / name)) return (folder / name).string();
  }
  return {};
}

std::string find_linking_plugin(const std::string& self) {
  for (const fs::path& folder : folders(self)) {
    if (is_there(folder / "omen_linking.so")) return (folder / "omen_linking.so").string();
  }
  return {};
}

std::string find_gcc_plugin(const std::string& self) {
  for (const fs::path& folder : folders(self)) {
    if (is_there(folder / "omen_gcc.so")) return (folder / "omen_gcc.so").string();
  }
  return {};
}

std::string find_tools(const std::string& self) {
  for (const fs::path& folder : folders(self)) {
    if (is_there(folder / "tools" / "ld")) return (folder / "tools" / "").string();
  }
  return {};
}

std::string find_thunks(const std::string& self) {
  const auto runtime = find_runtime(self);
  const fs::path thunks = runtime ? fs::path(runtime->archive).parent_path() / "libomen_thunks.a" : fs::path();
  return is_there(thunks) ? thunks.string() : std::string();
}

std::expected<std::string, Failure> find_support(const std::string& self, const std::string& name) {
  for (const fs::path& folder : folders(self)) {
    if (is_there(folder / name)) return (folder / name).string();
  }
  return std::unexpected(Failure{kUnavailable, name + " is missing: it belongs into " + folders(self)[1].string()});
}

}  // namespace omen::driver
