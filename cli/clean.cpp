/// \file
/// `omen clean`: removes recordings of omen processes that were killed.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/leftovers.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

/// The folders in which `omen run` records by default.
std::vector<std::string> usual_folders() {
  std::error_code error;
  std::vector<std::string> folders;
  if (const fs::path temporary = fs::temp_directory_path(error); !error) folders.push_back(temporary.string());
  folders.insert(folders.end(), {"/dev/shm", "."});
  return folders;
}

std::expected<int, InputError> run(const std::vector<std::string>& named) {
  Leftovers all;
  for (const std::string& folder : named.empty() ? usual_folders() : named) {
    std::error_code error;
    if (!fs::is_directory(folder, error) && !named.empty()) {
      return std::unexpected(InputError{folder, "", error ? error.message() : "expected a folder"});
    }
    const Leftovers removed = remove_leftovers(folder);
    all.folders += removed.folders;
    all.bytes += removed.bytes;
  }
  if (all.folders == 0) {
    fmt::print("there is nothing to remove\n");
  } else {
    fmt::print("removed {} recording{}, {:.1f} MiB\n", all.folders, all.folders == 1 ? "" : "s",
               static_cast<double>(all.bytes) / (1U << 20));
  }
  return kExitNothingFound;
}

const Command command{"clean", "Remove recordings that a killed omen left behind", [](CLI::App& app) -> Action {
                        auto folders = std::make_shared<std::vector<std::string>>();
                        app.add_option("FOLDER", *folders,
                                       "where `omen run --folder` recorded; default: where temporary files belong, "
                                       "/dev/shm and the current folder");
                        app.footer(
                            "Recordings of running omens, and of other users, are left alone. So is whatever `omen "
                            "record` and `omen run --keep` wrote.\n"
                            "Example:\n  omen clean");
                        return [folders] { return run(*folders); };
                      }};

}  // namespace
}  // namespace omen::cli
