/// \file
/// Interned call stacks: a node is a place and the node of its caller. The same stack has the same number everywhere.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// The first slot for `pc` called from `parent`, in a table of 2^bits entries: the places of one function, called from
/// one place, are adjacent, so that they share cache lines.
OMEN_INLINE std::size_t place_of_node(u32 parent, uptr pc, u32 bits) {
  return (((parent * 0x9E3779B97F4A7C15ULL) >> (64 - bits)) + (pc >> 2)) & ((std::size_t{1} << bits) - 1);
}

/// A place in the program, and the node of the function it is in: a stack that is not interned yet. Both are 0 for an
/// event without a place in the program.
struct Place {
  uptr pc = 0;
  u32 frame = 0;
};

/// Nodes are stored consecutively and linked into hash chains, so that a small table takes little memory.
class StackTable {
 public:
  static constexpr u32 kChainBits = 20;
  static constexpr std::size_t kChains = std::size_t{1} << kChainBits;
  static constexpr u32 kMaxNodes = 6'000'000;

  bool create() {
    chains_ = static_cast<std::atomic<u32>*>(map_memory(kChains * sizeof *chains_));
    if (chains_ == nullptr) return false;
    nodes_ = static_cast<Node*>(map_memory((kMaxNodes + 1) * sizeof *nodes_));
    if (nodes_ == nullptr) unmap_memory(chains_, kChains * sizeof *chains_);
    return nodes_ != nullptr;
  }
  /// In a forked child: it writes its own file, in which no node is defined.
  void reset() {
    forget_memory(chains_, kChains * sizeof *chains_);
    forget_memory(nodes_, (kMaxNodes + 1) * sizeof *nodes_);
    count_ = 0;
    lock_.reset();
  }

  /// The node of `pc` called from `parent`. `define(node, parent, pc)` is called for a new one, before other threads
  /// can see its number. If the table is full, the parent represents its children.
  template <class Define>
  u32 intern(u32 parent, uptr pc, Define define) {
    std::atomic<u32>& chain = chains_[place_of_node(parent, pc, kChainBits)];
    const u32 first = chain.load(std::memory_order_acquire);
    if (const u32 known = find(first, 0, parent, pc)) return known;
    const SpinGuard guard(lock_);
    const u32 now = chain.load(std::memory_order_relaxed);
    if (const u32 known = find(now, first, parent, pc)) return known;
    if (count_ >= kMaxNodes) return parent;
    const u32 node = ++count_;
    nodes_[node] = {pc, parent, now};
    define(node, parent, pc);
    chain.store(node, std::memory_order_release);
    return node;
  }

  /// The places of a node's stack, innermost first; as many as fit. Returns their number.
  std::size_t unwind(u32 node, uptr* places, std::size_t room) const {
    std::size_t count = 0;
    for (; node != 0 && count < room; node = nodes_[node].parent) places[count++] = nodes_[node].pc;
    return count;
  }

 private:
  struct Node {
    uptr pc;
    u32 parent;
    u32 next;  ///< in the chain; 0: none
  };

  /// Searches the chain from `node` until `stop`; 0 if it is not found.
  u32 find(u32 node, u32 stop, u32 parent, uptr pc) const {
    for (; node != stop; node = nodes_[node].next) {
      if (nodes_[node].pc == pc && nodes_[node].parent == parent) return node;
    }
    return 0;
  }

  std::atomic<u32>* chains_ = nullptr;  ///< the latest node of each; 0: none. Changed under `lock_`
  Node* nodes_ = nullptr;               ///< from 1; a node is complete before its chain names it
  u32 count_ = 0;                       ///< guarded by `lock_`
  SpinLock lock_;
};

}  // namespace omen::rt
