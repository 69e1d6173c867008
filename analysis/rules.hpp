/// \file
/// The cases of the algorithms, by the papers' names, and a counter for each. SmartTrack, Tables 4 and 11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace omen {

enum class Rule : std::uint8_t {
  ReadSameEpoch,
  SharedSameEpoch,
  WriteSameEpoch,
  ReadOwned,
  ReadExclusive,
  ReadShare,
  ReadSharedOwned,
  ReadShared,
  WriteOwned,
  WriteExclusive,
  WriteShared,
  Read,  ///< unoptimised: no case distinction
  Write,
};
inline constexpr std::size_t kRuleCount = 13;
inline constexpr std::array<std::string_view, kRuleCount> kRuleNames{"read same epoch",
                                                                     "shared same epoch",
                                                                     "write same epoch",
                                                                     "read owned",
                                                                     "read exclusive",
                                                                     "read share",
                                                                     "read shared owned",
                                                                     "read shared",
                                                                     "write owned",
                                                                     "write exclusive",
                                                                     "write shared",
                                                                     "read",
                                                                     "write"};

// Counted without a branch.
static_assert(static_cast<int>(Rule::ReadOwned) + 1 == static_cast<int>(Rule::ReadExclusive));
static_assert(static_cast<int>(Rule::WriteOwned) + 1 == static_cast<int>(Rule::WriteExclusive));

constexpr bool is_same_epoch(Rule rule) {
  return rule <= Rule::WriteSameEpoch;
}

struct RuleCounters {
  std::array<std::uint64_t, kRuleCount> fired{};
  /// For accesses that no same-epoch case handled: how many locks the thread held (3: three or more).
  std::array<std::uint64_t, 4> locks_held{};
  std::uint64_t ancillary_checked = 0;  ///< such accesses that found ancillary metadata …
  std::uint64_t ancillary_used = 0;     ///< … and took order from it

  void count(Rule rule) { ++fired[static_cast<std::size_t>(rule)]; }
  /// An owned or exclusive case.
  void count_ordered(bool writes, bool owned) {
    constexpr auto kRead = static_cast<std::size_t>(Rule::ReadExclusive);
    constexpr auto kWrite = static_cast<std::size_t>(Rule::WriteExclusive);
    ++fired[kRead + writes * (kWrite - kRead) - owned];
  }
  void count_held(std::size_t locks) { ++locks_held[locks < 3 ? locks : 3]; }
  /// Adds the counters of another thread or driver.
  void add(const RuleCounters& others) {
    for (std::size_t i = 0; i < kRuleCount; ++i) fired[i] += others.fired[i];
    for (std::size_t i = 0; i < locks_held.size(); ++i) locks_held[i] += others.locks_held[i];
    ancillary_checked += others.ancillary_checked;
    ancillary_used += others.ancillary_used;
  }
  std::uint64_t operator[](Rule rule) const { return fired[static_cast<std::size_t>(rule)]; }
};

}  // namespace omen
