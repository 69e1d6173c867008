/// \file
/// The critical sections that a thread is in, and which of them may have reached hidden state
/// (docs/hidden-state.md).
///
/// A section is *transparent* until control leaves instrumented code in it; then it is *opaque* until it ends. Only the
/// thread itself accesses this.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

class HeldSections {
 public:
  struct Section {
    uptr lock;
    u32 depth;     ///< of a recursive lock
    bool opaque;   ///< it may have accessed state hidden behind the lock
    bool waits;    ///< at a condition variable: the lock is released, and will be reacquired at `depth`
    bool foreign;  ///< it began in code without instrumentation
  };

  /// The number of transparent sections.
  u32 transparent() const { return counts_.transparent; }

  /// The common case of `begin`, in a few instructions: the thread holds nothing else, and the new section is
  /// transparent. False: another case, and nothing was done.
  OMEN_INLINE bool begin_only(uptr lock) {
    if (counts_.all != 0) return false;
    sections_[0] = {lock, 1, false, false, false};
    counts_ = {1, 1};
    return true;
  }
  /// The same for `end`: the section is still transparent, and the only one.
  OMEN_INLINE bool end_only(uptr lock) {
    const Section& section = sections_[0];
    if (counts_.all != 1 || counts_.transparent != 1 || section.lock != lock || section.depth != 1) return false;
    counts_ = {0, 0};
    return true;
  }

  /// The thread acquired the lock. Null: no room for the section; it must be opaque at once.
  Section* begin(uptr lock, bool foreign) {
    if (Section* const held = find(lock); held != nullptr && !held->waits) {
      ++held->depth;
      return held;
    }
    if (counts_.all == kMost) return nullptr;
    Section& section = sections_[counts_.all++];
    section = {lock, 1, false, false, foreign};
    ++counts_.transparent;
    return &section;
  }

  void end(uptr lock) {
    Section* const held = find(lock);
    if (held == nullptr || held->waits || --held->depth != 0) return;
    if (!held->opaque) --counts_.transparent;
    erase(held);
  }

  /// A wait ends the section at any depth; another section follows it.
  void wait(uptr lock) {
    Section* const held = find(lock);
    if (held == nullptr || held->waits) return;
    if (!held->opaque) --counts_.transparent;
    held->waits = true;
    held->opaque = false;
  }
  Section* wake(uptr lock, bool foreign) {
    Section* const held = find(lock);
    if (held == nullptr || !held->waits) return begin(lock, foreign);
    held->waits = false;
    held->foreign |= foreign;
    ++counts_.transparent;
    return held;
  }

  /// The lock was destroyed.
  void forget(uptr lock) {
    Section* const held = find(lock);
    if (held == nullptr) return;
    if (!held->opaque && !held->waits) --counts_.transparent;
    erase(held);
  }

  void mark(Section& section) {
    if (section.opaque || section.waits) return;
    section.opaque = true;
    --counts_.transparent;
  }

  Section* first() { return sections_; }
  Section* last() { return sections_ + counts_.all; }

 private:
  /// More locks than a thread holds at once. Locks that other threads unlock stay here forever.
  static constexpr u32 kMost = 64;

  /// Searches the innermost section first, since sections mostly end in reverse order.
  Section* find(uptr lock) {
    for (u32 i = counts_.all; i-- > 0;) {
      if (sections_[i].lock == lock) return &sections_[i];
    }
    return nullptr;
  }
  void erase(Section* section) {
    for (--counts_.all; section < sections_ + counts_.all; ++section) *section = section[1];
  }

  Section sections_[kMost];
  struct Counts {
    u32 all;
    u32 transparent;
  };
  Counts counts_ = {};
};

}  // namespace omen::rt
