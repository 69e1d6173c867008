#include "capture/runtime/schedule/explore/explorer.hpp"

#include <dlfcn.h>
#include <link.h>

#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::explore {

constinit Explorer explorer{};

namespace {

/// A thread that was chosen this many times in a row, while others could run, goes last once. PCT's highest thread may
/// poll under a lock for a change that only others can make.
constexpr u32 kLongestTurn = 1000;
constexpr u64 kPointTime = 1000;
/// After this many queries from one location a thread counts as busy-waiting. Locks and `std::atomic::wait` spin for a
/// few rounds before they sleep; schedules in which they do sleep must not be rare.
constexpr u32 kRounds = 5;

/// The offset in the module, which is the same in every run.
u64 place_of(uptr pc) {
  if (pc == 0) return 0;
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(pc), &found) != 0) return 1;
  return pc - found.dlfo_link_map->l_addr;
}

/// The operation changes nothing by itself.
bool only_looks(PointKind kind) {
  return kind == PointKind::Load || kind == PointKind::None;
}

}  // namespace

Inside::Inside(ThreadState* state) : state_(state) {
  ++state_->busy;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}
Inside::~Inside() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  --state_->busy;
}

bool Explorer::start(const Configuration& configuration) {
  configuration_ = configuration;
  threads_ = static_cast<Thread*>(map_memory(Strategy::kMostThreads * sizeof(Thread)));
  if (threads_ == nullptr) return false;
  strategy_.begin(configuration.strategy, configuration.seed, configuration.depth, configuration.steps);
  spurious_left_ = 3;
  over_.store(false, std::memory_order_release);
  return true;
}

void Explorer::release(const char* why) {
  if (over_.exchange(true, std::memory_order_acq_rel)) return;
  log_text("released", why);
  for (u32 i = 0; i < count_; ++i) {
    threads_[i].word.fetch_add(1, std::memory_order_release);
    wake_one(threads_[i].word);
  }
}

void Explorer::abandon() {
  lock_.reset();
  over_.store(true, std::memory_order_release);
  finished_ = true;
}

Thread* Explorer::add_thread(ThreadState* state) {
  if (is_over()) return nullptr;
  const SpinGuard guard(lock_);
  if (count_ == Strategy::kMostThreads) {
    release("more threads than a controlled run can have");
    return nullptr;
  }
  Thread& thread = threads_[count_];
  thread.state = state;
  thread.number = count_;
  thread.id = state->id;
  thread.where.store(count_ == 0 ? Where::Running : Where::Ready, std::memory_order_relaxed);
  thread.pending = {PointKind::Begin, 0};
  strategy_.add(count_);
  strategy_.arrive(count_, thread.pending);
  if (count_ == 0) {
    thread.system_id.store(system_thread_id(), std::memory_order_relaxed);
    running_.store(0, std::memory_order_release);
  }
  ++count_;
  ++effects_;
  return &thread;
}

void Explorer::drop_thread(Thread& thread) {
  const SpinGuard guard(lock_);
  thread.where.store(Where::Ended, std::memory_order_relaxed);
  thread.state = nullptr;
}

void Explorer::begin(ThreadState* state) {
  Thread* const me = state->explored;
  if (me == nullptr) return;
  me->system_id.store(system_thread_id(), std::memory_order_release);
  park(state, *me);
}

void Explorer::end(ThreadState* state) {
  Thread* const me = state->explored;
  if (me == nullptr) return;
  const Inside inside(state);
  const SpinGuard guard(lock_);
  if (me->where.load(std::memory_order_relaxed) == Where::Outside) outside_.fetch_sub(1, std::memory_order_relaxed);
  me->where.store(Where::Ended, std::memory_order_relaxed);
  me->state = nullptr;
  state->explored = nullptr;
  ++effects_;
  // Threads that join it; also, a robust mutex may have lost its holder.
  for (u32 i = 0; i < count_; ++i) {
    Thread& other = threads_[i];
    if (other.where.load(std::memory_order_relaxed) != Where::Blocked) continue;
    const bool joins = other.wait.kind == WaitKind::Join && other.wait.object == me->id;
    if (joins || other.wait.kind == WaitKind::Lock) make_ready(other, WaitEnd::Woken);
  }
  if (is_over()) return;
  const u32 running = running_.load(std::memory_order_relaxed);
  if (running == me->number) running_.store(kNobody, std::memory_order_relaxed);
  if (running == me->number || running == kNobody) choose_next(kNobody);
}

void Explorer::note_effect() {
  const SpinGuard guard(lock_);
  ++effects_;
}

void Explorer::arrive(Thread& me, const Pending& pending, uptr pc) {
  me.pending = pending;
  me.pc = pc;
  if (me.seen_effects != effects_) {
    me.seen_effects = effects_;
    me.looks = 0;
    me.yields = false;
  }
  if (only_looks(pending.kind)) {
    // A location that it has been at several times since the last effect: it is in a loop.
    u32 same = 0;
    const u32 known = me.looks < Thread::kLatest ? me.looks : Thread::kLatest;
    for (u32 i = 0; i < known; ++i) same += me.latest[i] == pc ? 1 : 0;
    me.latest[me.looks++ % Thread::kLatest] = pc;
    if (same >= kRounds) {
      me.yields = true;
      strategy_.yield(me.number);
    }
  }
  strategy_.arrive(me.number, pending);
}

void Explorer::point(ThreadState* state, const Pending& pending, uptr pc) {
  Thread* const me = state->explored;
  if (me == nullptr || state->busy != 0 || is_over()) return;
  {
    const Inside inside(state);
    const SpinGuard guard(lock_);
    if (me->where.load(std::memory_order_relaxed) == Where::Outside) outside_.fetch_sub(1, std::memory_order_relaxed);
    arrive(*me, pending, pc);
    me->where.store(Where::Ready, std::memory_order_relaxed);
    if (running_.load(std::memory_order_relaxed) == me->number) running_.store(kNobody, std::memory_order_relaxed);
    if (running_.load(std::memory_order_relaxed) == kNobody) choose_next(me->number);
  }
  park(state, *me);
}

u64 Explorer::nap() const {
  if (running_.load(std::memory_order_relaxed) == kNobody) return kMillisecond;
  const u64 wanted = 5 * kMillisecond * (count_ + 3);
  return wanted < 900 * kMillisecond ? wanted : 900 * kMillisecond;
}

void Explorer::park(ThreadState* state, Thread& me) {
  for (;;) {
    const u32 seen = me.word.load(std::memory_order_acquire);
    if (is_over()) break;
    if (running_.load(std::memory_order_acquire) == me.number) break;
    if (state->signals.any.load(std::memory_order_relaxed) != 0) {
      const Inside inside(state);
      const SpinGuard guard(lock_);
      interrupt(me);
    }
    await_change_for(me.word, seen, nap());
    if (me.word.load(std::memory_order_acquire) == seen) look(state);
  }
  if (state->signals.any.load(std::memory_order_relaxed) != 0) deliver_pending_signals(state);
}

void Explorer::note_point(const Thread& thread) {
  for (const u64 value : {u64{thread.id}, static_cast<u64>(thread.pending.kind), place_of(thread.pc)}) {
    hash_ = (hash_ ^ value) * 0x100000001B3ULL;
    hash_ ^= hash_ >> 29;
  }
  ++points_;
  now_ += kPointTime;
}

u32 Explorer::collect(u32* ready, bool all) const {
  u32 found = 0;
  for (u32 i = 0; i < count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) != Where::Ready) continue;
    if (all || !waits_actively(thread)) ready[found++] = i;
  }
  return found;
}

void Explorer::grant(Thread& thread, u32 self) {
  thread.where.store(Where::Running, std::memory_order_relaxed);
  running_.store(thread.number, std::memory_order_release);
  stuck_since_ = 0;
  thread.word.fetch_add(1, std::memory_order_release);
  if (thread.number != self) wake_one(thread.word);
}

void Explorer::choose_next(u32 self) {
  if (points_ >= configuration_.most_points) return release("it has passed the most points of a controlled run");
  constexpr u64 kLivelock = 20'000;
  constexpr u32 kActiveWait = 8;
  u32 ready[Strategy::kMostThreads];
  if (drawn_points_ != points_) {  // once for each choice: looks while no thread runs draw nothing
    drawn_points_ = points_;
    wake_pollers();
    draw_spurious_wake();
    takes_waiting_ = strategy_.random().one_in(kActiveWait);
  }
  // Prefers other threads to busy-waiting ones, but not always: a busy-waiting thread may give up, or go to sleep.
  u32 count = collect(ready, takes_waiting_);
  if (count == 0) {
    count = collect(ready, true);
    if (idle_effects_ != effects_) {
      idle_effects_ = effects_;
      idle_grants_ = 0;
    }
    if (count != 0) {
      ++idle_grants_;
      // All threads busy-wait, perhaps for the time. Advance it.
      if (idle_grants_ > 4 * u64{count} && advance_time()) return choose_next(self);
      if (idle_grants_ > kLivelock) {
        if (!is_wait_for_outside()) end_with("livelock");
        idle_grants_ = 0;
      }
      if (idle_grants_ % 64 == 0) now_ += kMillisecond * (idle_grants_ / 64);
    }
  }
  if (count == 0) {
    if (advance_time()) return choose_next(self);
    if (retry_blocked(self)) return;
    return nobody_can_go(self);
  }
  const u32 chosen = strategy_.choose(ready, count);
  Thread& thread = threads_[chosen];
  for (u32 i = 0; i < count; ++i) {
    if (ready[i] != chosen) threads_[ready[i]].granted_in_row = 0;
  }
  if (++thread.granted_in_row > kLongestTurn && count > 1) {
    thread.granted_in_row = 0;
    strategy_.yield(chosen);
  }
  note_point(thread);
  grant(thread, self);
}

void Explorer::finish(const char* why) {
  if (finished_ || threads_ == nullptr) return;
  finished_ = true;
  log_text("end", why);
}

}  // namespace omen::rt::explore
