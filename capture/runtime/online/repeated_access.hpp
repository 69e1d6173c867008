/// \file
/// Has the current thread made this access before, in this epoch? As far as cells and their planes tell; for lines see
/// line.hpp. Nearly all that a program does is a repetition: no lock, no fence, no call, as few cache lines as can be.
/// Whoever says no does not know.
#pragma once

#include "capture/runtime/online/read_planes.hpp"
#include "capture/runtime/online/shadow_map.hpp"
#include "capture/runtime/thread_state.hpp"

namespace omen::rt::online {

/// The places in the program, by return address, where the thread's last read was in one of its planes. The next one is
/// looked for there first: the word in the plane says all, and line and cell, other cache lines, are not touched.
inline constexpr u8 kInCellPlane = 1;
inline constexpr u8 kInLinePlane = 2;
inline constexpr std::size_t kSharedSites = 1024;
extern __thread u8 shared_sites[kSharedSites] __attribute__((tls_model("initial-exec")));

OMEN_INLINE u8& shared_site(uptr pc) {
  return shared_sites[pc % kSharedSites];
}

/// The same-epoch cases that the words of a cell tell.
OMEN_INLINE bool are_words_now(u64 now, u64 written, u64 read, u64 wanted, bool write) {
  return is_now(written, now, wanted) || (!write && is_now_in_either(written, read, now, wanted));
}
/// The same, with no look at the read word that is not needed.
OMEN_INLINE bool is_in_words(u64 now, const Cell& cell, u64 wanted, bool write) {
  const u64 written = cell.write.load(std::memory_order_relaxed);
  return is_now(written, now, wanted) ||
         (!write && is_now_in_either(written, cell.read.load(std::memory_order_relaxed), now, wanted));
}

/// Of bytes in one cell, whose words are looked at.
template <bool write>
OMEN_INLINE bool is_repeated(const Cell& cell, u64 wanted) {
  return is_in_words(current_cell_now, cell, wanted, write);
}
/// Of bytes in two cells, side by side.
template <bool write>
OMEN_INLINE bool is_repeated_in_two(const Cell* cell, u64 wanted) {
  const u64 now = current_cell_now;
  return is_in_words(now, cell[0], wanted & kBytes, write) && is_in_words(now, cell[1], wanted >> kCellBytes, write);
}

/// Of bytes in one or two cells, side by side in a region, of which the thread's plane has the words.
OMEN_INLINE bool is_read_together(uptr address, u64 wanted) {
  const ReadPlanes::Word* const words = ReadPlanes::find(current_planes, address);
  const u64 now = current_cell_now;
  return words != nullptr && ReadPlanes::has(words[0], now, wanted & kBytes) &&
         (wanted <= kBytes || ReadPlanes::has(words[1], now, wanted >> kCellBytes));
}

}  // namespace omen::rt::online
