/// \file
/// The critical sections that a thread is in, and which of them have reached state that nobody sees
/// (docs/hidden-state.md).
///
/// A section is *transparent* until control leaves instrumented code in it; then it is *opaque* until it ends. Only the
/// thread itself touches this.
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

class HeldSections {
 public:
  struct Section {
    uptr lock;
    u32 depth;     ///< of a recursive lock
    bool opaque;   ///< what is hidden under the lock has been touched in it
    bool waits;    ///< at a condition variable: the lock is given up, and comes back with `depth`
    bool foreign;  ///< it began in code without instrumentation
  };

  /// How many of the sections are transparent.
  u32 transparent() const { return counts_.transparent; }

  /// The common case of `begin`, in a few instructions: the thread holds nothing else, and what begins is known to be
  /// transparent. False: it is another case, and nothing was done.
  OMEN_INLINE bool begin_only(uptr lock) {
    if (counts_.all != 0) return false;
    sections_[0] = {lock, 1, false, false, false};
    counts_ = {1, 1};
    return true;
  }
  /// The same of `end`: that section is still transparent, and the only one.
  OMEN_INLINE bool end_only(uptr lock) {
    const Section& section = sections_[0];
    if (counts_.all != 1 || counts_.transparent != 1 || section.lock != lock || section.depth != 1) return false;
    counts_ = {0, 0};
    return true;
  }

  /// The lock is taken. Null: there is no room to remember the section; it must be opaque at once.
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

  /// A wait ends the section, however deep it is; what comes after it is another one.
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

  /// The lock is no more.
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
  /// More locks than a thread holds at once. Those that it holds forever, since others unlock them, stay here.
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
