/// \file
/// The critical sections that a thread is in, and which of them have reached state that nobody sees
/// (docs/hidden-state.md).
///
/// A section is *transparent* until control leaves instrumented code in it; then it is *opaque* until it ends. Only the
/// thread itself touches this.
#pragma once

#include "capture/runtime/platform.hpp"

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
  u32 transparent() const { return transparent_; }

  /// The lock is taken. Null: there is no room to remember the section; it must be opaque at once.
  Section* begin(uptr lock, bool foreign) {
    if (Section* const held = find(lock); held != nullptr && !held->waits) {
      ++held->depth;
      return held;
    }
    if (count_ == kMost) return nullptr;
    Section& section = sections_[count_++];
    section = {lock, 1, false, false, foreign};
    ++transparent_;
    return &section;
  }

  void end(uptr lock) {
    Section* const held = find(lock);
    if (held == nullptr || held->waits || --held->depth != 0) return;
    if (!held->opaque) --transparent_;
    erase(held);
  }

  /// A wait ends the section, however deep it is; what comes after it is another one.
  void wait(uptr lock) {
    Section* const held = find(lock);
    if (held == nullptr || held->waits) return;
    if (!held->opaque) --transparent_;
    held->waits = true;
    held->opaque = false;
  }
  Section* wake(uptr lock, bool foreign) {
    Section* const held = find(lock);
    if (held == nullptr || !held->waits) return begin(lock, foreign);
    held->waits = false;
    held->foreign |= foreign;
    ++transparent_;
    return held;
  }

  /// The lock is no more.
  void forget(uptr lock) {
    Section* const held = find(lock);
    if (held == nullptr) return;
    if (!held->opaque && !held->waits) --transparent_;
    erase(held);
  }

  void mark(Section& section) {
    if (section.opaque || section.waits) return;
    section.opaque = true;
    --transparent_;
  }

  Section* first() { return sections_; }
  Section* last() { return sections_ + count_; }

 private:
  /// More locks than a thread holds at once. Those that it holds forever, since others unlock them, stay here.
  static constexpr u32 kMost = 64;

  /// Searches the innermost section first, since sections mostly end in reverse order.
  Section* find(uptr lock) {
    for (u32 i = count_; i-- > 0;) {
      if (sections_[i].lock == lock) return &sections_[i];
    }
    return nullptr;
  }
  void erase(Section* section) {
    for (--count_; section < sections_ + count_; ++section) *section = section[1];
  }

  Section sections_[kMost];
  u32 count_ = 0;
  u32 transparent_ = 0;
};

}  // namespace omen::rt
