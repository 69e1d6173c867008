/// \file
/// Synchronisation: what the program does with locks, atomics, barriers and threads. The rules by which locks become
/// sections are those of capture/recording, which turns recordings into traces.
///
/// A step finds its object, takes the object's guard, and has the order do what the step means for the thread's clocks
/// and the object's. Steps on different objects do not meet. Locks of this file, in the order in which they are taken:
/// the guard of an object, the lock of the threads, a clock lock (threads.hpp).
#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/recorder/recorder.hpp"

namespace omen::rt::detect {

using raw::RawOp;

namespace {

/// Beside an object from which something is taken stands one to which those release who have taken.
constexpr uptr kTaken = 1;

MemoryOrder order_in(u32 detail) {
  return static_cast<MemoryOrder>(detail % 256);
}

SyncObject::Reader* find_reader(Vector<SyncObject::Reader>& readers, Slot slot) {
  for (auto& reader : readers) {
    if (reader.slot == slot) return &reader;
  }
  return nullptr;
}
void erase_reader(Vector<SyncObject::Reader>& readers, Slot slot) {
  std::erase_if(readers, [&](const SyncObject::Reader& reader) { return reader.slot == slot; });
}

/// Is this something that no critical section describes?
bool becomes_irregular(SyncObject& lock, Slot slot, RawOp op) {
  if (lock.irregular) return false;
  switch (op) {
    case RawOp::Acquire:
    case RawOp::Wake:
      return lock.holder != slot && (lock.holder != kNoSlot || !lock.readers.empty());
    case RawOp::AcquireShared:
      return lock.holder != kNoSlot && find_reader(lock.readers, slot) == nullptr;
    default:
      return lock.holder != slot && find_reader(lock.readers, slot) == nullptr;
  }
}

constexpr auto never = [](const SyncObject&) { return false; };

}  // namespace

/// `what(object, number)` is done under the object's guard; if it has changed a clock of the thread, that is made
/// known. If the object is not known it is made, or else nothing is done. Nothing is done either if `knows(object)`,
/// which is asked without the guard.
template <class What, class Knows>
void Detector::step(ThreadState* thread, uptr address, Makes makes, What what, Knows knows) {
  DetectorThread& t = *thread->detector;
  DetectorThread::KnownObject& known = t.known_object(address);
  for (;;) {
    if (known.address != address) {
      const SyncObjects::Number number =
          makes == Makes::Object ? objects_->find_or_make(address, [&](u32 made) { order_->make_object(made); })
                                 : objects_->find(address);
      if (number == SyncObjects::kNone) return;
      known = {address, number};
    }
    SyncObject& object = (*objects_)[known.number];
    if (object.address.load(std::memory_order_relaxed) == address) {
      if (knows(object)) return;
      const SpinGuard guard(object.guard);
      if (object.address.load(std::memory_order_relaxed) == address) {
        if (what(object, known.number) == Changed::Clock) refresh(thread);
        return;
      }
    }
    known.address = 0;  // it was forgotten
  }
}

/// In a section rule (a) looks at atomics: they are objects even if nobody releases anything to them. As long as nobody
/// has released anything to another one there is nothing to remember of it.
void Detector::load(ThreadState* thread, uptr address, MemoryOrder order) {
  DetectorThread& t = *thread->detector;
  const auto what = [&](SyncObject&, SyncObjects::Number number) {
    order_->load(t.slot, AtomicId{number}, order);
    return Changed::Clock;
  };
  step(thread, address, t.sections.is_empty() ? Makes::Nothing : Makes::Object, what, [&](const SyncObject& atomic) {
    return knows_all_of(t, Word::of_bits(atomic.stored.load(std::memory_order_relaxed)));
  });
}
void Detector::store(ThreadState* thread, uptr address, MemoryOrder order) {
  DetectorThread& t = *thread->detector;
  const bool tells = releases(order) || t.has_fenced;
  const auto what = [&](SyncObject& atomic, SyncObjects::Number number) {
    // A relaxed one releases what a fence before it did.
    atomic.stored.store(releases(order) ? t.now.bits() : 0, std::memory_order_relaxed);
    order_->store(t.slot, AtomicId{number}, order);
    return Changed::Clock;
  };
  step(thread, address, tells || !t.sections.is_empty() ? Makes::Object : Makes::Nothing, what, never);
}
void Detector::rmw(ThreadState* thread, uptr address, MemoryOrder order) {
  DetectorThread& t = *thread->detector;
  const bool tells = releases(order) || t.has_fenced;
  const auto what = [&](SyncObject& atomic, SyncObjects::Number number) {
    // What was released before stays; who acquires it too releases all.
    if (tells) {
      const bool all = releases(order) && acquires(order);
      atomic.stored.store(all ? t.now.bits() : 0, std::memory_order_relaxed);
    }
    order_->rmw(t.slot, AtomicId{number}, order);
    return Changed::Clock;
  };
  step(thread, address, tells || !t.sections.is_empty() ? Makes::Object : Makes::Nothing, what,
       [&](const SyncObject& atomic) {
         return !tells && knows_all_of(t, Word::of_bits(atomic.stored.load(std::memory_order_relaxed)));
       });
}

void Detector::after_relaxed(ThreadState* thread, uptr address) {
  ++thread->detector->counts.synchronisations;
  if (objects_->may_have(address, address + 1)) rmw(thread, address, MemoryOrder::Relaxed);
}

/// It orders nothing by itself; that two sections do it makes them conflict.
void Detector::reach_hidden_state(ThreadState* thread, uptr address) {
  const auto what = [&](SyncObject&, SyncObjects::Number number) {
    order_->rmw(thread->detector->slot, AtomicId{number}, MemoryOrder::Relaxed);
    return Changed::Clock;
  };
  step(thread, address, Makes::Object, what, never);
}

void Detector::read_hidden_state(ThreadState* thread, uptr lock) {
  if (thread->detector != nullptr) load(thread, SyncObjects::opaque(lock), MemoryOrder::Relaxed);
}

void Detector::synchronise(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (OMEN_UNLIKELY(off_)) {
    if (op == RawOp::EndThread && thread->detector != nullptr) end(thread);
    return;
  }
  if (thread->detector == nullptr) {
    attach(thread);
    if (thread->detector == nullptr) return;
  }
  DetectorThread& t = *thread->detector;
  ++t.counts.synchronisations;
  look_at_memory(t);
  if (OMEN_UNLIKELY(slots_[t.slot].must_leave.load(std::memory_order_acquire))) {
    leave_sections(t);
    refresh(thread);
  }
  switch (op) {
    case RawOp::Acquire:
    case RawOp::AcquireShared:
    case RawOp::Wake:
    case RawOp::Release:
    case RawOp::ReleaseShared:
    case RawOp::Wait: {
      note_lock(t, op, object, recorder.place_at(thread, pc));
      const bool acquires = op == RawOp::Acquire || op == RawOp::AcquireShared;
      if (predicts() && (acquires || op == RawOp::Wake)) ++thread->begun_sections;
      step(
          thread, object, Makes::Object,
          [&](SyncObject& lock, SyncObjects::Number number) { return lock_step(t, op, lock, number); }, never);
      if (acquires && is_watched(thread)) shadow_.read_lock(thread, object, pc);
      return;
    }
    case RawOp::LockForget:
      objects_->remove(object, object + 1, [&](SyncObjects::Number number) { order_->forget_object(number); });
      return;
    case RawOp::AtomicLoad:
      load(thread, object, order_in(detail));
      access_atomically(thread, object, detail / 256, false, pc);
      return;
    case RawOp::AtomicStore:
      access_atomically(thread, object, detail / 256, true, pc);
      store(thread, object, order_in(detail));
      return;
    case RawOp::AtomicRmw:
      // Where it has nothing to learn from the plain accesses, what it acquires may come later, and both are one step.
      if (is_watched(thread) && shadow_.access_atomically_if_settled(thread, object, detail / 256, true, pc)) {
        return rmw(thread, object, order_in(detail));
      }
      load(thread, object, acquires(order_in(detail)) ? MemoryOrder::Acquire : MemoryOrder::Relaxed);
      access_atomically(thread, object, detail / 256, true, pc);
      rmw(thread, object, order_in(detail));
      return;
    case RawOp::Opaque:
      return reach_hidden_state(thread, SyncObjects::opaque(object));
    case RawOp::SyncRelease:
      return rmw(thread, object, MemoryOrder::Release);
    case RawOp::SyncAcquire:
      return load(thread, object, MemoryOrder::Acquire);
    case RawOp::SyncBoth:
      return rmw(thread, object, MemoryOrder::AcqRel);
    case RawOp::SyncTake:
      load(thread, object, MemoryOrder::Acquire);
      return rmw(thread, object + kTaken, MemoryOrder::Release);
    case RawOp::SyncRefused:
      if (detail == 0) load(thread, object + kTaken, MemoryOrder::Acquire);
      return;
    case RawOp::Refused:
      return refused(thread, object);
    case RawOp::Begin:
      return;  // attached already
    case RawOp::EndThread:
      end(thread);
      return;
    default:
      break;
  }
  const auto arrive_or_leave = [&](bool arrives) {
    const auto what = [&](SyncObject&, SyncObjects::Number number) {
      arrives ? order_->arrive(t.slot, BarrierId{number}) : order_->leave(t.slot, BarrierId{number});
      return Changed::Clock;
    };
    step(thread, object, Makes::Object, what, never);
  };
  switch (op) {
    case RawOp::Fence:
      t.has_fenced |= releases(order_in(detail));
      order_->fence(t.slot, order_in(detail));
      break;
    case RawOp::BarrierArrive:
      return arrive_or_leave(true);
    case RawOp::BarrierLeave:
      return arrive_or_leave(false);
    case RawOp::Fork: {
      log_.begin();
      log_ << online_log::word::kThread << " " << u64{static_cast<u32>(object)} << " " << u64{t.id} << " 0";
      log_.stack_at(recorder.place_at(thread, pc));
      log_.end();
      fork(t, static_cast<u32>(object));
      break;
    }
    case RawOp::AcquireAll: {
      const SpinGuard guard(threads_lock_);
      for (Slot slot = 0; slot < slot_count_; ++slot) {
        if (slot != t.slot) learn_unpublished(t, slot);
      }
      break;
    }
    case RawOp::Join:
      join(t, static_cast<u32>(object));
      break;
    default:
      return;
  }
  refresh(thread);
}

/// Which locks the thread holds, for reports.
void Detector::note_lock(DetectorThread& t, RawOp op, uptr address, Place where) {
  const bool shared = op == RawOp::AcquireShared;
  const bool takes = shared || op == RawOp::Acquire || op == RawOp::Wake;
  t.log->add(address, 1,
             shared  ? LogKind::AcquireShared
             : takes ? LogKind::Acquire
                     : LogKind::Release,
             where, t.now.time());
  if (takes) {
    if (t.held_count < DetectorThread::kMostHeld) t.held[t.held_count++] = {address, where, shared};
    return;
  }
  for (u32 i = t.held_count; i-- > 0;) {
    if (t.held[i].address != address) continue;
    for (; i + 1 < t.held_count; ++i) t.held[i] = t.held[i + 1];
    --t.held_count;
    return;
  }
}

Detector::Changed Detector::acquire(DetectorThread& t, SyncObject& lock, SyncObjects::Number number, SectionMode mode,
                                    u32 depth) {
  if (lock.irregular) {
    lock.stored.store(0, std::memory_order_relaxed);
    order_->rmw(t.slot, AtomicId{number}, MemoryOrder::Acquire);
    return Changed::Clock;
  }
  if (mode == SectionMode::Shared) {
    if (auto* const reader = find_reader(lock.readers, t.slot)) {
      reader->depth += depth;
      return Changed::Nothing;
    }
    lock.readers.push_back({t.slot, depth, t.now.time()});
  } else {
    if (lock.holder == t.slot) {
      lock.depth += depth;
      return Changed::Nothing;
    }
    lock.holder = lock.latest = t.slot;
    lock.depth = depth;
    lock.before = t.now.time();
  }
  if (knows_all_of(t, lock.released)) return Changed::Nothing;
  order_->acquire(t.slot, LockId{number}, mode);
  return Changed::Clock;
}

/// An attempt found the lock taken. It comes after what its holder did before it took the lock, not after what it did
/// since. The holder's knowledge of other threads at that time is not kept; what it knows now includes it. With
/// happens-before one time stands for before and after, and the attempt orders nothing, as in C++.
void Detector::refused(ThreadState* thread, uptr address) {
  if (!predicts_) return;
  DetectorThread& t = *thread->detector;
  const auto what = [&](SyncObject& lock, SyncObjects::Number) {
    if (lock.irregular || lock.holder == t.slot || find_reader(lock.readers, t.slot) != nullptr) {
      return Changed::Nothing;
    }
    // With nobody there, whoever had it last has given it back since, or has not yet.
    const bool read = lock.holder == kNoSlot && !lock.readers.empty();
    const Slot holder = read ? lock.readers.begin()->slot : lock.latest;
    if (holder == kNoSlot || holder == t.slot) return Changed::Nothing;
    order_->follow(t.slot, holder, read ? lock.readers.begin()->before : lock.before);
    return Changed::Clock;
  };
  step(thread, address, Makes::Nothing, what, never);
}

/// `wholly`: however deep. How deep it was left.
u32 Detector::release(DetectorThread& t, SyncObject& lock, SyncObjects::Number number, bool wholly) {
  if (lock.irregular) {
    lock.stored.store(0, std::memory_order_relaxed);
    order_->rmw(t.slot, AtomicId{number}, MemoryOrder::Release);
    return 1;
  }
  const bool exclusive = lock.holder == t.slot;
  const SectionMode mode = exclusive ? SectionMode::Exclusive : SectionMode::Shared;
  u32 depth = 1;
  if (exclusive) {
    depth = wholly ? lock.depth : 1;
    lock.depth -= depth;
    if (lock.depth > 0) return depth;
    lock.holder = kNoSlot;
    lock.released = t.now;
  } else {
    if (--find_reader(lock.readers, t.slot)->depth > 0) return 1;
    erase_reader(lock.readers, t.slot);
    lock.released = {};  // there may be others, whose releases are not known
  }
  section_order_.before_release(t, LockId{number}, mode);
  order_->release(t.slot, LockId{number}, mode);
  return depth;
}

/// The program uses the lock in a way that no critical section describes: from now on it orders like an atomic. Whoever
/// is in a section on it leaves it, at its own next step, and what they have done goes into the atomic.
void Detector::make_irregular(DetectorThread& t, SyncObject& lock, SyncObjects::Number number) {
  lock.irregular = true;
  epochs_tell_all_ = false;  // others' epochs end here, and they do not know it yet
  const auto leave = [&](Slot slot, SectionMode mode) {
    if (slot == t.slot) {
      order_->release(slot, LockId{number}, mode);
    } else {
      ask_to_leave(slot, LockId{number}, mode);
    }
  };
  if (lock.holder != kNoSlot) leave(lock.holder, SectionMode::Exclusive);
  for (const auto& reader : lock.readers) leave(reader.slot, SectionMode::Shared);
  // What its sections ordered, by whatever rule, must not be lost: this thread comes after all that the others have
  // done, and through the atomic so do all that come.
  const SpinGuard guard(threads_lock_);
  for (Slot slot = 0; slot < slot_count_; ++slot) {
    if (slot != t.slot) learn_unpublished(t, slot);
  }
  lock.stored.store(0, std::memory_order_relaxed);
  order_->rmw(t.slot, AtomicId{number}, MemoryOrder::Release);
  lock.holder = kNoSlot;
  lock.depth = 0;
  lock.readers.clear();
  lock.waiting.clear();
}

void Detector::ask_to_leave(Slot slot, LockId lock, SectionMode mode) {
  if (!predicts_) return;  // there are no sections
  const SpinGuard guard(slots_[slot].clock_lock);
  slots_[slot].leaving.push_back({lock, mode});
  slots_[slot].must_leave.store(true, std::memory_order_release);
}

OMEN_NOINLINE void Detector::leave_sections(DetectorThread& t) {
  ThreadSlot& slot = slots_[t.slot];
  Vector<ThreadSlot::Leaving> leaving;
  {
    const SpinGuard guard(slot.clock_lock);
    leaving.swap(slot.leaving);
    slot.must_leave.store(false, std::memory_order_relaxed);
  }
  for (const ThreadSlot::Leaving& section : leaving) {
    const SpinGuard guard((*objects_)[static_cast<u32>(section.lock)].guard);
    order_->release(t.slot, section.lock, section.mode);
  }
}

Detector::Changed Detector::lock_step(DetectorThread& t, RawOp op, SyncObject& lock, SyncObjects::Number number) {
  if (becomes_irregular(lock, t.slot, op)) make_irregular(t, lock, number);
  switch (op) {
    case RawOp::Acquire:
      return acquire(t, lock, number, SectionMode::Exclusive, 1);
    case RawOp::AcquireShared:
      return acquire(t, lock, number, SectionMode::Shared, 1);
    case RawOp::Wait: {
      const u32 depth = release(t, lock, number, true);
      if (!lock.irregular) lock.waiting.push_back({t.slot, depth});
      return Changed::Clock;
    }
    case RawOp::Wake: {
      const auto* const waited = find_reader(lock.waiting, t.slot);
      const u32 depth = waited == nullptr ? 1 : waited->depth;
      erase_reader(lock.waiting, t.slot);
      return acquire(t, lock, number, SectionMode::Exclusive, depth);
    }
    default:
      release(t, lock, number, false);
      return Changed::Clock;
  }
}

/// The thread comes after all that the other one has done, which has not published it: from now on its epoch is known
/// to somebody who does not know what is published at its end.
void Detector::learn_unpublished(DetectorThread& t, Slot other) {
  epochs_tell_all_ = false;
  order_->join(t.slot, other);
}

void Detector::order_after_all_of(DetectorThread& t, Slot other) {
  learn_unpublished(t, other);
  section_order_.publish(t, t.now.time());
}

}  // namespace omen::rt::detect
