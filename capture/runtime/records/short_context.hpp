/// \file
/// The context of a chunk's short accesses: the upper halves of addresses and of places in the program that earlier
/// records of the same chunk have defined, and the function that the latest access was in (raw_layout.hpp,
/// ShortAccess).
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/records/raw_layout.hpp"

namespace omen::rt {

/// The definitions of earlier records that short accesses of the current chunk refer to.
class ShortContext {
 public:
  static constexpr u32 kNone = ~u32{0};

  u32 frame = 0;  ///< the node of the function they are in

  /// Nothing is defined in a new chunk.
  void clear() {
    for (u32& base : bases_) base = kNone;
    for (u32& window : windows_) window = kNone;
    frame = 0;
  }

  static u32 upper_address(uptr address) { return static_cast<u32>(address >> 32); }
  static u32 upper_pc(uptr pc) { return static_cast<u32>(pc >> raw::ShortAccess::kWindowBits); }

  OMEN_INLINE u32 base_of(uptr address) {
    const u32 upper = upper_address(address);
    const u32 likely = likely_[upper % kLikely];
    return OMEN_LIKELY(bases_[likely] == upper) ? likely : search(upper);
  }
  /// Replaces the one that was defined first.
  u32 define_base(uptr address) {
    const u32 upper = upper_address(address);
    const u32 base = next_++ % raw::ShortAccess::kBases;
    bases_[base] = upper;
    likely_[upper % kLikely] = static_cast<u8>(base);
    return base;
  }

  OMEN_INLINE u32 window_of(uptr pc) const {
    const u32 upper = upper_pc(pc);
    return OMEN_LIKELY(windows_[0] == upper) ? 0 : windows_[1] == upper ? 1 : kNone;
  }
  bool has_free_window() const { return windows_[1] == kNone; }
  u32 define_window(uptr pc) {
    const u32 window = windows_[0] == kNone ? 0 : 1;
    windows_[window] = upper_pc(pc);
    return window;
  }

 private:
  OMEN_NOINLINE u32 search(u32 upper) {
    for (u32 base = 0; base < raw::ShortAccess::kBases; ++base) {
      if (bases_[base] == upper) {
        likely_[upper % kLikely] = static_cast<u8>(base);
        return base;
      }
    }
    return kNone;
  }

  static constexpr u32 kLikely = 64;
  u32 windows_[raw::ShortAccess::kWindows] = {};
  u32 bases_[raw::ShortAccess::kBases] = {};
  u32 next_ = 0;
  u8 likely_[kLikely] = {};
};

}  // namespace omen::rt
