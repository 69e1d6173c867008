/// \file
/// Memory is allocated or freed: its bytes are removed from the words, the readers' tables and the details. No thread
/// may use the memory now, so none is waited for; a line's lock is taken because of the neighbouring bytes.
///
/// When whole leaves of the shadow are cleared, their pages go back to the system. Lines that refer to something
/// outside the shadow, which the map notes (`ShadowMap::take_references`), are cleared one by one first.
#include "capture/runtime/detector/line_access.hpp"

namespace omen::rt::detect {

void Shadow::clear_line(const DetectorThread& t, ShadowLine& line, uptr base, ByteSet bytes) {
  const LineWord seen = line.load_write();
  const LineWord seen_read = line.load_read();
  if (line.control.load(std::memory_order_relaxed) == 0 && !seen_read.epoch.is_shared()) {
    if (!(seen.touched() | seen_read.touched()).meets(bytes)) return;
    if (bytes == ByteSet::all() || (t.is_own(seen.epoch) && t.is_own(seen_read.epoch))) {
      line.store_read(without_bytes(seen_read, bytes));
      line.store_write(without_bytes(seen, bytes));
      return;
    }
  }
  line.lock();
  if (line.detailed().meets(bytes)) {
    History history;
    details_.load(line.detail(), history);
    for (Entry& entry : history) entry.bytes -= bytes;
    history.remove_empty();
    // Groups that nobody has accessed any more are the line's own again.
    ByteSet left;
    for (const Entry& entry : history) left |= entry.bytes;
    line.set_detail(details_.store(line.detail(), history, t.slot));
    line.set_detailed(line.detailed() & left.whole_granules());
  }
  const LineWord read = line.load_read();
  if (!read.epoch.is_shared()) {
    line.store_read(without_bytes(read, bytes));
  } else {
    bool any = false;
    for_each_reader(read.epoch, base, [&](Slot, ReadWord& place, const LineWord& word) {
      const LineWord rest = without_bytes(word, bytes);
      place.store(rest);
      any |= !rest.epoch.is_none();
    });
    if (!any) line.store_read({});
  }
  line.store_write(without_bytes(line.load_write(), bytes));
  if (line.is_split()) clear_groups(split_lines.of(base), bytes);
  line.unlock();
}

/// Of one leaf.
void Shadow::clear_lines(const DetectorThread& t, uptr begin, uptr end) {
  ShadowLine* line = ShadowMap::find(begin);
  for (uptr base = begin & ~(kLineSize - 1); base < end; base += kLineSize, ++line) {
    if (!line->is_empty()) clear_line(t, *line, base, ByteSet::within(base, begin, end));
  }
}

void Shadow::clear(const DetectorThread& t, uptr begin, uptr end) {
  constexpr uptr kLeaf = ShadowMap::kLeaf;
  for (uptr at = begin; at < end;) {
    const uptr next_leaf = (at & ~(kLeaf - 1)) + kLeaf;
    const uptr whole_end = end & ~(kLeaf - 1);
    if (ShadowMap::find(at) == nullptr) {
      at = next_leaf;
    } else if (at % kLeaf != 0 || at >= whole_end) {
      const uptr to = next_leaf < end ? next_leaf : end;
      clear_lines(t, at, to);
      at = to;
    } else {
      const uptr region_end = (at & ~(kRegion - 1)) + kRegion;
      const uptr to = whole_end < region_end ? whole_end : region_end;
      for (uptr leaf = at; leaf < to; leaf += kLeaf) {
        if (map_.take_references(leaf)) clear_lines(t, leaf, leaf + kLeaf);
      }
      map_.clear_leaves(at, to);
      at = to;
    }
  }
  if (end - begin >= ShadowMap::kGivenBack) {
    split_lines.forget(begin, end);
    thread_reads.forget(begin, end, slot_count_->load(std::memory_order_relaxed));
  }
}

}  // namespace omen::rt::detect
