/// \file
/// Stack nodes of accesses whose records have only a location and the node of their function. Uses nodes of the runtime
/// where they exist; adds others to the run's stacks on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/capture_info.hpp"

namespace omen::recording {

class StackNodes {
 public:
  /// Registers the nodes that are already in the stacks.
  void learn(const std::vector<StackNode>& stacks) {
    for (std::size_t node = 1; node < stacks.size(); ++node) {
      nodes_.emplace(Key{stacks[node].parent, stacks[node].pc}, static_cast<std::uint32_t>(node));
    }
  }

  std::uint32_t find(std::vector<StackNode>& stacks, std::uint32_t parent, std::uint64_t pc) {
    const Key key{parent, pc};
    Known& known = known_[hash(key) % kKnown];
    if (known.node == 0 || known.key != key) [[unlikely]]
      known = {key, find_slowly(stacks, key)};
    return known.node;
  }

 private:
  struct Key {
    std::uint32_t parent = 0;
    std::uint64_t pc = 0;
    bool operator==(const Key&) const = default;
  };
  static std::size_t hash(const Key& key) { return key.parent * 0x9E3779B97F4A7C15ULL >> 40 ^ key.pc; }
  struct Hash {
    std::size_t operator()(const Key& key) const { return std::hash<std::uint64_t>{}(hash(key)); }
  };

  std::uint32_t find_slowly(std::vector<StackNode>& stacks, Key key) {
    if (key.parent >= stacks.size()) key.parent = 0;  // the recording is damaged
    const auto [found, is_new] = nodes_.try_emplace(key, static_cast<std::uint32_t>(stacks.size()));
    if (is_new) stacks.push_back({key.parent, key.pc});
    return found->second;
  }

  std::unordered_map<Key, std::uint32_t, Hash> nodes_;

  /// Recent queries. A node is never 0.
  struct Known {
    Key key;
    std::uint32_t node = 0;
  };
  static constexpr std::size_t kKnown = 1U << 15;
  std::vector<Known> known_ = std::vector<Known>(kKnown);
};

}  // namespace omen::recording
