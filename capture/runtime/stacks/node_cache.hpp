/// \file
/// A thread's cache in front of the shared table of stacks: (parent node, place) to node, direct mapped.
#pragma once

#include "capture/runtime/stacks/stack_table.hpp"

namespace omen::rt {

/// Caches the latest nodes, so that most events do not access the shared table.
class NodeCache {
 public:
  static constexpr u32 kBits = 12;
  static constexpr std::size_t kEntries = std::size_t{1} << kBits;

  u32* find(u32 parent, uptr pc) {
    Entry& entry = at(parent, pc);
    return entry.pc == pc && entry.parent == parent ? &entry.node : nullptr;
  }
  void add(u32 parent, uptr pc, u32 node) { at(parent, pc) = {pc, parent, node}; }
  void clear() {
    for (Entry& entry : entries_) entry = {};
  }

 private:
  struct Entry {
    uptr pc;
    u32 parent;
    u32 node;
  };
  Entry& at(u32 parent, uptr pc) { return entries_[place_of_node(parent, pc, kBits)]; }
  Entry entries_[kEntries] = {};
};

}  // namespace omen::rt
