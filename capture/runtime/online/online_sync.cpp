/// \file
/// Synchronisation: what the program does with locks, atomics, barriers and threads, as the analysis sees it. The rules
/// are those of capture/recording, which turns recordings into traces.
#include <new>

#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

using raw::RawOp;

namespace {

constexpr u32 kNobody = SyncObject::kNobody;
/// Beside an object from which something is taken stands one to which those release who have taken.
constexpr uptr kTaken = 1;
/// Threads that ended and are joined by nobody keep their slots so far; then the oldest is given away.
constexpr u32 kMostEnded = 256;

MemoryOrder order_in(u32 detail) {
  return static_cast<MemoryOrder>(detail % 256);
}

template <class Readers>
auto* find_reader(Readers& readers, u32 slot) {
  for (auto& reader : readers) {
    if (reader.slot == slot) return &reader;
  }
  return decltype(&*readers.begin()){nullptr};
}
void erase_reader(Vector<SyncObject::Reader>& readers, u32 slot) {
  for (auto reader = readers.begin(); reader != readers.end(); ++reader) {
    if (reader->slot == slot) {
      readers.erase(reader);
      return;
    }
  }
}

/// Is this something that no critical section describes?
bool becomes_irregular(const SyncObject& lock, u32 slot, RawOp op) {
  if (lock.irregular) return false;
  switch (op) {
    case RawOp::Acquire:
    case RawOp::Wake:
      return lock.holder != slot && (lock.holder != kNobody || !lock.readers.empty());
    case RawOp::AcquireShared:
      return lock.holder != kNobody && find_reader(lock.readers, slot) == nullptr;
    default:
      return lock.holder != slot && find_reader(lock.readers, slot) == nullptr;
  }
}

}  // namespace

/// Is all that the thread does ordered before whatever comes later, sections and all? One that it is in may end when
/// others are there, and order them.
bool Online::is_alone(const OnlineThread& state) const {
  return running_ == 1 && ended_ == 0 && state.sections.bits() == 0 && !recorder.recording();
}

void Online::refresh(ThreadState* thread) {
  engine_->publish(*thread->online);
  if (OMEN_UNLIKELY(time_in(thread->online->now) >= most_epochs_)) {
    stop_watching([&] { log_ << "a thread has had " << u64{most_epochs_} << " epochs"; });
  }
  const u32 time = time_in(thread->online->now);
  ThreadSlot::Stamp& stamp = slots_[thread->online->slot].stamps[time % ThreadSlot::kStamps];
  if (stamp.time.load(std::memory_order_relaxed) != time) {
    stamp.time.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    stamp.began.store(__builtin_ia32_rdtsc(), std::memory_order_relaxed);
    stamp.record.store(thread->online->log->end(), std::memory_order_relaxed);
    stamp.time.store(time, std::memory_order_release);
  }
  thread->watch = is_alone(*thread->online) ? ThreadState::Watch::Alone : ThreadState::Watch::Yes;
  thread->look_closer = stats_ || off_ || thread->watch != ThreadState::Watch::Yes || recorder.recording();
  set_cell_now(thread, stats_ || off_ ? ThreadState::kNever : thread->online->now);
}

SyncObjects::Number Online::number_of(uptr address) {
  SyncObjects::Number number = objects_->find(address);
  if (number == SyncObjects::kNone) {
    number = objects_->make(address);
    engine_->make_object(number);
  }
  return number;
}

template <class What, class May, class Knows>
void Online::step(ThreadState* thread, uptr address, bool makes, What what, May may, Knows knows) {
  {
    const Visit visit(analysis_lock, thread->online->slot);
    OnlineThread::KnownObject& known = thread->online->known_object(address);
    const SyncObjects::Number likely = known.address == address ? known.number : SyncObjects::kNone;
    const SyncObjects::Number number = visit.entered() ? objects_->find(address, likely) : SyncObjects::kNone;
    if (number != SyncObjects::kNone) {
      known = {address, number};
      SyncObject& object = (*objects_)[number];
      if (knows(object)) return;
      const SpinGuard guard(object.guard);
      if (may(object)) {
        if (what(number)) refresh(thread);
        return;
      }
    } else if (visit.entered() && !makes) {
      return;
    }
  }
  const AnalysisGuard guard(analysis_lock);
  if (!makes && objects_->find(address) == SyncObjects::kNone) return;
  what(number_of(address));
  refresh(thread);
}

namespace {
constexpr auto always = [](const SyncObject&) { return true; };
constexpr auto never = [](const SyncObject&) { return false; };

/// Then rule (a) looks at atomics: they are objects even if nobody releases anything to them. There are no sections
/// with happens-before.
bool is_in_section(const OnlineThread& state) {
  return !state.sections.is_empty();
}
}  // namespace

void Online::load(ThreadState* thread, uptr address, MemoryOrder order) {
  OnlineThread& state = *thread->online;
  const auto what = [&](SyncObjects::Number number) {
    engine_->load(state, number, order);
    return true;
  };
  step(thread, address, is_in_section(state), what, always,
       [&](const SyncObject& atomic) { return knows_all_of(state, atomic.stored.load(std::memory_order_relaxed)); });
}
void Online::store(ThreadState* thread, uptr address, MemoryOrder order) {
  OnlineThread& state = *thread->online;
  const bool tells = releases(order) || state.has_fenced;
  const auto what = [&](SyncObjects::Number number) {
    // A relaxed one releases what a fence before it did.
    (*objects_)[number].stored.store(releases(order) ? without_bytes(state.now) : 0, std::memory_order_relaxed);
    engine_->store(state, number, order);
    return true;
  };
  step(thread, address, tells || is_in_section(state), what, always, never);
}
void Online::rmw(ThreadState* thread, uptr address, MemoryOrder order) {
  OnlineThread& state = *thread->online;
  const bool tells = releases(order) || state.has_fenced;
  const auto what = [&](SyncObjects::Number number) {
    // What was released before stays; who acquires it too releases all.
    if (tells) {
      const bool all = releases(order) && acquires(order);
      (*objects_)[number].stored.store(all ? without_bytes(state.now) : 0, std::memory_order_relaxed);
    }
    engine_->rmw(state, number, order);
    return true;
  };
  step(thread, address, tells || is_in_section(state), what, always, [&](const SyncObject& atomic) {
    return !tells && knows_all_of(state, atomic.stored.load(std::memory_order_relaxed));
  });
}

/// It orders nothing by itself; that two sections do it makes them conflict.
void Online::reach_hidden_state(ThreadState* thread, uptr address) {
  OnlineThread& state = *thread->online;
  const auto what = [&](SyncObjects::Number number) {
    engine_->rmw(state, number, MemoryOrder::Relaxed);
    return true;
  };
  step(thread, address, true, what, always, never);
}

void Online::read_hidden_state(ThreadState* thread, uptr lock) {
  if (thread->online != nullptr) load(thread, SyncObjects::opaque(lock), MemoryOrder::Relaxed);
}

void Online::synchronise(ThreadState* thread, RawOp op, uptr object, u32 detail, uptr pc) {
  if (OMEN_UNLIKELY(off_)) {
    if (op == RawOp::EndThread && thread->online != nullptr) end(thread);
    return;
  }
  if (thread->online == nullptr) {
    attach(thread);
    if (thread->online == nullptr) return;
  }
  OnlineThread& state = *thread->online;
  ++state.synchronisations;
  look_at_memory(state);
  switch (op) {
    case RawOp::Acquire:
    case RawOp::AcquireShared:
    case RawOp::Wake:
    case RawOp::Release:
    case RawOp::ReleaseShared:
    case RawOp::Wait: {
      note_lock(state, op, object, recorder.place_at(thread, pc), time_in(state.now));
      const bool acquires = op == RawOp::Acquire || op == RawOp::AcquireShared;
      step(
          thread, object, true, [&](SyncObjects::Number number) { return lock_step(state, op, number); },
          [&](const SyncObject& lock) { return !becomes_irregular(lock, state.slot, op); }, never);
      if (acquires) read_lock(thread, object, pc);
      return;
    }
    case RawOp::LockForget: {
      const AnalysisGuard guard(analysis_lock);
      objects_->remove(object, object + 1, [&](SyncObjects::Number number) { engine_->forget_object(number); });
      return;
    }
    case RawOp::AtomicLoad:
      load(thread, object, order_in(detail));
      access_atomically(thread, object, detail / 256, false, pc);
      return;
    case RawOp::AtomicStore:
      access_atomically(thread, object, detail / 256, true, pc);
      store(thread, object, order_in(detail));
      return;
    case RawOp::AtomicRmw:
      // Where it has nothing to ask of the plain accesses, what it acquires may come later, and both are one step.
      if (access_atomically_beside(thread, object, detail / 256, true, pc)) {
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
  const AnalysisGuard guard(analysis_lock);
  switch (op) {
    case RawOp::Fence:
      state.has_fenced |= releases(order_in(detail));
      engine_->fence(state, order_in(detail));
      break;
    case RawOp::BarrierArrive:
      engine_->arrive(state, number_of(object));
      break;
    case RawOp::BarrierLeave:
      engine_->leave(state, number_of(object));
      break;
    case RawOp::Fork: {
      log_.begin();
      log_ << "thread " << u64{static_cast<u32>(object)} << " " << u64{state.id} << " 0";
      log_.stack_at(recorder.place_at(thread, pc));
      log_.end();
      fork(state, static_cast<u32>(object));
      break;
    }
    case RawOp::AcquireAll:
      for (const Known& known : *known_threads_) learn_unpublished(state, known.slot);
      break;
    case RawOp::Join:
      join(state, static_cast<u32>(object));
      break;
    default:
      return;
  }
  refresh(thread);
}

/// Which locks the thread holds, for reports.
void Online::note_lock(OnlineThread& state, RawOp op, uptr address, Place where, u32 time) {
  const bool shared = op == RawOp::AcquireShared;
  const bool takes = shared || op == RawOp::Acquire || op == RawOp::Wake;
  ++state.other_records;
  state.log->add(address, 1, shared ? Did::AcquireShared : takes ? Did::Acquire : Did::Release, where, time);
  if (takes) {
    if (state.held_count < OnlineThread::kMostHeld) state.held[state.held_count++] = {address, where, shared};
    return;
  }
  for (u32 i = state.held_count; i-- > 0;) {
    if (state.held[i].address != address) continue;
    for (; i + 1 < state.held_count; ++i) state.held[i] = state.held[i + 1];
    --state.held_count;
    return;
  }
}

bool Online::acquire(OnlineThread& state, SyncObjects::Number number, bool shared, u32 depth) {
  SyncObject& lock = (*objects_)[number];
  if (lock.irregular) {
    lock.stored.store(0, std::memory_order_relaxed);
    engine_->rmw(state, number, MemoryOrder::Acquire);
    return true;
  }
  if (shared) {
    if (auto* const reader = find_reader(lock.readers, state.slot)) {
      reader->depth += depth;
      return false;
    }
    lock.readers.push_back({state.slot, depth, time_in(state.now)});
  } else {
    if (lock.holder == state.slot) {
      lock.depth += depth;
      return false;
    }
    lock.holder = lock.latest = state.slot;
    lock.depth = depth;
    lock.before = time_in(state.now);
  }
  if (knows_all_of(state, lock.released)) return false;
  engine_->lock_step(state, state.slot, number, shared ? SyncKind::AcquireShared : SyncKind::Acquire);
  return true;
}

/// An attempt found the lock taken. It comes after what its holder did before it took the lock, not after what it did
/// since. The holder's knowledge of other threads at that time is not kept; what it knows now includes it. An engine
/// without sections keeps one time for before and after, and orders nothing, as in C++.
void Online::refused(ThreadState* thread, uptr address) {
  if (engine_->is_by_object()) return;
  OnlineThread& state = *thread->online;
  const AnalysisGuard guard(analysis_lock);
  const SyncObjects::Number number = objects_->find(address);
  if (number == SyncObjects::kNone) return;
  const SyncObject& lock = (*objects_)[number];
  if (lock.irregular || lock.holder == state.slot || find_reader(lock.readers, state.slot) != nullptr) return;
  // With nobody there, whoever had it last has given it back since, or has not yet.
  const bool read = lock.holder == kNobody && !lock.readers.empty();
  const u32 holder = read ? lock.readers.begin()->slot : lock.latest;
  if (holder == kNobody || holder == state.slot) return;
  engine_->follow(state, holder, read ? lock.readers.begin()->before : lock.before);
  refresh(thread);
}

/// `wholly`: however deep. How deep it was left.
u32 Online::release(OnlineThread& state, SyncObjects::Number number, bool wholly) {
  SyncObject& lock = (*objects_)[number];
  if (lock.irregular) {
    lock.stored.store(0, std::memory_order_relaxed);
    engine_->rmw(state, number, MemoryOrder::Release);
    return 1;
  }
  if (lock.holder == state.slot) {
    const u32 depth = wholly ? lock.depth : 1;
    lock.depth -= depth;
    if (lock.depth > 0) return depth;
    lock.holder = kNobody;
    lock.released = without_bytes(state.now);
    engine_->lock_step(state, state.slot, number, SyncKind::Release);
    return depth;
  }
  if (--find_reader(lock.readers, state.slot)->depth > 0) return 1;
  erase_reader(lock.readers, state.slot);
  lock.released = 0;  // there may be others, whose releases are not known
  engine_->lock_step(state, state.slot, number, SyncKind::ReleaseShared);
  return 1;
}

/// The program uses the lock in a way that no critical section describes: from now on it orders like an atomic. Whoever
/// is in a section on it leaves it, and what they released goes into the atomic.
void Online::make_irregular(OnlineThread& state, SyncObjects::Number number) {
  SyncObject& lock = (*objects_)[number];
  lock.irregular = true;
  epochs_tell_all_ = false;  // others' epochs end here, and they do not know it yet
  if (lock.holder != kNobody) engine_->lock_step(state, lock.holder, number, SyncKind::Release);
  for (const auto& reader : lock.readers) engine_->lock_step(state, reader.slot, number, SyncKind::ReleaseShared);
  // What its sections ordered, by whatever rule, must not be lost: this thread comes after all that the others have
  // done, and through the atomic so do all that come.
  for (const Known& known : *known_threads_) {
    if (known.slot != state.slot) learn_unpublished(state, known.slot);
  }
  lock.stored.store(0, std::memory_order_relaxed);
  engine_->rmw(state, number, MemoryOrder::Release);
  lock.holder = kNobody;
  lock.depth = 0;
  lock.readers.clear();
  lock.waiting.clear();
}

bool Online::lock_step(OnlineThread& state, RawOp op, SyncObjects::Number number) {
  SyncObject& lock = (*objects_)[number];
  if (becomes_irregular(lock, state.slot, op)) make_irregular(state, number);
  switch (op) {
    case RawOp::Acquire:
      return acquire(state, number, false, 1);
    case RawOp::AcquireShared:
      return acquire(state, number, true, 1);
    case RawOp::Release:
    case RawOp::ReleaseShared:
      release(state, number, false);
      engine_->collect();
      return true;
    case RawOp::Wait: {
      const u32 depth = release(state, number, true);
      if (!lock.irregular) lock.waiting.push_back({state.slot, depth});
      engine_->collect();
      return true;
    }
    case RawOp::Wake: {
      const auto* const waited = find_reader(lock.waiting, state.slot);
      const u32 depth = waited == nullptr ? 1 : waited->depth;
      erase_reader(lock.waiting, state.slot);
      return acquire(state, number, false, depth);
    }
    default:
      return true;
  }
}

/// The thread comes after all that the other one has done, which has not published it: from now on its epoch is known
/// to somebody who does not know what is published at its end.
void Online::learn_unpublished(OnlineThread& state, u32 slot) {
  epochs_tell_all_ = false;
  engine_->join(state, slot);
}

u32 Online::take_slot(const OnlineThread* parent) {
  u32 unknown = kNobody;
  for (u32 i = 0; i < slot_count_; ++i) {
    const ThreadSlot& slot = slots_[i];
    if (slot.used) continue;
    // Its last thread has been joined by somebody, and the new thread's creator knows of it.
    if (parent == nullptr || engine_->knows(parent->slot, {slot.last_time, ThreadId{i}})) return i;
    if (unknown == kNobody) unknown = i;
  }
  if (slot_count_ < kMostSlots && ended_ < kMostEnded) return slot_count_++;
  if (unknown != kNobody) return unknown;
  // In the order in which they were created.
  for (auto known = known_threads_->begin(); known != known_threads_->end(); ++known) {
    ThreadSlot& slot = slots_[known->slot];
    if (!slot.ended) continue;
    const u32 given = known->slot;
    known_threads_->erase(known);
    slot.ended = false;
    --ended_;
    return given;
  }
  return kNobody;
}

/// What a thread without a slot does orders others, which nobody would know of.
void Online::stop_at_most_threads() {
  stop_watching([&] { log_ << "more than " << u64{kMostSlots} << " threads run at once"; });
}

void Online::fork(OnlineThread& state, u32 child) {
  const u32 slot = take_slot(&state);
  if (slot == kNobody) return stop_at_most_threads();
  slots_[slot].used = true;
  slots_[slot].ended = false;
  const Epoch last{slots_[slot].last_time, ThreadId{slot}};
  slots_[slot].known_time = engine_->knows(state.slot, last) ? last.time : 0;
  const Time from = engine_->begin(slot);
  engine_->fork(state, slot);
  slots_[slot].add_user(child, from);
  known_threads_->push_back({child, slot});
  ++running_;
  ++threads_seen_;
}

void Online::join(OnlineThread& state, u32 child) {
  for (auto known = known_threads_->begin(); known != known_threads_->end(); ++known) {
    if (known->id != child) continue;
    ThreadSlot& slot = slots_[known->slot];
    if (!slot.ended) epochs_tell_all_ = false;  // see learn_unpublished
    engine_->join(state, known->slot);
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
  for (u32 slot = 0; slot < slot_count_; ++slot) {
    if (slot != state.slot) learn_unpublished(state, slot);
  }
}

/// The thread's first synchronisation: it gets its slot, which its creator took for it.
void Online::attach(ThreadState* thread) {
  const AnalysisGuard guard(analysis_lock);
  u32 slot = kNobody;
  for (const Known& known : *known_threads_) {
    if (known.id == thread->id) slot = known.slot;
  }
  if (slot == kNobody) {
    // Nobody created it: the program's first thread, or one that was there before.
    slot = take_slot(nullptr);
    if (slot == kNobody) return stop_at_most_threads();
    slots_[slot].used = true;
    slots_[slot].known_time = 0;
    slots_[slot].add_user(thread->id, engine_->begin(slot));
    known_threads_->push_back({thread->id, slot});
    ++running_;
    ++threads_seen_;
    if (thread->id == 0) {
      log_.begin();
      log_ << "thread 0 0 " << u64{system_thread_id()} << " :\n";
      log_.end();
    }
  }
  if (!slots_[slot].log.exists() && !slots_[slot].log.create(log_entries_)) {
    return stop_watching([&] { log_ << "there is no memory for the accesses of another thread"; });
  }
  void* const memory = arena_allocate(sizeof(OnlineThread));
  auto* const state = new (memory) OnlineThread;
  state->slot = slot;
  state->id = thread->id;
  state->log = &slots_[slot].log;
  state->records_before = state->log->end();
  state->own_epochs.begin_after(slots_[slot].known_time);
  analysis_lock.admit(slot);
  thread->online = state;
  slots_[slot].running.store(state, std::memory_order_release);
  refresh(thread);
}

void Online::end(ThreadState* thread) {
  const AnalysisGuard guard(analysis_lock);
  OnlineThread* const state = thread->online;
  thread->online = nullptr;
  thread->look_closer = 1;
  set_cell_now(thread, ThreadState::kNever);
  set_planes(thread, nullptr, nullptr);
  ThreadSlot& slot = slots_[state->slot];
  slot.running.store(nullptr, std::memory_order_relaxed);
  slot.last_time = engine_->end(state->slot);
  slot.ended = true;
  --running_;
  ++ended_;
  accesses_ += state->accesses();
  synchronisations_ += state->synchronisations;
  for (std::size_t i = 0; i < kRuleCount; ++i) settled_counters_.fired[i] += state->counters.fired[i];
  state->own_epochs.destroy();
  state->~OnlineThread();
  arena_free(state, sizeof(OnlineThread));
}

}  // namespace omen::rt::online
