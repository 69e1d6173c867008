/// \file
/// Appending records: numbers, nodes, chunks.
#include "capture/runtime/recorder.hpp"

namespace omen::rt {

using raw::RawOp;
using raw::Record;

constinit Recorder recorder;
__thread ThreadState* current_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {
/// Ranges up to this many bytes go through the filter.
constexpr u64 kFilteredRange = 64;
/// Freed blocks up to this size are taken out of the filter cell by cell.
constexpr u64 kForgottenRange = 1024;

/// Which bytes of the cell the access touches.
OMEN_INLINE u32 bytes_in(uptr cell, uptr address, u64 bytes) {
  const uptr begin = cell << 3;
  const uptr from = address > begin ? address - begin : 0;
  const uptr to = address + bytes < begin + 8 ? address + bytes - begin : 8;
  return ((1U << to) - 1) & ~((1U << from) - 1);
}
}  // namespace

bool Recorder::start(const char* folder, u64 limit_bytes) {
  folder_ = folder;
  limit_ = limit_bytes;
  if (!stacks_.create() || !order_.create()) {
    Message() << "there is no memory to record with; the program runs unrecorded";
    return false;
  }
  return file_.create(folder, limit_bytes, 0);
}

void Recorder::start_again_in_child(ThreadState* thread) {
  const u32 parent = file_.process();
  file_.abandon();
  stacks_.reset();
  order_.reset();
  for (Stripe& stripe : stripes_) stripe.lock.reset();
  if (thread->chunk != nullptr) RecordingFile::release_chunk(thread->chunk);
  thread->chunk = nullptr;
  thread->next = thread->end = nullptr;
  for (auto& run : thread->runs) run = {};
  thread->chunks = 0;
  thread->nodes.clear();
  thread->stack.forget_nodes();
  thread->filter.next_epoch();
  thread->id = 0;
  threads_.store(1, std::memory_order_relaxed);
  if (!file_.create(folder_, limit_, parent)) return;
  thread->number = thread->logged_number = counter_.fetch_add(1, std::memory_order_relaxed) + 1;
}

ThreadState* Recorder::create_thread() {
  auto* const thread = static_cast<ThreadState*>(map_memory(sizeof(ThreadState)));
  if (thread == nullptr) return nullptr;
  // The memory is zero; what does not start as zero is set by hand, for the constructor would touch every page.
  thread->filter.next_epoch();
  if (!thread->stack.create()) {
    unmap_memory(thread, sizeof(ThreadState));
    return nullptr;
  }
  thread->id = threads_.fetch_add(1, std::memory_order_relaxed);
  thread->number = thread->logged_number = counter_.fetch_add(1, std::memory_order_relaxed) + 1;
  return thread;
}

void Recorder::destroy_thread(ThreadState* thread) {
  if (thread->chunk != nullptr) RecordingFile::release_chunk(thread->chunk);
  thread->stack.destroy();
  unmap_memory(thread, sizeof(ThreadState));
}

bool Recorder::next_chunk(ThreadState* thread) {
  for (auto& run : thread->runs) run.record = nullptr;  // their chunk goes
  // Threads that record little take little; the others do not ask often.
  const u64 bytes = thread->chunks < 4 ? RecordingFile::kSmallChunk : RecordingFile::kLargeChunk;
  raw::ChunkHeader* const chunk = file_.take_chunk(bytes, counter_);
  if (thread->chunk != nullptr) RecordingFile::release_chunk(thread->chunk);
  thread->chunk = chunk;
  thread->next = thread->end = nullptr;
  if (chunk == nullptr) return false;
  ++thread->chunks;
  chunk->thread = thread->id;
  chunk->number = thread->logged_number;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  chunk->magic = raw::kChunkMagic;
  thread->next = reinterpret_cast<Record*>(chunk + 1);
  thread->end = thread->next + (bytes - sizeof(raw::ChunkHeader)) / sizeof(Record);
  return true;
}

bool Recorder::append(ThreadState* thread, RawOp op, u64 place, u32 node) {
  if (OMEN_UNLIKELY(thread->next == thread->end) && !next_chunk(thread)) return false;
  u64 step = thread->number - thread->logged_number;
  if (OMEN_UNLIKELY(step > raw::kMaxNumberStep)) {
    thread->next->place = thread->number;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread->next->rest = raw::pack_rest(RawOp::Number, 0, 0);
    ++thread->next;
    thread->logged_number = thread->number;
    step = 0;
    if (thread->next == thread->end && !next_chunk(thread)) return false;
  }
  Record* const record = thread->next++;
  record->place = place;
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the operation last: it makes the record complete
  record->rest = raw::pack_rest(op, step, node);
  thread->logged_number = thread->number;
  return true;
}

u32 Recorder::intern(ThreadState* thread, u32 parent, uptr pc) {
  if (const u32* const known = thread->nodes.find(parent, pc)) return *known;
  const u32 node = stacks_.intern(parent, pc, [&](u32 fresh, u32 of, uptr place) {
    append(thread, RawOp::DefineNode, raw::pack_place(place, 0), fresh);
    append(thread, RawOp::More, of, 0);
  });
  thread->nodes.add(parent, pc, node);
  return node;
}

u32 Recorder::frame_node(ThreadState* thread) {
  Frame* const top = thread->stack.top();
  if (OMEN_LIKELY(top->node != 0)) return static_cast<u32>(top->node);
  Frame* frame = top;
  while (frame > thread->stack.bottom() && frame->node == 0) --frame;
  u32 node = static_cast<u32>(frame->node);
  while (frame < top) {
    ++frame;
    node = intern(thread, node, frame->pc);
    frame->node = node;
  }
  return node;
}

u32 Recorder::node_at(ThreadState* thread, uptr pc) {
  if (pc == 0) return 0;  // nothing in the program stands for it
  return intern(thread, frame_node(thread), pc);
}

/// A record of the same place and stack, since the last synchronisation, whose memory this access continues.
bool Recorder::extend(const ThreadState::Run& run, const ThreadState* thread, RawOp op, u32 node, uptr address,
                      u64 bytes) {
  Record* const open = run.record;
  if (open == nullptr || run.number != thread->number || run.syncs != thread->syncs || open->op() != op ||
      open->node() != node) {
    return false;
  }
  const uptr begin = open->address();
  const uptr end = begin + open->length();
  if (open->length() + bytes >= raw::kLongLength) return false;
  if (end == address) {
    open->place = raw::pack_place(begin, open->length() + bytes);
  } else if (address + bytes == begin) {
    open->place = raw::pack_place(address, open->length() + bytes);
  } else {
    return false;
  }
  return true;
}

OMEN_NOINLINE void Recorder::record_cell(ThreadState* thread, uptr cell, u32 bytes, bool write, uptr pc) {
  const u32 first = static_cast<u32>(__builtin_ctz(bytes));
  const u32 last = 31 - static_cast<u32>(__builtin_clz(bytes));
  record_access(thread, (cell << 3) + first, last - first + 1, write ? RawOp::Write : RawOp::Read, pc);
}

OMEN_NOINLINE void Recorder::record_access(ThreadState* thread, uptr address, u64 bytes, RawOp op, uptr pc) {
  if (thread->busy != 0 || thread->ignore_access != 0) return;
  const Busy busy(thread);
  const bool write = op != RawOp::Read;
  for (uptr line = address / OrderTable::kBytes; line <= (address + bytes - 1) / OrderTable::kBytes; ++line) {
    order_.touch(line * OrderTable::kBytes, write, thread->id + 1, thread->number, counter_);
  }
  if (bytes <= kFilteredRange) {
    const uptr first = address >> 3;
    const uptr last = (address + bytes - 1) >> 3;
    for (uptr cell = first; cell <= last; ++cell) {
      thread->filter.add(cell, bytes_in(cell, address, bytes), write);
    }
  }
  const u32 node = node_at(thread, pc);
  ThreadState::Run& run = thread->runs[node % ThreadState::kRuns];
  if (extend(run, thread, op, node, address, bytes)) return;
  if (bytes < raw::kLongLength) {
    run.record = append(thread, op, raw::pack_place(address, bytes), node) ? thread->next - 1 : nullptr;
    run.number = thread->number;
    run.syncs = thread->syncs;
  } else {
    append(thread, op, raw::pack_place(address, raw::kLongLength), node);
    append(thread, RawOp::More, bytes, 0);
  }
}

void Recorder::range(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (bytes == 0 || address + bytes < address) return;
  if (bytes <= kFilteredRange) {
    // Only what is new, from the first new byte to the last.
    uptr begin = 0;
    uptr end = 0;
    for (uptr cell = address >> 3; cell <= (address + bytes - 1) >> 3; ++cell) {
      const u32 unknown = thread->filter.unknown(cell, bytes_in(cell, address, bytes), write);
      if (unknown == 0) continue;
      if (end == 0) begin = (cell << 3) + static_cast<u32>(__builtin_ctz(unknown));
      end = (cell << 3) + 32 - static_cast<u32>(__builtin_clz(unknown));
    }
    if (end == 0) return;
    address = begin;
    bytes = end - begin;
  }
  record_access(thread, address, bytes, write ? RawOp::Write : RawOp::Read, pc);
}

void Recorder::synchronise(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (thread->ignore_sync != 0) return;
  const Busy busy(thread);
  const u32 node = node_at(thread, pc);
  thread->number = counter_.fetch_add(1, std::memory_order_seq_cst) + 1;
  thread->filter.next_epoch();
  ++thread->syncs;
  append(thread, op, raw::pack_place(object, detail), node);
}

void Recorder::memory(ThreadState* thread, RawOp op, uptr address, u64 bytes, uptr pc) {
  if (bytes == 0) return;
  const Busy busy(thread);
  const u32 node = node_at(thread, pc);
  thread->number = counter_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (bytes <= kForgottenRange) {
    for (uptr cell = address >> 3; cell <= (address + bytes - 1) >> 3; ++cell) thread->filter.forget(cell);
  } else {
    thread->filter.next_epoch();
  }
  if (bytes < raw::kLongLength) {
    append(thread, op, raw::pack_place(address, bytes), node);
  } else {
    append(thread, op, raw::pack_place(address, raw::kLongLength), node);
    append(thread, RawOp::More, bytes, 0);
  }
}

void Recorder::note(ThreadState* thread, RawOp op, uptr place, u64 length, uptr pc) {
  const Busy busy(thread);
  const u32 node = node_at(thread, pc);
  if (length < raw::kLongLength) {
    append(thread, op, raw::pack_place(place, length), node);
  } else {
    append(thread, op, raw::pack_place(place, raw::kLongLength), node);
    append(thread, RawOp::More, length, 0);
  }
}

void Recorder::more(ThreadState* thread, u64 value) {
  const Busy busy(thread);
  append(thread, RawOp::More, value, 0);
}

void Recorder::text(ThreadState* thread, const char* text) {
  const Busy busy(thread);
  u64 left = text_length(text);
  if (left > 4000) left = 4000;
  append(thread, RawOp::Text, raw::pack_place(0, left), 0);
  while (left > 0) {
    u64 eight = 0;
    const u64 now = left < 8 ? left : 8;
    copy_bytes(&eight, text, now);
    append(thread, RawOp::More, eight, 0);
    text += now;
    left -= now;
  }
}

void Recorder::note_text(ThreadState* thread, RawOp op, uptr place, const char* name) {
  const Busy busy(thread);
  append(thread, op, raw::pack_place(place, 0), 0);
  text(thread, name);
}

}  // namespace omen::rt
