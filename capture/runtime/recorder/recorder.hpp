/// \file
/// Converts the program's actions to records. Every function is called by the thread that acts.
#pragma once

#include "capture/runtime/detector/access_log.hpp"
#include "capture/runtime/records/line_table.hpp"
#include "capture/runtime/records/recording_file.hpp"
#include "capture/runtime/records/repeated_rounds.hpp"
#include "capture/runtime/stacks/stack_table.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt {

class Recorder {
 public:
  /// Allocates what recording and detection share. False: out of memory.
  bool prepare();
  /// False: nothing will be recorded.
  bool start(const char* folder, u64 limit_bytes);
  bool recording() const { return !file_.stopped(); }
  const char* path() const { return file_.path(); }

  /// In a forked child, which continues in its own file; `thread` is its only thread.
  void start_again_in_child(ThreadState* thread);
  void note_exit() { file_.note_exit(); }

  ThreadState* create_thread();
  void destroy_thread(ThreadState* thread);

  // Accesses.
  /// Records of this epoch stand for the access to `bytes` of a line, which the thread owns.
  OMEN_INLINE bool has(const ThreadState* thread, uptr line, u64 bytes, bool write) {
    const LineBytes& known = lines_.at(line).bytes;
    return known.key == LineTable::key(line, thread->epoch) && known.unknown(bytes, write) == 0;
  }
  OMEN_INLINE void access(ThreadState* thread, uptr address, u32 bytes, bool write, uptr pc) {
    const u32 offset = address % kLineBytes;
    if (OMEN_LIKELY(offset + bytes <= kLineBytes)) {
      const uptr line = line_of(address);
      const u64 mask = ((u64{1} << bytes) - 1) << offset;
      if (OMEN_LIKELY(has(thread, line, mask, write))) return;
      if (write) {
        access_in_line<raw::RawOp::Write>(thread, line, mask, pc);
      } else {
        access_in_line<raw::RawOp::Read>(thread, line, mask, pc);
      }
      return;
    }
    range(thread, address, bytes, write, pc);
  }
  /// A read, and a write of a value computed from it; the value read is used nowhere else.
  OMEN_INLINE void update(ThreadState* thread, uptr address, u32 bytes, uptr pc) {
    const u32 offset = address % kLineBytes;
    if (OMEN_UNLIKELY(offset + bytes > kLineBytes)) {
      range(thread, address, bytes, false, pc);
      range(thread, address, bytes, true, pc);
      return;
    }
    const uptr line = line_of(address);
    const u64 mask = ((u64{1} << bytes) - 1) << offset;
    if (OMEN_LIKELY(has(thread, line, mask, /*write=*/true))) return;
    update_in_line(thread, line, mask, pc);
  }
  void range(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
  /// A range that is long, or that the fast paths do not decide.
  void any_range(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
  /// An access to `bytes` of one line. Redundant bytes are not recorded.
  template <raw::RawOp op>
  void access_in_line(ThreadState* thread, uptr line, u64 bytes, uptr pc);

  void update_in_line(ThreadState* thread, uptr line, u64 bytes, uptr pc);

  /// A synchronisation, which takes a fresh number. Called after an acquire, and before a release.
  void synchronise(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);

  /// An attempt that found its object taken: Refused or SyncRefused. Recorded once until the thread does something
  /// else.
  void refused(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  /// For an attempt at several objects, which the caller records one by one: true if it repeats the latest one.
  /// `objects` identifies them.
  static bool is_refused_again(const ThreadState* thread, uptr objects) {
    const ThreadState::Refusal& latest = thread->refusal;
    return latest.object == objects && latest.syncs == thread->syncs && latest.next == thread->next;
  }
  static void note_refusal(ThreadState* thread, uptr objects) {
    thread->refusal = {objects, thread->syncs, thread->next};
  }

  /// Memory begins a new life, or ends it.
  void memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);

  /// A record that implies no order.
  void note(ThreadState* thread, raw::RawOp op, uptr place, u64 length, uptr pc);
  void note_text(ThreadState* thread, raw::RawOp op, uptr place, const char* name);
  void text(ThreadState* thread, const char* text);
  void more(ThreadState* thread, u64 value);

  /// A value of the program, after the records of its instruction (abi_values.cpp).
  void value(ThreadState* thread, u32 kind, u64 value);
  /// Records redundant accesses too from now on, each in its own record.
  void record_everything() { everything_ = true; }

  /// Atomic accesses execute under the lock of their address, so that their records are in the object's modification
  /// order.
  struct Stripe {
    SpinLock lock;
    u32 unused = 0;
    u64 version = 0;  ///< number of stores so far; guarded by `lock`
  };
  Stripe& stripe(uptr address) { return stripes_[(address >> 3) & (kStripes - 1)]; }

  /// The node of a place in the thread's current function.
  OMEN_INLINE u32 node_at(ThreadState* thread, uptr pc) {
    const u64 frame = thread->stack.top()->node;
    if (OMEN_LIKELY(frame != 0)) {
      if (const u32* const known = thread->nodes.find(static_cast<u32>(frame), pc); OMEN_LIKELY(known != nullptr)) {
        return *known;
      }
    }
    return find_node(thread, pc);
  }
  OMEN_INLINE Place place_at(ThreadState* thread, uptr pc) {
    if (OMEN_UNLIKELY(pc == 0)) return {};
    return {pc, frame_of(thread)};
  }
  /// The node of the thread's current function.
  OMEN_INLINE u32 frame_of(ThreadState* thread) {
    const u64 frame = thread->stack.top()->node;
    return OMEN_LIKELY(frame != 0) ? static_cast<u32>(frame) : frame_node(thread);
  }
  /// Interns the thread's top frame. False: there is none.
  bool give_node_to_frame(ThreadState* thread) { return frame_node(thread) != 0; }
  /// Stores the places of a node's stack, innermost first; returns how many fitted.
  std::size_t unwind(u32 node, uptr* places, std::size_t room) const { return stacks_.unwind(node, places, room); }

  /// Under the detector, which decides what is recorded and in which order: records an access to bytes of one cell with
  /// a number of its own. The caller holds the cell's lock.
  void record_in_order(ThreadState* thread, uptr base, u64 bytes, detect::LogKind what, uptr pc);

 private:
  static constexpr std::size_t kStripes = 4096;

  /// Records an access; the line table already contains it.
  void record(ThreadState* thread, uptr address, u64 bytes, raw::RawOp op, uptr pc);
  static bool extend(ThreadState::Run& run, uptr address, u64 bytes);
  bool append(ThreadState* thread, raw::RawOp op, u64 place, u32 node);
  /// False: the access has no short form, or there is no room.
  bool append_short(ThreadState* thread, uptr address, u64 bytes, raw::RawOp op, u32 frame, uptr pc);
  /// Returns the record if it can be extended; otherwise null.
  raw::Record* append_long(ThreadState* thread, uptr address, u64 bytes, raw::RawOp op, uptr pc);
  bool define_for_short(ThreadState* thread, uptr address, uptr pc);
  bool next_chunk(ThreadState* thread);
  void look_at_round(ThreadState* thread, uptr line, const LineTable::Entry& entry, bool own);
  static void end_round(ThreadState* thread);
  static void take_back_round(ThreadState* thread);
  u32 intern(ThreadState* thread, u32 parent, uptr pc);
  void synchronise_under_control(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  void synchronise_freely(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  void record_synchronisation(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  void record_memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);
  u32 find_node(ThreadState* thread, uptr pc);
  u32 frame_node(ThreadState* thread);

  std::atomic<u64> counter_{0};
  std::atomic<u32> threads_{0};
  RecordingFile file_;
  StackTable stacks_;
  LineTable lines_;
  LockUsers lock_users_;
  AtomicLines atomic_lines_;
  Stripe stripes_[kStripes];
  const char* folder_ = nullptr;
  u64 limit_ = 0;
  bool everything_ = false;  ///< set while a module is loaded
};

extern Recorder recorder;

}  // namespace omen::rt
