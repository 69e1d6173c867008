/// \file
/// The file of a recording: chunks handed out to threads, mapped into memory.
///
/// Space is reserved before it is mapped, so a full disk is an error here and not a fault in the program. A descriptor
/// with a high number stays open, for programs that give up their rights to the folder; since a program may close or
/// reuse any number it likes, it is only used while it still means the file, and the file is opened again by its name
/// otherwise.
#pragma once

#include "capture/runtime/platform.hpp"
#include "capture/runtime/raw_layout.hpp"

namespace omen::rt {

class RecordingFile {
 public:
  static constexpr u64 kSmallChunk = 64U << 10;
  static constexpr u64 kLargeChunk = 1U << 20;

  /// `folder` must outlive the recording. Says what is wrong on standard error.
  bool create(const char* folder, u64 limit_bytes, u32 parent);

  /// A chunk of the file; null once recording has stopped. `number` is where the counter stands.
  raw::ChunkHeader* take_chunk(u64 bytes, const std::atomic<u64>& counter);
  static void release_chunk(raw::ChunkHeader* chunk) { unmap_memory(chunk, chunk->bytes); }

  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void note_exit() {
    if (header_ != nullptr) header_->exited = 1;
  }
  u32 process() const { return process_; }
  const char* path() const { return path_; }
  /// In a forked child, before `create`.
  void abandon();

 private:
  long open_again();
  void stop(raw::Stop why, long error, const std::atomic<u64>& counter);

  SpinLock lock_;  ///< guards `bytes_` and the file's size
  raw::RawFileHeader* header_ = nullptr;
  u64 bytes_ = 0;
  u64 limit_ = 0;
  u32 process_ = 0;
  long descriptor_ = -1;
  u64 device_ = 0;  ///< with `file_number_`: which file it is
  u64 file_number_ = 0;
  std::atomic<bool> stopped_{true};
  char path_[4096] = {};
};

}  // namespace omen::rt
