/// \file
/// Turns what the program does into records. Every function here is called by the thread that does it.
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
  /// What recording and watching both need. False: there is no memory for it.
  bool prepare();
  /// False: nothing is recorded.
  bool start(const char* folder, u64 limit_bytes);
  bool recording() const { return !file_.stopped(); }
  const char* path() const { return file_.path(); }

  /// The forked child goes on with a file of its own; its only thread is `thread`.
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
  /// A read and a write of what was computed from it, and of nothing else; it goes nowhere else either.
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
  /// The same, of a range that is no short one, or not one of those that are decided quickly.
  void any_range(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc);
  /// `bytes` of one line. What is known already is left out.
  template <raw::RawOp op>
  void access_in_line(ThreadState* thread, uptr line, u64 bytes, uptr pc);

  void update_in_line(ThreadState* thread, uptr line, u64 bytes, uptr pc);

  /// A synchronisation: takes a fresh number. After an acquire, before a release.
  void synchronise(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);

  /// An attempt that found its object taken: Refused or SyncRefused. Recorded once until the thread does something
  /// else.
  void refused(ThreadState* thread, raw::RawOp op, uptr object, u32 detail, uptr pc);
  /// The same for an attempt at several objects, which the caller records one by one: is it the latest again? `objects`
  /// stands for them.
  static bool is_refused_again(const ThreadState* thread, uptr objects) {
    const ThreadState::Refusal& latest = thread->refusal;
    return latest.object == objects && latest.syncs == thread->syncs && latest.next == thread->next;
  }
  static void note_refusal(ThreadState* thread, uptr objects) {
    thread->refusal = {objects, thread->syncs, thread->next};
  }

  /// Memory gets a new life, or ends it.
  void memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc);

  /// A record that orders nothing.
  void note(ThreadState* thread, raw::RawOp op, uptr place, u64 length, uptr pc);
  void note_text(ThreadState* thread, raw::RawOp op, uptr place, const char* name);
  void text(ThreadState* thread, const char* text);
  void more(ThreadState* thread, u64 value);

  /// A value of the program, behind the records of the instruction that it belongs to (abi_values.cpp).
  void value(ThreadState* thread, u32 kind, u64 value);
  /// From now on accesses that the recording knows already are recorded too, each by itself.
  void record_everything() { everything_ = true; }

  /// Atomic accesses run under the lock of their address, so that the record has its place in the order of the object.
  struct Stripe {
    SpinLock lock;
    u32 unused = 0;
    u64 version = 0;  ///< how often something was stored; guarded by `lock`
  };
  Stripe& stripe(uptr address) { return stripes_[(address >> 3) & (kStripes - 1)]; }

  /// The node of a place in the function that the thread is in.
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
  /// The node of the function that the thread is in.
  OMEN_INLINE u32 frame_of(ThreadState* thread) {
    const u64 frame = thread->stack.top()->node;
    return OMEN_LIKELY(frame != 0) ? static_cast<u32>(frame) : frame_node(thread);
  }
  /// Of the frame that is on top of the thread's stack. False: there is none.
  bool give_node_to_frame(ThreadState* thread) { return frame_node(thread) != 0; }
  /// The places of a node's stack, innermost first; returns how many fitted.
  std::size_t unwind(u32 node, uptr* places, std::size_t room) const { return stacks_.unwind(node, places, room); }

  /// Where the program is also watched online, which decides what is recorded and in which order: an access to bytes of
  /// one cell, with a number of its own. The caller holds the cell's lock.
  void record_in_order(ThreadState* thread, uptr base, u64 bytes, detect::LogKind what, uptr pc);

 private:
  static constexpr std::size_t kStripes = 4096;

  /// An access that is to be recorded; the line table knows of it already.
  void record(ThreadState* thread, uptr address, u64 bytes, raw::RawOp op, uptr pc);
  static bool extend(ThreadState::Run& run, uptr address, u64 bytes);
  bool append(ThreadState* thread, raw::RawOp op, u64 place, u32 node);
  /// False: it is none, or there is no room.
  bool append_short(ThreadState* thread, uptr address, u64 bytes, raw::RawOp op, u32 frame, uptr pc);
  /// The record if it can be made longer; null if not.
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
  bool everything_ = false;  ///< set when a module is loaded
};

extern Recorder recorder;

}  // namespace omen::rt
