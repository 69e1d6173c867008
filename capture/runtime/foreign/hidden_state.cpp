/// \file
/// Which sections are opaque, and the events of hidden state.
#include "capture/runtime/foreign/hidden_state.hpp"

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/message_log.hpp"
#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/foreign/stubs.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt {

using raw::RawOp;

constinit HiddenStateCounters hidden_state_counters;
constinit HiddenLocks hidden_locks;

namespace {

void count(std::atomic<u64>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

void touch(ThreadState* thread, uptr lock, uptr pc) {
  hidden_locks.add(lock);
  recorder.synchronise(thread, RawOp::Opaque, lock, 0, pc);
}

void touch(ThreadState* thread, HeldSections::Section& section, uptr pc) {
  if (section.opaque || section.waits) return;
  thread->sections.mark(section);
  touch(thread, section.lock, pc);
}

/// The section is opaque from its start: it begins in uninstrumented code, or in a module whose departures are not
/// seen; or the table of held sections is full.
OMEN_NOINLINE void begin_opaque(ThreadState* thread, HeldSections::Section* section, Origin origin, uptr lock,
                                uptr pc) {
  if (section == nullptr) {
    count(hidden_state_counters.overflows);
    return touch(thread, lock, pc);
  }
  count(origin == Origin::Unknown ? hidden_state_counters.unknown_begins : hidden_state_counters.foreign_begins);
  touch(thread, *section, pc);
}

OMEN_INLINE void begin(ThreadState* thread, RawOp op, uptr lock, uptr pc) {
  // A condition wait of the C++ library belongs to the program: its mutex returns to the section that released it.
  Origin origin = origin_of(pc);
  if (op == RawOp::Wake && origin == Origin::Library) origin = Origin::Instrumented;
  const bool foreign = origin == Origin::Library || origin == Origin::Foreign;
  HeldSections& held = thread->sections;
  HeldSections::Section* const section = op == RawOp::Wake ? held.wake(lock, foreign) : held.begin(lock, foreign);
  if (OMEN_UNLIKELY(section == nullptr)) return begin_opaque(thread, section, origin, lock, pc);
  if (section->opaque) return;
  if (OMEN_UNLIKELY(section->foreign || origin == Origin::Unknown)) {
    return begin_opaque(thread, section, origin, lock, pc);
  }
  // A transparent section may read, in inlined library code, what opaque sections have changed. The conversion of a
  // recording adds the same load to all sections of such a lock.
  if (detect::detector.predicts() && section->depth == 1 && hidden_locks.may_have(lock)) {
    detect::detector.read_hidden_state(thread, lock);
  }
}

}  // namespace

void HiddenStateCounters::write(detect::MessageLog& log) const {
  const auto line = [&](const char* name, const std::atomic<u64>& value) {
    log.counter(name, value.load(std::memory_order_relaxed));
  };
  line("hidden.departures", departures);
  line("hidden.foreign-begins", foreign_begins);
  line("hidden.unknown-begins", unknown_begins);
  line("hidden.overflows", overflows);
  line("hidden.modules", modules);
  line("hidden.modules.unknown", unknown_modules);
  line("hidden.stubs", stubs);
  line("hidden.slots", slots);
  line("hidden.slots.escaping", escaping);
}

void note_any_section_step(ThreadState* thread, RawOp op, uptr lock, uptr pc) {
  if (lock >= kNoMemory) return;
  HeldSections& held = thread->sections;
  if (op == RawOp::Release || op == RawOp::ReleaseShared) {
    held.end(lock);
  } else if (op == RawOp::Wait) {
    held.wait(lock);
  } else if (op == RawOp::LockForget) {
    held.forget(lock);
  } else {
    begin(thread, op, lock, pc);
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
