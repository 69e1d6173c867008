/// \file
/// The file of a recording: chunks handed out to threads, mapped into memory. A thread keeps its chunk; a
/// full chunk is copied to the end of the file. That is cheaper for the system than mapping another one, and the chunk
/// stays in the processor's caches.
///
/// Space is reserved before it is mapped, so a full disk is an error here and not a fault in the program. A descriptor
/// with a high number stays open, for programs that give up their access to the folder. A program may close or reuse
/// any descriptor, so it is used only while it still refers to the file; otherwise the file is reopened by its name.
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/records/raw_layout.hpp"

namespace omen::rt {

class RecordingFile {
 public:
  /// `folder` must outlive the recording. Writes errors to standard error.
  bool create(const char* folder, u64 limit_bytes, u32 parent);

  /// An empty chunk of the file, mapped; null once recording has stopped. `counter` gives the records' numbers.
  raw::ChunkHeader* take_chunk(const std::atomic<u64>& counter);
  static void release_chunk(raw::ChunkHeader* chunk) { unmap_memory(chunk, raw::kChunkBytes); }
  /// Copies it to the end of the file and empties it. False, and nothing happens, once recording has stopped.
  bool put_chunk(raw::ChunkHeader* chunk, const std::atomic<u64>& counter);

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
  bool is_full(long file, const std::atomic<u64>& counter);
  void stop(raw::Stop why, long error, const std::atomic<u64>& counter);

  SpinLock lock_;  ///< guards `bytes_`, `next_look_` and the file's size
  raw::RawFileHeader* header_ = nullptr;
  u64 bytes_ = 0;
  u64 limit_ = 0;
  u64 next_look_ = 0;  ///< the file size at which the free space is checked again
  u32 process_ = 0;
  long descriptor_ = -1;
  u64 device_ = 0;  ///< with `file_number_`: identifies the file
  u64 file_number_ = 0;
  std::atomic<bool> stopped_{true};
  char path_[4096] = {};
};

}  // namespace omen::rt
