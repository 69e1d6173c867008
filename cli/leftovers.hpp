/// \file
/// The folders that omen records into, and those that a killed omen left behind. A running omen holds the lock of its
/// folder, so nothing of a run that goes on is removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace omen::cli {

/// What their names begin with.
inline constexpr std::string_view kRecordingFolder = ".omen-recording-";

/// Holds the folder's lock for as long as the descriptor is open, which is at most as long as this process lives. -1:
/// somebody else holds it, or the path has another folder by now, or none.
int lock_folder(const char* path);

struct Leftovers {
  std::uint64_t folders = 0;
  std::uint64_t bytes = 0;
};

/// Removes this user's recordings in `parent` that no running omen has.
Leftovers remove_leftovers(const std::filesystem::path& parent);

}  // namespace omen::cli
