/// \file
/// Waits for several descriptors that find none ready. As for a read that would block, this holds after the reads that
/// took the last data and before the next write. A thread that finds one ready reads it later.
#pragma once

#include <poll.h>
#include <sys/select.h>

#include "capture/runtime/interceptors/descriptors.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt {

/// The descriptors that are polled for data to read.
class WatchedDescriptors {
 public:
  WatchedDescriptors(const pollfd* descriptors, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (descriptors[i].fd >= 0 && (descriptors[i].events & POLLIN) != 0) add(descriptors[i].fd);
    }
  }
  WatchedDescriptors(const fd_set* readable, int count) {
    if (readable == nullptr) return;
    const auto* const words = reinterpret_cast<const u64*>(readable);  // programs use larger sets than the type has
    for (int first = 0; first < count; first += 64) {
      u64 word = words[first / 64];
      if (count - first < 64) word &= (u64{1} << (count - first)) - 1;
      for (; word != 0; word &= word - 1) add(first + __builtin_ctzll(word));
    }
  }

  void are_empty(uptr pc) const {
    ThreadState* const thread = recording_thread();
    if (thread == nullptr || count_ == 0 || count_ > kMost || Recorder::is_refused_again(thread, key_)) return;
    for (u32 i = 0; i < count_; ++i) descriptor_is_empty(descriptors_[i], pc);
    Recorder::note_refusal(thread, key_);
  }

 private:
  static constexpr u32 kMost = 16;  ///< nothing is recorded about the others

  void add(int descriptor) {
    if (count_ < kMost) descriptors_[count_] = descriptor;
    ++count_;
    key_ = key_ * 0x9E3779B97F4A7C15ULL + static_cast<u32>(descriptor) + 1;
  }

  int descriptors_[kMost] = {};
  u32 count_ = 0;
  uptr key_ = 1;
};

}  // namespace omen::rt
