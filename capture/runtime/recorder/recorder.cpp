/// \file
/// Appends records: numbers, nodes, chunks.
#include "capture/runtime/recorder/recorder.hpp"

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/masked_access.hpp"
#include "capture/runtime/foreign/hidden_state.hpp"
#include "capture/runtime/schedule/explore/explore.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {

using raw::RawOp;
using raw::Record;

constinit Recorder recorder;

namespace {
/// Ranges up to this size are filtered line by line for redundant accesses.
constexpr u64 kFilteredRange = 256;
/// Up to this size, memory that begins a new life is removed from the line table line by line; for more, the thread
/// starts a new epoch.
constexpr u64 kForgottenRange = 4096;

constexpr std::ptrdiff_t kRecordWords = raw::kRecordWords;

/// The bytes of the line that the access touches, as a mask.
OMEN_INLINE u64 bytes_in(uptr line, uptr address, u64 bytes) {
  const uptr begin = line * kLineBytes;
  const uptr from = address > begin ? address - begin : 0;
  const uptr to = address + bytes < begin + kLineBytes ? address + bytes - begin : kLineBytes;
  const u64 below = to == 64 ? ~u64{0} : (u64{1} << to) - 1;
  return below & ~((u64{1} << from) - 1);
}

/// The atomic access orders neither the thread's earlier nor its later events. Adjacent fences order them.
OMEN_INLINE bool is_relaxed(RawOp op, u32 detail) {
  return ((op == RawOp::AtomicLoad || op == RawOp::AtomicStore || op == RawOp::AtomicRmw) && detail % 256 == 0) ||
         op == RawOp::Opaque;
}

/// The operation acquires or releases a lock.
OMEN_INLINE bool uses_lock(RawOp op) {
  return op >= RawOp::Acquire && op <= RawOp::Wake;
}

/// The operation begins or ends a critical section.
OMEN_INLINE bool is_section_step(RawOp op) {
  return uses_lock(op) || op == RawOp::LockForget;
}

}  // namespace

bool Recorder::prepare() {
  if (stacks_.create() && lines_.create()) return true;
  Message() << "there is no memory to record with; the program runs unrecorded";
  return false;
}

bool Recorder::start(const char* folder, u64 limit_bytes) {
  folder_ = folder;
  limit_ = limit_bytes;
  return file_.create(folder, limit_bytes, 0);
}

void Recorder::start_again_in_child(ThreadState* thread) {
  const u32 parent = file_.process();
  const bool was_recording = file_.process() != 0;
  file_.abandon();
  stacks_.reset();
  lines_.reset();
  for (Stripe& stripe : stripes_) stripe.lock.reset();
  if (thread->chunk != nullptr) RecordingFile::release_chunk(thread->chunk);
  thread->chunk = nullptr;
  thread->next = thread->end = nullptr;
  for (auto& run : thread->runs) run = {};
  thread->nodes.clear();
  thread->shared_lines.clear();
  thread->stack.forget_nodes();
  thread->id = 0;
  thread->owner = 1;
  thread->epoch = LineTable::first_epoch(thread->owner);
  threads_.store(1, std::memory_order_relaxed);
  if (!was_recording || !file_.create(folder_, limit_, parent)) return;
  thread->number = thread->logged_number = counter_.fetch_add(1, std::memory_order_relaxed) + 1;
}

ThreadState* Recorder::create_thread() {
  auto* const thread = static_cast<ThreadState*>(map_memory(sizeof(ThreadState)));
  if (thread == nullptr) return nullptr;
  // The memory is zero. Members with other initial values are set here, because a constructor would touch every page.
  if (!thread->stack.create()) {
    unmap_memory(thread, sizeof(ThreadState));
    return nullptr;
  }
  thread->id = threads_.fetch_add(1, std::memory_order_relaxed);
  thread->owner = u64{thread->id} + 1;
  thread->epoch = LineTable::first_epoch(thread->owner);
  thread->look_closer = 1;
  thread->cell_now = ThreadState::kNever;
  if (detect::detector.on()) thread->watch = ThreadState::Watch::Yes;
  thread->number = thread->logged_number = counter_.fetch_add(1, std::memory_order_relaxed) + 1;
  return thread;
}

void Recorder::destroy_thread(ThreadState* thread) {
  if (thread->chunk != nullptr) RecordingFile::release_chunk(thread->chunk);
  thread->stack.destroy();
  unmap_memory(thread, sizeof(ThreadState));
}

bool Recorder::next_chunk(ThreadState* thread) {
  for (auto& run : thread->runs) run = {};  // their records are in the chunk that is replaced
  thread->shorts.clear();
  thread->rounds.forget();
  thread->next = thread->end = nullptr;
  raw::ChunkHeader* chunk = thread->chunk;
  if (chunk != nullptr) {
    if (!file_.put_chunk(chunk, counter_)) return false;
  } else {
    chunk = thread->chunk = file_.take_chunk(counter_);
    if (chunk == nullptr) return false;
    chunk->thread = thread->id;
  }
  chunk->number = thread->logged_number;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  chunk->magic = raw::kChunkMagic;
  thread->next = reinterpret_cast<u64*>(chunk + 1);
  thread->end = thread->next + (raw::kChunkBytes - sizeof(raw::ChunkHeader)) / sizeof(u64);
  return true;
}

OMEN_INLINE Record* put(ThreadState* thread, RawOp op, u64 step, u64 place, u32 node) {
  auto* const record = reinterpret_cast<Record*>(thread->next);
  thread->next += raw::kRecordWords;
  record->place = place;
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the operation is written last: it makes the record complete
  record->rest = raw::pack_rest(op, step, node);
  return record;
}

bool Recorder::append(ThreadState* thread, RawOp op, u64 place, u32 node) {
  // room for two records
  if (OMEN_UNLIKELY(thread->end - thread->next < 2 * kRecordWords) && !next_chunk(thread)) return false;
  u64 step = thread->number - thread->logged_number;
  if (OMEN_UNLIKELY(step > raw::kMaxNumberStep)) {
    put(thread, RawOp::Number, 0, thread->number, 0);
    step = 0;
  }
  put(thread, op, step, place, node);
  thread->logged_number = thread->number;
  return true;
}

/// False if there is no room, or the accesses of this chunk have too many different places in the program.
OMEN_NOINLINE bool Recorder::define_for_short(ThreadState* thread, uptr address, uptr pc) {
  // All definitions must be in one chunk, which must have more room than `append` requires.
  if (thread->end - thread->next < 6 * kRecordWords && !next_chunk(thread)) return false;
  ShortContext& shorts = thread->shorts;
  if (shorts.window_of(pc) == ShortContext::kNone) {
    if (!shorts.has_free_window()) return false;
    append(thread, RawOp::Window, ShortContext::upper_pc(pc), shorts.define_window(pc));
  }
  if (shorts.base_of(address) == ShortContext::kNone) {
    append(thread, RawOp::Base, ShortContext::upper_address(address), shorts.define_base(address));
  }
  return true;
}

OMEN_INLINE bool Recorder::append_short(ThreadState* thread, uptr address, u64 bytes, RawOp op, u32 frame, uptr pc) {
  if (OMEN_UNLIKELY(pc == 0 || thread->number != thread->logged_number || (bytes & (bytes - 1)) != 0 ||
                    bytes > raw::ShortAccess::kLongest || op > RawOp::Write || thread->end - thread->next < 2)) {
    return false;
  }
  ShortContext& shorts = thread->shorts;
  u32 base = shorts.base_of(address);
  u32 window = shorts.window_of(pc);
  if (OMEN_UNLIKELY(base == ShortContext::kNone || window == ShortContext::kNone)) {
    if (!define_for_short(thread, address, pc)) return false;
    base = shorts.base_of(address);
    window = shorts.window_of(pc);
  }
  // Without a branch, because it would be unpredictable: an unnecessary word is overwritten.
  u64* next = thread->next;
  *next = raw::frame_word(frame);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  next += shorts.frame != frame ? 1 : 0;
  shorts.frame = frame;
  const u32 log2 = static_cast<u32>(__builtin_ctzll(bytes));
  *next = raw::ShortAccess(address, log2, op == RawOp::Write, base, pc, window).word();
  thread->next = next + 1;
  return true;
}

u32 Recorder::intern(ThreadState* thread, u32 parent, uptr pc) {
  if (const u32* const known = thread->nodes.find(parent, pc)) return *known;
  const u32 node = stacks_.intern(parent, pc, [&](u32 fresh, u32 of, uptr place) {
    if (!recording()) return;
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
    Frame::Earlier& earlier = frame->earlier_of(node);
    if (earlier.node == 0 || earlier.pc != frame->pc || earlier.parent != node) {
      earlier = {frame->pc, node, intern(thread, node, frame->pc)};
    }
    node = earlier.node;
    frame->node = node;
  }
  return node;
}

OMEN_NOINLINE u32 Recorder::find_node(ThreadState* thread, uptr pc) {
  if (pc == 0) return 0;  // an event without a place in the program
  return intern(thread, frame_node(thread), pc);
}

/// Extends the run's record by the access, if the record can grow.
OMEN_INLINE bool Recorder::extend(ThreadState::Run& run, uptr address, u64 bytes) {
  if (run.record == nullptr || run.end - run.begin + bytes >= raw::kLongLength) return false;
  (run.end == address ? run.end : run.begin) = run.end == address ? address + bytes : address;
  run.record->place = raw::pack_place(run.begin, run.end - run.begin);
  return true;
}

OMEN_INLINE void Recorder::record(ThreadState* thread, uptr address, u64 bytes, RawOp op, uptr pc) {
  const u32 frame = frame_of(thread);
  if (OMEN_UNLIKELY(everything_)) {
    if (!append_short(thread, address, bytes, op, frame, pc)) append_long(thread, address, bytes, op, pc);
    return thread->rounds.sees_other();
  }
  ThreadState::Run& run = thread->run_of(pc, frame);
  bool continues = false;
  if (run.number == thread->number) {
    const u64 differs = (run.pc ^ pc) | (run.frame ^ frame) | (run.op ^ static_cast<u32>(op));
    continues = (differs == 0) & ((run.end == address) | (address + bytes == run.begin));
  }
  // Extending a record moves the access before the records that follow it. An access of a write's record must not move
  // before a read, which could be of the same memory and would seem to precede the write. One of a read's record must
  // not move before a read of other memory, from which its address may come; reads that repeat with it in a loop do not
  // count.
  u64 reads = thread->reads_since(op != RawOp::Read);
  if (continues && run.reads == reads && extend(run, address, bytes)) return;
  Record* open = nullptr;
  // An access that continues a short one begins a long record, which later accesses can extend.
  if (continues || OMEN_UNLIKELY(!append_short(thread, address, bytes, op, frame, pc))) {
    open = append_long(thread, address, bytes, op, pc);
  }
  if (op == RawOp::Read) {
    ++thread->read_records;
    reads += continues ? 0 : 1;
    thread->fresh_read_records = reads;
  } else {
    thread->rounds.sees_other();
  }
  run = {pc, frame, static_cast<u32>(op), thread->number, address, address + bytes, open, reads};
}

OMEN_NOINLINE Record* Recorder::append_long(ThreadState* thread, uptr address, u64 bytes, RawOp op, uptr pc) {
  const u32 node = node_at(thread, pc);
  if (bytes >= raw::kLongLength) {
    append(thread, op, raw::pack_place(address, raw::kLongLength), node);
    append(thread, RawOp::More, bytes, 0);
    return nullptr;
  }
  if (!append(thread, op, raw::pack_place(address, bytes), node)) return nullptr;
  return reinterpret_cast<Record*>(thread->next - raw::kRecordWords);
}

/// Notes what the line's state implies for a round that may repeat the previous one.
OMEN_INLINE void Recorder::look_at_round(ThreadState* thread, uptr line, const LineTable::Entry& entry, bool own) {
  if (!own) thread->rounds.sees_shared_line(LineTable::shared_since(entry));
  if (OMEN_UNLIKELY(atomic_lines_.may_have(line))) thread->rounds.sees_other();
}

template <RawOp op>
OMEN_NOINLINE void Recorder::access_in_line(ThreadState* thread, uptr line, u64 bytes, uptr pc) {
  if (OMEN_UNLIKELY((thread->busy | thread->ignore_access) != 0)) return;
  const Busy busy(thread);
  const bool write = op != RawOp::Read;
  LineTable::Entry& entry = lines_.at(line);
  const bool own = LineTable::touch(entry, write, thread->owner, thread->number, counter_);
  if (thread->rounds.may_repeat()) look_at_round(thread, line, entry, own);
  LineBytes& known = own ? entry.bytes : thread->shared_lines.at(line);
  const u64 key = own ? LineTable::key(line, thread->epoch) : SharedLines::key(line, thread->epoch);
  const u64 unknown = known.key == key ? known.unknown(bytes, write) : bytes;
  if (unknown == 0) return;
  if (!everything_) known.add(key, bytes, write);
  const u32 first = static_cast<u32>(__builtin_ctzll(unknown));
  const u32 last = 63 - static_cast<u32>(__builtin_clzll(unknown));
  record(thread, line * kLineBytes + first, last - first + 1, op, pc);
}

/// Rewriting bytes that were written in this epoch needs no record: the earlier write stands for it. If this is true of
/// only some of the bytes, the update is recorded as a read and a write.
OMEN_NOINLINE void Recorder::update_in_line(ThreadState* thread, uptr line, u64 bytes, uptr pc) {
  if (OMEN_UNLIKELY((thread->busy | thread->ignore_access) != 0)) return;
  {
    const Busy busy(thread);
    LineTable::Entry& entry = lines_.at(line);
    const bool own = LineTable::touch(entry, /*write=*/true, thread->owner, thread->number, counter_);
    LineBytes& known = own ? entry.bytes : thread->shared_lines.at(line);
    const u64 key = own ? LineTable::key(line, thread->epoch) : SharedLines::key(line, thread->epoch);
    const u64 unknown = known.key == key ? known.unknown(bytes, true) : bytes;
    if (unknown == 0) return;
    if (unknown == bytes) {
      known.add_update(key, bytes);
      thread->rounds.sees_other();
      // Counts as a read, so that no later access moves before it.
      ++thread->read_records;
      ++thread->fresh_read_records;
      const uptr address = line * kLineBytes + static_cast<u32>(__builtin_ctzll(bytes));
      const u64 length = static_cast<u64>(__builtin_popcountll(bytes));
      append(thread, RawOp::Update, raw::pack_place(address, length), node_at(thread, pc));
      return;
    }
  }
  access_in_line<RawOp::Read>(thread, line, bytes, pc);
  access_in_line<RawOp::Write>(thread, line, bytes, pc);
}

template void Recorder::access_in_line<RawOp::Read>(ThreadState*, uptr, u64, uptr);
template void Recorder::access_in_line<RawOp::Write>(ThreadState*, uptr, u64, uptr);
template void Recorder::access_in_line<RawOp::VptrWrite>(ThreadState*, uptr, u64, uptr);

void Recorder::record_in_order(ThreadState* thread, uptr base, u64 bytes, detect::LogKind what, uptr pc) {
  const u32 first = static_cast<u32>(__builtin_ctzll(bytes));
  const u32 last = 63 - static_cast<u32>(__builtin_clzll(bytes));
  const bool reads = what == detect::LogKind::Read;
  // `memory` records frees.
  if (what == detect::LogKind::Free || what == detect::LogKind::AtomicRead || what == detect::LogKind::LockRead ||
      what == detect::LogKind::AtomicWrite)
    return;
  thread->number = counter_.fetch_add(1, std::memory_order_seq_cst) + 1;
  append(thread,
         reads                                ? RawOp::Read
         : what == detect::LogKind::VptrWrite ? RawOp::VptrWrite
                                              : RawOp::Write,
         raw::pack_place(base + first, last - first + 1), node_at(thread, pc));
}

namespace {

/// The slow path of a short range under the detector: it is not a repetition.
template <bool write>
OMEN_NOINLINE void access_short_range_anew(ThreadState* thread, uptr address, u64 bytes, uptr pc) {
  detect::access_masked<write>(thread, address, ~u64{0} >> (detect::kLineSize - bytes), pc);
}

/// A short range under the detector.
template <bool write>
OMEN_INLINE void access_short_range(ThreadState* thread, uptr address, u64 bytes, uptr pc) {
  const u64 mask = ~u64{0} >> (detect::kLineSize - bytes);
  if (detect::is_in_one_region(address) && detect::is_mask_repeated<write>(address, mask, pc)) return;
  access_short_range_anew<write>(thread, address, bytes, pc);
}

}  // namespace

void Recorder::range(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (detect::detector.on() && bytes - 1 < detect::kLineSize && pc != 0) {
    return write ? access_short_range<true>(thread, address, bytes, pc)
                 : access_short_range<false>(thread, address, bytes, pc);
  }
  any_range(thread, address, bytes, write, pc);
}

void Recorder::any_range(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (detect::detector.on()) {
    detect::detector.access(thread, address, bytes, write ? detect::LogKind::Write : detect::LogKind::Read, pc);
    return;
  }
  if (schedule::leads()) return schedule::access(thread, address, bytes, write, pc);
  if (bytes == 0 || address + bytes < address || thread->busy != 0 || thread->ignore_access != 0) return;
  const RawOp op = write ? RawOp::Write : RawOp::Read;
  const uptr first = line_of(address);
  const uptr last = line_of(address + bytes - 1);
  if (bytes <= kFilteredRange) {
    for (uptr line = first; line <= last; ++line) {
      const u64 mask = bytes_in(line, address, bytes);
      if (write) {
        access_in_line<RawOp::Write>(thread, line, mask, pc);
      } else {
        access_in_line<RawOp::Read>(thread, line, mask, pc);
      }
    }
    return;
  }
  const Busy busy(thread);
  thread->rounds.sees_other();
  for (uptr line = first; line <= last; ++line) {
    LineTable::Entry& entry = lines_.at(line);
    if (LineTable::touch(entry, write, thread->owner, thread->number, counter_)) {
      if (!everything_) entry.bytes.add(LineTable::key(line, thread->epoch), bytes_in(line, address, bytes), write);
    }
  }
  record(thread, address, bytes, op, pc);
}

void Recorder::synchronise(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (schedule::on()) return synchronise_under_control(thread, op, object, detail, pc);
  if (thread->ignore_sync == 0) synchronise_freely(thread, op, object, detail, pc);
}

OMEN_NOINLINE void Recorder::synchronise_under_control(ThreadState* thread, RawOp op, uptr object, u32 detail,
                                                       uptr pc) {
  if (thread->ignore_sync != 0) return;
  if (schedule::leads()) {
    ++thread->syncs;
    return schedule::pass(thread, op, object, detail, pc);
  }
  explore::note(thread, op, object, detail, pc);
  synchronise_freely(thread, op, object, detail, pc);
}

OMEN_INLINE void Recorder::synchronise_freely(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (!is_relaxed(op, detail) && thread->in_handler == 0) ++thread->barriers;
  const Busy busy(thread);
  bool records = true;
  if (detect::detector.on()) {
    detect::detector.synchronise(thread, op, object, detail, pc);
    records = recording();
  }
  ++thread->syncs;
  if (records) record_synchronisation(thread, op, object, detail, pc);
  if (watching_hidden_state && is_section_step(op)) note_section_step(thread, op, object, pc);
}

OMEN_INLINE void Recorder::record_synchronisation(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  const u32 node = node_at(thread, pc);
  thread->number = counter_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (!is_relaxed(op, detail)) ++thread->epoch;
  if (uses_lock(op)) {
    thread->rounds.uses_lock(lock_users_.used(object, thread->id));
  } else if (op == RawOp::AtomicStore || op == RawOp::AtomicRmw) {
    atomic_lines_.add(line_of(object));
    atomic_lines_.add(line_of(object + raw::bytes_of_atomic(detail) - 1));
  }
  append(thread, op, raw::pack_place(object, detail), node);
  if (op == RawOp::Release || op == RawOp::ReleaseShared) end_round(thread);
}

/// Ends a round of repeated_rounds.hpp.
OMEN_INLINE void Recorder::end_round(ThreadState* thread) {
  const bool repeats = thread->rounds.ends(thread->next);
  if (OMEN_UNLIKELY(repeats)) take_back_round(thread);
  thread->rounds.begin_next(thread->next, thread->number, repeats);
}

OMEN_NOINLINE void Recorder::take_back_round(ThreadState* thread) {
  u64* const begin = thread->rounds.begin();
  // Clears from the front, so that a concurrent reader, or one after a kill, finds the chunk's end here.
  clear_bytes(begin, static_cast<std::size_t>(thread->next - begin) * sizeof(u64));
  thread->next = begin;
  thread->number = thread->logged_number = thread->rounds.number();
  for (auto& run : thread->runs) run = {};  // some of them may refer to the removed records
}

void Recorder::refused(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (is_refused_again(thread, object) && !schedule::on()) return;
  synchronise(thread, op, object, detail, pc);
  note_refusal(thread, object);
}

void Recorder::memory(ThreadState* thread, RawOp op, uptr address, u64 bytes, uptr pc) {
  if (bytes == 0) return;
  if (thread->in_handler == 0) ++thread->barriers;
  if (schedule::leads()) return schedule::memory(thread, op, address, bytes, pc);
  if (recording()) record_memory(thread, op, address, bytes, pc);
  // after the record, because the detector's accesses belong to the new life
  if (detect::detector.on()) detect::detector.memory(thread, op, address, bytes, pc);
}

void Recorder::record_memory(ThreadState* thread, RawOp op, uptr address, u64 bytes, uptr pc) {
  // The program asked to ignore its accesses, so the new life begins without a write.
  if (thread->ignore_access != 0) op = RawOp::Renew;
  const Busy busy(thread);
  const u32 node = node_at(thread, pc);
  thread->number = counter_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (bytes <= kForgottenRange) {
    for (uptr line = line_of(address); line <= line_of(address + bytes - 1); ++line) {
      const u64 gone = bytes_in(line, address, bytes);
      LineTable::Entry& entry = lines_.at(line);
      // The next thread that uses this memory takes a fresh number, so its records follow this one although nothing
      // orders the two.
      LineTable::touch(entry, true, thread->owner, thread->number, counter_);
      entry.bytes.forget(gone);
      thread->shared_lines.at(line).forget(gone);
    }
  } else {
    ++thread->epoch;
  }
  if (bytes < raw::kLongLength) {
    append(thread, op, raw::pack_place(address, bytes), node);
  } else {
    append(thread, op, raw::pack_place(address, raw::kLongLength), node);
    append(thread, RawOp::More, bytes, 0);
  }
}

void Recorder::note(ThreadState* thread, RawOp op, uptr place, u64 length, uptr pc) {
  if (!recording()) return;
  const Busy busy(thread);
  const u32 node = node_at(thread, pc);
  if (length < raw::kLongLength) {
    append(thread, op, raw::pack_place(place, length), node);
  } else {
    append(thread, op, raw::pack_place(place, raw::kLongLength), node);
    append(thread, RawOp::More, length, 0);
  }
}

void Recorder::value(ThreadState* thread, u32 kind, u64 value) {
  if (!recording()) return;
  const Busy busy(thread);
  // A load with a recorded value must not be omitted as a repetition.
  thread->spin_address = 0;
  thread->rounds.sees_other();
  append(thread, RawOp::Value, value, kind);
}

void Recorder::more(ThreadState* thread, u64 value) {
  if (!recording()) return;
  const Busy busy(thread);
  append(thread, RawOp::More, value, 0);
}

void Recorder::text(ThreadState* thread, const char* text) {
  if (!recording()) return;
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
  if (detect::detector.on() && op == RawOp::ThreadName) {
    detect::detector.log().begin();
    detect::detector.log() << online_log::word::kName << " " << place << " ";
    detect::detector.log().escaped(name) << "\n";
    detect::detector.log().end();
  }
  if (detect::detector.on() && op == RawOp::Note) detect::detector.log().say(online_log::word::kMessage, name);
  if (!recording()) return;
  const Busy busy(thread);
  append(thread, op, raw::pack_place(place, 0), 0);
  text(thread, name);
}

}  // namespace omen::rt
