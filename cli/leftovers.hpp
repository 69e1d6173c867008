/// \file
/// The folders that omen records into, and those that a killed omen left behind. A running omen holds the lock of its
/// folder, so the folder of a run in progress is never removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace omen::cli {

/// The prefix of their names.
inline constexpr std::string_view kRecordingFolder = ".omen-recording-";

/// Locks the folder for as long as the returned descriptor is open, at most for the life of this process. -1: another
/// process holds the lock, or the path now names another folder, or none.
int lock_folder(const char* path);

struct Leftovers {
  std::uint64_t folders = 0;
  std::uint64_t bytes = 0;
};

/// Removes this user's recordings in `parent` that no running omen has locked.
Leftovers remove_leftovers(const std::filesystem::path& parent);

}  // namespace omen::cli
