/// \file
/// Which sections are opaque, and the events that say so.
#include "capture/runtime/foreign/hidden_state.hpp"

#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/foreign/stubs.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/online/online_log.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt {

using raw::RawOp;

__thread u32 current_transparent __attribute__((tls_model("initial-exec"))) = 0;
constinit HiddenStateCounters hidden_state_counters;

namespace {

/// Addresses from here on are no memory of the program: what stands there for locks is modelled (abi_java.cpp).
constexpr uptr kNoMemory = uptr{1} << 47;

void count(std::atomic<u64>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

/// A filter by address of the locks that had an opaque section. A false positive only adds order.
class HiddenLocks {
 public:
  void add(uptr lock) { word(lock).fetch_or(bit(lock), std::memory_order_relaxed); }
  bool may_have(uptr lock) { return (word(lock).load(std::memory_order_relaxed) & bit(lock)) != 0; }

 private:
  static constexpr uptr kWords = 1024;
  static uptr hash(uptr lock) { return (lock * 0x9E3779B97F4A7C15ULL) >> 48; }
  static u64 bit(uptr lock) { return u64{1} << (hash(lock) % 64); }
  std::atomic<u64>& word(uptr lock) { return words_[hash(lock) / 64]; }

  std::atomic<u64> words_[kWords];
};
constinit HiddenLocks hidden_locks;

void touch(ThreadState* thread, uptr lock, uptr pc) {
  hidden_locks.add(lock);
  recorder.synchronise(thread, RawOp::Opaque, lock, 0, pc);
}

void touch(ThreadState* thread, HeldSections::Section& section, uptr pc) {
  if (section.opaque || section.waits) return;
  thread->sections.mark(section);
  touch(thread, section.lock, pc);
}

/// Control is in foreign code when the section begins, or its departures cannot be seen.
bool is_opaque_from_the_start(const HeldSections::Section& section, Origin origin) {
  return section.foreign || origin == Origin::Unknown;
}

void begin(ThreadState* thread, RawOp op, uptr lock, uptr pc) {
  // A wait that the C++ library makes is one of the program: its mutex comes back to whoever gave it up.
  Origin origin = origin_of(pc);
  if (op == RawOp::Wake && origin == Origin::Library) origin = Origin::Instrumented;
  const bool foreign = origin == Origin::Library || origin == Origin::Foreign;
  HeldSections& held = thread->sections;
  HeldSections::Section* const section = op == RawOp::Wake ? held.wake(lock, foreign) : held.begin(lock, foreign);
  if (section == nullptr) {
    count(hidden_state_counters.overflows);
    return touch(thread, lock, pc);
  }
  if (section->opaque) return;
  if (!is_opaque_from_the_start(*section, origin)) {
    // A transparent section may read, in inlined code of a library, what opaque ones have changed. The recording's
    // converter adds the same for all sections of such a lock.
    if (section->depth == 1 && hidden_locks.may_have(lock) && online::online.predicts()) {
      online::online.read_hidden_state(thread, lock);
    }
    return;
  }
  count(origin == Origin::Unknown ? hidden_state_counters.unknown_begins : hidden_state_counters.foreign_begins);
  touch(thread, *section, pc);
}

}  // namespace

void HiddenStateCounters::write(online::OnlineLog& log) const {
  const auto line = [&](const char* name, const std::atomic<u64>& value) {
    log << "counter hidden." << name << " " << value.load(std::memory_order_relaxed) << "\n";
  };
  line("departures", departures);
  line("foreign-begins", foreign_begins);
  line("unknown-begins", unknown_begins);
  line("overflows", overflows);
  line("modules", modules);
  line("modules.unknown", unknown_modules);
  line("stubs", stubs);
  line("slots", slots);
  line("slots.escaping", escaping);
}

void note_section_step(ThreadState* thread, RawOp op, uptr lock, uptr pc) {
  if (lock >= kNoMemory) return;
  HeldSections& held = thread->sections;
  switch (op) {
    case RawOp::Acquire:
    case RawOp::AcquireShared:
    case RawOp::Wake:
      begin(thread, op, lock, pc);
      break;
    case RawOp::Release:
    case RawOp::ReleaseShared:
      held.end(lock);
      break;
    case RawOp::Wait:
      held.wait(lock);
      break;
    case RawOp::LockForget:
      held.forget(lock);
      break;
    default:
      return;
  }
  if (thread == current_thread) current_transparent = held.transparent();
}

void reach_hidden_state(uptr pc) {
  if (OMEN_LIKELY(current_transparent == 0)) return;
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || thread->ignore_sync != 0) return;
  const Busy busy(thread);
  HeldSections& held = thread->sections;
  for (HeldSections::Section* section = held.first(); section < held.last(); ++section) {
    if (!section->opaque && !section->waits) count(hidden_state_counters.departures);
    touch(thread, *section, pc);
  }
  current_transparent = held.transparent();
}

}  // namespace omen::rt
