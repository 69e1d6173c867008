/// \file
/// SmartTrack's ancillary metadata A^r_x and A^w_x: sections that accessed x, may still order later accesses, and are
/// not named by x's epochs any more. Rare, so it is kept beside the variables and not in them.
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
  Time released = Section::kOpen;  ///< as the section's, when it was last looked up: most checks end here
  LockId lock{};
  SectionMode mode{};
  bool wrote = false;

  /// Does whoever is ordered after this section know all that the other one would tell? It is an earlier one of the
  /// same thread on the same lock, and has no rival that this one has not.
  bool supersedes(const AncillarySection& other) const {
    return other.thread == thread && other.lock == lock && other.released != Section::kOpen &&
           other.released <= released && (wrote || !other.wrote) &&
           (mode == SectionMode::Exclusive || other.mode == SectionMode::Shared);
  }
};

class Ancillary {
 public:
  using Entries = Vector<AncillarySection>;

  /// False: no. Asked at every access, so it does not look whether there is a bit for x, but at some bit.
  [[gnu::always_inline]] bool may_have(VariableId x) const {
    return (has_[index(x) / 64 & mask_] >> (index(x) % 64) & 1) != 0;
  }
  [[gnu::always_inline]] bool has(VariableId x) const { return may_have(x) && index(x) / 64 <= mask_; }
  Entries& of(VariableId x) { return lists_[slots_[index(x)] - 1]; }
  /// The locks of x's entries, of which there are some. Most often the thread holds none of them, and that is all.
  LockSet locks_of(VariableId x) const { return locks_[slots_[index(x)] - 1]; }

  /// Adds a section, or its having written to an entry that is there; in place of those that it supersedes.
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

  /// x's entries become `entries`, which is left with the old ones' memory.
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

  Vector<std::uint64_t> has_{0};  ///< a bit for each variable, of which hardly any has a list; a power of two
  std::size_t mask_ = 0;
  Vector<std::uint32_t> slots_;  ///< by variable that has a list: 1 + index in `lists_`
  Vector<Entries> lists_;
  Vector<LockSet> locks_;       ///< of each list's entries, or more
  Vector<std::uint32_t> free_;  ///< slots of lists that no variable has
};

}  // namespace omen
