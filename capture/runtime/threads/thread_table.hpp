/// \file
/// Maps a system handle to the thread of the trace, from its creation until it is joined or has ended.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

class ThreadTable {
 public:
  static constexpr u32 kNobody = ~u32{0};

  bool create() {
    slots_ = static_cast<Slot*>(map_memory(kSlots * sizeof(Slot)));
    return slots_ != nullptr;
  }
  void reset() {
    forget_memory(slots_, kSlots * sizeof(Slot));
    lock_.reset();
  }

  void add(u64 handle, u32 thread) {
    const SpinGuard guard(lock_);
    Slot* free = nullptr;
    for (std::size_t at = start(handle), n = 0; n < kSlots; ++n, at = (at + 1) & (kSlots - 1)) {
      Slot& slot = slots_[at];
      if (slot.handle == handle) {
        slot.thread = thread;
        return;
      }
      if (slot.handle == kErased && free == nullptr) free = &slot;
      if (slot.handle == 0) {
        if (free == nullptr) free = &slot;
        break;
      }
    }
    if (free != nullptr) *free = {handle, thread};
  }

  u32 find(u64 handle) {
    if (slots_ == nullptr) return kNobody;  // nothing is being recorded
    const SpinGuard guard(lock_);
    Slot* const slot = look(handle);
    return slot == nullptr ? kNobody : slot->thread;
  }

  /// Only if the handle still refers to this thread: the system may have reused it.
  void remove(u64 handle, u32 thread) {
    const SpinGuard guard(lock_);
    Slot* const slot = look(handle);
    if (slot != nullptr && slot->thread == thread) slot->handle = kErased;
  }

 private:
  struct Slot {
    u64 handle;
    u32 thread;
  };
  static constexpr std::size_t kSlots = std::size_t{1} << 17;  ///< more threads than a system runs at once
  static constexpr u64 kErased = ~u64{0};

  static std::size_t start(u64 handle) { return (handle * 0x9E3779B97F4A7C15ULL) >> 47; }
  Slot* look(u64 handle) {
    for (std::size_t at = start(handle), n = 0; n < kSlots; ++n, at = (at + 1) & (kSlots - 1)) {
      if (slots_[at].handle == handle) return &slots_[at];
      if (slots_[at].handle == 0) return nullptr;
    }
    return nullptr;
  }

  SpinLock lock_;
  Slot* slots_ = nullptr;
};

extern ThreadTable thread_table;

}  // namespace omen::rt
