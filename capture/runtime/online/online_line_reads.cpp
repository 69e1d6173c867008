/// \file
/// Lines whose reads are in the threads' planes, as long as what there is is settled: online_shared_reads.cpp, for
/// lines.
#include "capture/runtime/online/line_settling.hpp"
#include "capture/runtime/online/online.hpp"

namespace omen::rt::online {

constinit LinePlanes line_planes;

namespace {

/// Calls `visit(slot, place, word)` for the threads that a read word names.
template <class Visit>
OMEN_INLINE void for_each_line_reader(u64 readers, uptr base, Visit visit) {
  for (u64 left = readers & (kPlanesBit - 1); left != 0; left &= left - 1) {
    const u32 slot = static_cast<u32>(__builtin_ctzll(left));
    if (LinePlanes::Word* const place = line_planes.find(slot, base)) visit(slot, *place, place->load());
  }
}

}  // namespace

/// [Read Share], [Read Shared] and [Read Shared Owned] where the last write is settled; the caller has the lock, which
/// is given back. False: nothing has been done, and the lock is still held.
bool Online::read_line_together(OnlineThread& state, Line& line, uptr base, const LineWord& written,
                                const LineWord& read, u64 wanted, Action log) {
  if (read.epoch == 0 || !is_line_settled(state, written, wanted)) return false;
  LinePlanes::Word* const mine = line_planes.at(state.slot, base);
  if (mine == nullptr) return false;
  const bool shared = (read.epoch & kPlanesBit) != 0;
  const u64 me = reader_bit(state.slot);
  LineWord next{state.now, wanted, 0};
  u64 readers = read.epoch | me;
  LineWord earlier{};
  if (shared) {
    if ((read.epoch & me) != 0) earlier = mine->load();
    if (earlier.epoch == state.now && (wanted & ~earlier.bytes) == 0) {
      line.store_write(written);
      count(state, Rule::SharedSameEpoch);
      return true;
    }
    next = plane_taken(state, earlier, wanted);
    if (next.epoch == 0) return false;
    log();
  } else {
    const u32 other = slot_in(read.epoch);
    LinePlanes::Word* const theirs = line_planes.at(other, base);
    if (other == state.slot || theirs == nullptr) return false;
    log();
    lines_.note_names(base, LineMap::kNamesPlanes);
    theirs->store(read);
    readers = kPlanesBit | reader_bit(other) | me;
  }
  mine->store(next);
  line.store_read({readers, 0, 0});
  line.store_write(written);
  count(state, !shared ? Rule::ReadShare : earlier.epoch != 0 ? Rule::ReadSharedOwned : Rule::ReadShared);
  return true;
}

/// [Write Shared] where all readers, and the last write, are settled. As above. What is left of the reads is a bound,
/// if the thread has settled all of it; otherwise it stays in the planes.
bool Online::write_line_together(OnlineThread& state, Line& line, uptr base, const LineWord& written,
                                 const LineWord& read, u64 wanted, Action log) {
  if ((read.epoch & kPlanesBit) == 0 || !is_line_settled(state, written, wanted) ||
      (written.epoch != state.now && !is_line_settled(state, written, written.touched() & ~wanted))) {
    return false;
  }
  bool settled = true;
  bool all_settled = true;
  u64 left = 0;
  for_each_line_reader(read.epoch, base, [&](u32, const LinePlanes::Word&, const LineWord& word) {
    settled &= is_line_settled(state, word, wanted);
    all_settled &= is_line_settled(state, word, word.touched());
    left |= word.touched() & ~wanted;
  });
  if (!settled) return false;
  log();
  log_replaced_line(state, base, written, wanted, true);
  for_each_line_reader(read.epoch, base, [&](u32, LinePlanes::Word& place, const LineWord& word) {
    if (word.epoch == 0) return;
    if (all_settled) log_replaced_line(state, base, word, wanted, false);
    place.store(all_settled ? LineWord{} : line_without(word, wanted));
  });
  if (left == 0) {
    line.store_read({});
  } else if (all_settled) {
    line.store_read({state.now, 0, left});
  }
  line.store_write(line_taken(state, written, wanted));
  count(state, Rule::WriteShared);
  return true;
}

/// What the threads' planes have of a cell of the line goes into their planes of cells: the cell's read word.
u64 Online::open_line_planes(u64 readers, uptr base, u32 cell) {
  u64 read_word = 0;
  for_each_line_reader(readers, base, [&](u32 slot, const LinePlanes::Word&, const LineWord& word) {
    const u64 reads = cell_word(word, cell);
    if (reads == 0) return;
    ReadPlanes::Word* const place = read_planes.at(slot, base + cell * kCellBytes);
    if (place == nullptr) return;
    place->store(reads & ~(u64{slot} << kSlotShift), std::memory_order_relaxed);
    read_word |= kPlanesBit | reader_bit(slot);
  });
  return read_word;
}

/// Bytes whose memory ends its life, or of which the cells tell from now on. Is there anything left?
bool Online::clear_line_planes(u64 readers, uptr base, u64 bytes) {
  bool any = false;
  for_each_line_reader(readers, base, [&](u32, LinePlanes::Word& place, const LineWord& word) {
    const LineWord rest = line_without(word, bytes);
    place.store(rest);
    any |= rest.epoch != 0;
  });
  return any;
}

}  // namespace omen::rt::online
