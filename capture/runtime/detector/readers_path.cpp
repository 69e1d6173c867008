/// \file
/// The slow path for reads of lines that several threads read (thread_reads.hpp). A reader's table has one word for the
/// line. What that has no room for is a *kept read* (detail.hpp); a word that has had to give way too often is merged
/// instead (`ReadWord::is_merged`). Who writes the line unpacks them all.
#include "capture/runtime/detector/line_access.hpp"

namespace omen::rt::detect {

/// What the readers' tables have of these bytes. A plain read conflicts with none of it and leaves it where it is: only
/// what the thread's own read takes the place of matters to it.
void Shadow::unpack_readers(const LineAccess& access, History& history, ByteSet bytes) const {
  const Word readers = access.line.read.epoch();
  const Slot own = access.t.slot;
  if (!leaves_readers(access)) {
    for_each_reader(readers, access.base, [&](Slot, const ReadWord& place, const LineWord& word) {
      add_read(access.t, history, place, word, bytes);
    });
  } else if (const ReadWord* const mine = thread_reads.find(own, access.base);
             mine != nullptr && ReaderSet(readers).may_have(own)) {
    const LineWord word = mine->load();
    if (gives_way_to_read(access, word)) add_word(access.t, history, word, AccessKind::Read, bytes);
  }
}

/// A word of a reader's table.
void Shadow::add_read(const DetectorThread& t, History& history, const ReadWord& place, const LineWord& word,
                      ByteSet bytes) {
  add_word(t, history, word, AccessKind::Read, bytes);
  if (word.epoch.is_none() || !place.is_merged() || t.is_settled(word.epoch)) return;
  history.add(word.epoch.as(AccessKind::Read).as_merged(), word.touched() & bytes);
}

/// Does a word of the thread's own table give way to its next read?
bool Shadow::gives_way_to_read(const LineAccess& access, const LineWord& mine) const {
  return mine.epoch.is_none() || mine.epoch == access.t.now || may_be_bounded(access, mine.epoch);
}

bool Shadow::leaves_readers(const LineAccess& access) const {
  return access.kind == AccessKind::Read && !counts_ && !access.line.detailed().meets(access.wanted);
}

/// The reads that a plain read has left in the readers' tables.
void Shadow::unpack_left_readers(const LineAccess& access, History& history) const {
  const Word readers = access.line.read.epoch();
  if (!leaves_readers(access) || !readers.is_shared()) return;
  ByteSet bytes = access.groups - access.line.detailed();
  if (access.line.is_split()) bytes &= shared_groups(split_lines.of(access.base), bytes);
  for_each_reader(readers, access.base, [&](Slot slot, const ReadWord& place, const LineWord& word) {
    if (slot != access.t.slot || place.is_merged() || !gives_way_to_read(access, word)) {
      add_read(access.t, history, place, word, bytes);
    }
  });
}

/// The thread's own table, which it has, gets the read. What its word said before and has no room for now is to be
/// kept.
LineWord Shadow::read_into_table(LineAccess& access, ByteSet bytes) const {
  ReadWord& mine = *thread_reads.find(access.t.slot, access.base);
  const Word word = access.line.read.epoch();
  ReaderSet readers = word.is_shared() ? ReaderSet(word) : ReaderSet();
  LineWord earlier = readers.may_have(access.t.slot) ? without_bytes(mine.load(), access.line.detailed()) : LineWord{};
  LineWord kept;
  if (!gives_way_to_read(access, earlier) && !mine.is_merged()) {
    mine.count_kept();
    if (!mine.is_merged()) kept = std::exchange(earlier, {});
  }
  mine.store(with_access(earlier, access.t.now, bytes));
  readers.add(access.t.slot);
  access.line.store_read({readers.word(), {}, {}});
  return kept;
}

/// A read of a shared line goes into its detail, beside what is there.
void Shadow::keep_read(LineAccess& access, const LineWord& read) {
  if (read.epoch.is_none()) return;
  History& kept = access.history();  // done with
  kept.clear();
  add_word(access.t, kept, read, AccessKind::Read, ByteSet::all());
  for (const Entry& entry : kept) {
    access.line.set_detail(details_.add(access.line.detail(), entry, access.t.slot));
  }
  map_.note_references(access.base);
}

/// Those of a line whose reads are shared, which are not its whole history.
ByteSet Shadow::kept_bytes(const ShadowLine& line) const {
  return OMEN_LIKELY(line.detail() == 0) ? ByteSet() : details_.bytes(line.detail()) - line.detailed();
}

/// Removes bytes from the readers' tables. What others are left, there or in the detail.
ByteSet Shadow::take_from_readers(ShadowLine& line, uptr base, ByteSet bytes) const {
  ByteSet left = kept_bytes(line) - bytes;
  for_each_reader(line.read.epoch(), base, [&](Slot, ReadWord& place, const LineWord& word) {
    const LineWord rest = without_bytes(word, bytes);
    if (rest != word) place.store(rest);
    if (rest.epoch.is_none()) place.forget_kept();
    left |= rest.touched();
  });
  if (left.is_empty()) line.store_read({});
  return left;
}

/// What the readers' tables have, and kept reads.
ByteSet Shadow::bytes_of_readers(const LineAccess& access) const {
  ByteSet bytes = kept_bytes(access.line);
  for_each_reader(access.read.epoch, access.base,
                  [&](Slot, const ReadWord&, const LineWord& word) { bytes |= word.touched(); });
  return bytes - access.line.detailed();
}

}  // namespace omen::rt::detect
