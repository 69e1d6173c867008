/// \file
/// Interned call stacks: a node is a place and the node of its caller. The same stack has the same number everywhere.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt {

class StackTable {
 public:
  static constexpr std::size_t kSlots = std::size_t{1} << 23;
  static constexpr u32 kMaxNodes = 6'000'000;

  bool create() {
    slots_ = static_cast<Slot*>(map_memory(kSlots * sizeof(Slot)));
    slot_of_ = static_cast<u32*>(map_memory((kMaxNodes + 1) * sizeof(u32)));
    return slots_ != nullptr && slot_of_ != nullptr;
  }
  /// In a forked child: it writes a file of its own, in which no node is defined.
  void reset() {
    forget_memory(slots_, kSlots * sizeof(Slot));
    nodes_ = 0;
    lock_.reset();
  }

  /// The node of `pc` called from `parent`. `define(node, parent, pc)` is called for a new one, before anybody else can
  /// see its number. Where the table is full, the parent stands for its children.
  template <class Define>
  u32 intern(u32 parent, uptr pc, Define define) {
    const u64 hash = (pc ^ (u64{parent} << 40) ^ parent) * 0x9E3779B97F4A7C15ULL;
    std::size_t at = hash >> 41;
    for (;; at = (at + 1) & (kSlots - 1)) {
      const u32 node = slots_[at].node.load(std::memory_order_acquire);
      if (node == 0) break;
      if (slots_[at].pc == pc && slots_[at].parent == parent) return node;
    }
    const SpinGuard guard(lock_);
    for (;; at = (at + 1) & (kSlots - 1)) {
      const u32 node = slots_[at].node.load(std::memory_order_relaxed);
      if (node == 0) break;
      if (slots_[at].pc == pc && slots_[at].parent == parent) return node;
    }
    if (nodes_ >= kMaxNodes) return parent;
    slots_[at].pc = pc;
    slots_[at].parent = parent;
    const u32 node = ++nodes_;
    slot_of_[node] = static_cast<u32>(at);
    define(node, parent, pc);
    slots_[at].node.store(node, std::memory_order_release);
    return node;
  }

  /// The places of a node's stack, innermost first; as many as fit. Returns how many.
  std::size_t unwind(u32 node, uptr* places, std::size_t room) const {
    std::size_t count = 0;
    for (; node != 0 && count < room; node = slots_[slot_of_[node]].parent) places[count++] = slots_[slot_of_[node]].pc;
    return count;
  }

 private:
  struct Slot {
    uptr pc;
    u32 parent;
    std::atomic<u32> node;  ///< published last; 0: free
  };
  Slot* slots_ = nullptr;
  u32* slot_of_ = nullptr;  ///< by node; written before the node is published
  u32 nodes_ = 0;           ///< guarded by `lock_`
  SpinLock lock_;
};

}  // namespace omen::rt
