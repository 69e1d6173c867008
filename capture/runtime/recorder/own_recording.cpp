#include "capture/runtime/recorder/own_recording.hpp"

#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt {

using raw::RawOp;
using raw::Record;

namespace {

u64 length_of(const Record* record) {
  return record->length() == raw::kLongLength && record[1].op() == RawOp::More ? record[1].place : record->length();
}
bool holds(const Record* record, uptr address) {
  return record->address() <= address && address - record->address() < length_of(record);
}

}  // namespace

OwnRecording::OwnRecording() : file_(recorder.path()) {}

template <class Take>
void OwnRecording::for_each(Take take) const {
  u64 offset = raw::kFileHeaderBytes;
  while (const auto* const chunk = file_.at<raw::ChunkHeader>(offset)) {
    if (chunk->magic != raw::kChunkMagic || chunk->bytes < sizeof *chunk) return;
    const u64 count = (chunk->bytes - sizeof *chunk) / sizeof(u64);
    const auto* const words = file_.at<u64>(offset + sizeof *chunk, count);
    if (words == nullptr) return;
    u64 number = chunk->number;
    // The last record is skipped, because its second part may not be written yet.
    for (u64 i = 0; i + 2 * raw::kRecordWords <= count;) {
      if (raw::words_of_record(words[i]) == 1) {
        ++i;
        continue;
      }
      const auto* const record = reinterpret_cast<const Record*>(words + i);
      if (record->op() == RawOp::End) break;
      i += raw::kRecordWords;
      if (record->op() == RawOp::More) continue;
      number = record->op() == RawOp::Number ? record->place : number + record->step();
      take(chunk->thread, number, record);
    }
    offset += chunk->bytes;
  }
}

OwnRecording::Block OwnRecording::block_at(uptr address) const {
  Block latest;
  u64 latest_number = 0;
  for_each([&](u32 thread, u64 number, const Record* record) {
    const RawOp op = record->op();
    const bool begins = op == RawOp::Allocate || op == RawOp::AllocateUnwritten;
    if ((!begins && op != RawOp::Free) || number < latest_number || !holds(record, address)) return;
    latest_number = number;
    latest = begins ? Block{record->address(), length_of(record), thread, record->node()} : Block{};
  });
  return latest;
}

OwnRecording::Block OwnRecording::stack_at(uptr address) const {
  Block latest;
  u64 latest_number = 0;
  for_each([&](u32 thread, u64 number, const Record* record) {
    // Only a thread's own stack is recorded without a place in the program.
    if (record->op() != RawOp::NewMemory || record->node() != 0) return;
    if (number < latest_number || !holds(record, address)) return;
    latest_number = number;
    latest = {record->address(), length_of(record), thread, 0};
  });
  return latest;
}

u64 OwnRecording::places(u32 node, uptr* places, u64 most) const {
  u64 count = 0;
  while (node != 0 && count < most) {
    u32 parent = 0;
    for_each([&](u32, u64, const Record* record) {
      if (record->op() != RawOp::DefineNode || record->node() != node || record[1].op() != RawOp::More) return;
      places[count] = record->address();
      parent = static_cast<u32>(record[1].place);
    });
    ++count;
    if (parent >= node) break;
    node = parent;
  }
  return count;
}

u64 OwnRecording::system_id(u32 thread) const {
  u64 id = 0;
  for_each([&](u32, u64, const Record* record) {
    if (record->op() == RawOp::ThreadSystemId && record->address() == thread && record[1].op() == RawOp::More) {
      id = record[1].place;
    }
  });
  return id;
}

}  // namespace omen::rt
