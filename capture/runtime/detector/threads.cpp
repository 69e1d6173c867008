/// \file
/// Threads begin and end: who has which slot.
#include <new>

#include "capture/runtime/detector/detector.hpp"

namespace omen::rt::detect {

namespace {
/// Threads that ended and are joined by nobody keep their slots so far; then the oldest is given away.
constexpr u32 kMostEnded = 256;
}  // namespace

Slot Detector::take_slot(const DetectorThread* parent) {
  Slot unknown = kNoSlot;
  const Slot count = slot_count_;
  for (Slot i = 0; i < count; ++i) {
    const ThreadSlot& slot = slots_[i];
    if (slot.used) continue;
    // Its last thread has been joined by somebody, and the new thread's creator knows of it.
    if (parent == nullptr || order_->knows(parent->slot, {slot.last_time, ThreadId{i}})) return i;
    if (unknown == kNoSlot) unknown = i;
  }
  if (count < most_threads_ && ended_ < kMostEnded) {
    slot_count_ = count + 1;
    return count;
  }
  if (unknown != kNoSlot) return unknown;
  // In the order in which they were created.
  for (auto known = known_threads_->begin(); known != known_threads_->end(); ++known) {
    ThreadSlot& slot = slots_[known->slot];
    if (!slot.ended) continue;
    const Slot given = known->slot;
    known_threads_->erase(known);
    slot.ended = false;
    --ended_;
    return given;
  }
  return kNoSlot;
}

/// What a thread without a slot does orders others, which nobody would know of.
void Detector::stop_at_most_threads() {
  stop_watching([&] { log_ << "more than " << u64{most_threads_} << " threads run at once"; });
}

void Detector::fork(DetectorThread& t, u32 child) {
  const SpinGuard guard(threads_lock_);
  const Slot slot = take_slot(&t);
  if (slot == kNoSlot) return stop_at_most_threads();
  slots_[slot].used = true;
  slots_[slot].ended = false;
  const Time from = order_->begin(slot);
  order_->fork(t.slot, slot);
  slots_[slot].add_user(child, from);
  known_threads_->push_back({child, slot});
  ++running_;
  ++threads_seen_;
}

void Detector::join(DetectorThread& t, u32 child) {
  const SpinGuard guard(threads_lock_);
  for (auto known = known_threads_->begin(); known != known_threads_->end(); ++known) {
    if (known->id != child) continue;
    ThreadSlot& slot = slots_[known->slot];
    if (!slot.ended) epochs_tell_all_ = false;  // see learn_unpublished
    order_->join(t.slot, known->slot);
    if (slot.ended) {
      slot.ended = false;
      slot.used = false;
      --ended_;
      known_threads_->erase(known);
    }
    return;
  }
  // Its place was given away, and nobody can tell what it knew: less than all have known. That is more order than there
  // is, which can hide a race, and makes none.
  for (Slot slot = 0; slot < slot_count_; ++slot) {
    if (slot != t.slot) learn_unpublished(t, slot);
  }
}

/// The thread's first synchronisation: it gets its slot, which its creator took for it.
void Detector::attach(ThreadState* thread) {
  const SpinGuard guard(threads_lock_);
  Slot slot = kNoSlot;
  for (const KnownThread& known : *known_threads_) {
    if (known.id == thread->id) slot = known.slot;
  }
  if (slot == kNoSlot) {
    // Nobody created it: the program's first thread, or one that was there before.
    slot = take_slot(nullptr);
    if (slot == kNoSlot) return stop_at_most_threads();
    slots_[slot].used = true;
    slots_[slot].add_user(thread->id, order_->begin(slot));
    known_threads_->push_back({thread->id, slot});
    ++running_;
    ++threads_seen_;
    if (thread->id == 0) {
      log_.begin();
      log_ << online_log::word::kThread << " 0 0 " << u64{system_thread_id()} << " " << online_log::kStack << "\n";
      log_.end();
    }
  }
  if (!slots_[slot].log.exists() && !slots_[slot].log.create(log_entries_)) {
    return stop_watching([&] { log_ << "there is no memory for the accesses of another thread"; });
  }
  void* const memory = arena_allocate(sizeof(DetectorThread));
  auto* const t = new (memory) DetectorThread;
  t->slot = slot;
  t->id = thread->id;
  t->log = &slots_[slot].log;
  t->accesses_before = t->log->accesses();
  order_->describe(*t);
  thread->detector = t;
  slots_[slot].running.store(t, std::memory_order_release);
  refresh(thread);
}

void Detector::end(ThreadState* thread) {
  const SpinGuard guard(threads_lock_);
  DetectorThread* const t = thread->detector;
  thread->detector = nullptr;
  thread->look_closer = 1;
  set_cell_now(thread, ThreadState::kNever);
  set_thread_reads(thread, nullptr);
  ThreadSlot& slot = slots_[t->slot];
  slot.running.store(nullptr, std::memory_order_relaxed);
  slot.last_time = order_->end(t->slot);
  slot.ended = true;
  --running_;
  ++ended_;
  t->add_to(ended_counts_);
  t->~DetectorThread();
  arena_free(t, sizeof(DetectorThread));
}

}  // namespace omen::rt::detect
