/// \file
/// SmartTrack's ancillary metadata A^r_x and A^w_x: sections that accessed x, may still order later accesses, and are
/// no longer covered by x's epochs. It is rare, so it is stored outside of the variables.
///
/// One list per variable serves both maps: A^r_x is the whole list, A^w_x the entries that wrote.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "analysis/levels/lock_set.hpp"
#include "analysis/levels/section_table.hpp"
#include "analysis/memory.hpp"

namespace omen {

struct AncillarySection {
  ThreadId thread{};
  SectionNumber number = kNoSection;
  Time released = Section::kOpen;  ///< copy of the section's, from the last lookup: most checks end here
  LockId lock{};
  SectionMode mode{};
  bool wrote = false;

  /// True if an event ordered after this section knows everything that the other one would contribute: the other is an
  /// earlier section of the same thread on the same lock, and all of its rivals are rivals of this one.
  bool supersedes(const AncillarySection& other) const {
    return other.thread == thread && other.lock == lock && other.released != Section::kOpen &&
           other.released <= released && (wrote || !other.wrote) &&
           (mode == SectionMode::Exclusive || other.mode == SectionMode::Shared);
  }
};

class Ancillary {
 public:
  using Entries = Vector<AncillarySection>;

  /// False: it has none. Called at every access, so it tests one bit that several variables share.
  [[gnu::always_inline]] bool may_have(VariableId x) const {
    return (has_[index(x) / 64 & mask_] >> (index(x) % 64) & 1) != 0;
  }
  [[gnu::always_inline]] bool has(VariableId x) const { return may_have(x) && index(x) / 64 <= mask_; }
  Entries& of(VariableId x) { return lists_[slots_[index(x)] - 1]; }
  /// The locks of the entries of x, which must have some. Most often the thread holds none of them.
  LockSet locks_of(VariableId x) const { return locks_[slots_[index(x)] - 1]; }

  /// Adds a section, or marks an existing entry as having written; removes entries that it supersedes.
  static void add(Entries& entries, const AncillarySection& section) {
    for (AncillarySection& entry : entries) {
      if (entry.thread == section.thread && entry.number == section.number) {
        entry.wrote |= section.wrote;
        return;
      }
    }
    std::erase_if(entries, [&](const AncillarySection& entry) { return section.supersedes(entry); });
    entries.push_back(section);
  }
  void add(VariableId x, const AncillarySection& section) {
    if (!has(x)) give_list(x);
    add(of(x), section);
    LockSet& locks = locks_[slots_[index(x)] - 1];
    locks = locks | LockSet(section.lock);
  }

  /// Swaps x's entries with `entries`, which keeps the old ones' memory.
  void replace(VariableId x, Entries& entries) {
    if (entries.empty()) return forget(x);
    if (!has(x)) give_list(x);
    LockSet locks;
    for (const AncillarySection& entry : entries) locks = locks | LockSet(entry.lock);
    locks_[slots_[index(x)] - 1] = locks;
    std::swap(of(x), entries);
  }

  void forget(VariableId x) {
    if (!has(x)) return;
    of(x).clear();
    free_.push_back(slots_[index(x)]);
    flip(x);
  }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const Entries& entries : lists_) sum += entries.size();
    return sum;
  }

  template <class Visit>
  void for_each_section(Visit visit) const {
    for (const Entries& entries : lists_) {
      for (const AncillarySection& entry : entries) visit(entry.thread, entry.number);
    }
  }

 private:
  void give_list(VariableId x) {
    if (index(x) >= slots_.size()) slots_.resize(index(x) + 1);
    if (free_.empty()) {
      lists_.emplace_back();
      locks_.emplace_back();
      free_.push_back(static_cast<std::uint32_t>(lists_.size()));
    }
    slots_[index(x)] = free_.back();
    locks_[free_.back() - 1] = {};
    free_.pop_back();
    if (index(x) / 64 > mask_) {
      has_.resize(std::bit_ceil(index(x) / 64 + 1));
      mask_ = has_.size() - 1;
    }
    flip(x);
  }
  void flip(VariableId x) { has_[index(x) / 64] ^= std::uint64_t{1} << (index(x) % 64); }

  Vector<std::uint64_t> has_{
      0};  ///< one bit per variable, modulo its size, a power of two; hardly any variable has a list
  std::size_t mask_ = 0;
  Vector<std::uint32_t> slots_;  ///< by variable: 1 + index in `lists_`; 0: no list
  Vector<Entries> lists_;
  Vector<LockSet> locks_;       ///< of each list's entries; a superset
  Vector<std::uint32_t> free_;  ///< unused slots of lists
};

}  // namespace omen
