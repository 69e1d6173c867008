#include "cli/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = 512;  // the unit of st_blocks, whatever the file system's block size is

/// The disk space of the files, which is less than their size: recordings have holes.
std::uint64_t bytes_on_disk(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    struct stat found = {};
    if (lstat(entry.path().c_str(), &found) == 0) bytes += static_cast<std::uint64_t>(found.st_blocks) * kBlock;
  }
  return bytes;
}

}  // namespace

int lock_folder(const char* path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat locked = {};
  struct stat named = {};
  if (flock(folder, LOCK_EX | LOCK_NB) == 0 && fstat(folder, &locked) == 0 && lstat(path, &named) == 0 &&
      locked.st_ino == named.st_ino && locked.st_dev == named.st_dev && locked.st_uid == geteuid()) {
    return folder;
  }
  close(folder);
  return -1;
}

Leftovers remove_leftovers(const fs::path& parent) {
  Leftovers removed;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(kRecordingFolder)) continue;
    const int lock = lock_folder(entry.path().c_str());
    if (lock < 0) continue;
    const std::uint64_t bytes = bytes_on_disk(entry.path());
    std::error_code failed;
    fs::remove_all(entry.path(), failed);
    if (!failed) {
      ++removed.folders;
      removed.bytes += bytes;
    }
    close(lock);
  }
  return removed;
}

}  // namespace omen::cli
