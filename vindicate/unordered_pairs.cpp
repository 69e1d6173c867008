#include "vindicate/unordered_pairs.hpp"

#include <algorithm>
#include <utility>

namespace omen::vindicate {

UnorderedPairs::UnorderedPairs(Model model)
    : model_(model), lock_sets_(1), known_lock_sets_{{{}, 0}}, clock_bytes_(std::make_shared<std::size_t>(0)) {}

void UnorderedPairs::begin(const Event& event) {
  Thread& thread = at(threads_, index(event.thread));
  if (thread.begun) return;
  thread.begun = true;
  thread.clock.resize(index(event.thread) + 1);
  if (index(event.thread) < forks_.size()) need(thread, forks_[index(event.thread)]);
}

/// Updates the needs of the thread's later events, and stores the event if other threads' events may need it later.
void UnorderedPairs::learn(const Event& event) {
  Thread& thread = threads_[index(event.thread)];
  const bool may_read_anything = event.update && model_ == Model::Data;
  switch (event.op) {
    case Op::Read:
      if (may_read_anything) return;
      need(thread, at(variables_, event.operand).written);
      return;
    case Op::Write:
    case Op::Free:
      variables_[event.operand].written = source(event);
      return;
    case Op::Allocate: {
      Variable& variable = at(variables_, event.operand);
      variable.places.clear();
      variable.written = variable.allocated = source(event);
      return;
    }
    case Op::AtomicLoad:
      need(thread, at(atomics_, event.operand));
      return;
    case Op::AtomicStore:
      at(atomics_, event.operand) = source(event);
      return;
    case Op::AtomicRmw:
      if (!may_read_anything) need(thread, at(atomics_, event.operand));
      at(atomics_, event.operand) = source(event);
      return;
    case Op::Fork:
      at(forks_, event.operand) = source(event);
      return;
    case Op::Join: {
      const Thread& child = at(threads_, event.operand);
      Thread& parent = threads_[index(event.thread)];  // `at` may have reallocated `threads_`
      if (child.begun) {
        need(parent, {event.target(), child.clock[event.operand], std::make_shared<const Clock>(child.clock)});
      } else if (event.operand < forks_.size()) {
        need(parent, forks_[event.operand]);
      }
      return;
    }
    case Op::BarrierArrive: {
      Barrier& barrier = at(barriers_, event.operand);
      if (std::exchange(barrier.left, false)) barrier.round = std::make_shared<std::vector<Source>>();
      barrier.round->push_back(source(event));
      barrier.rounds[event.thread] = barrier.round;
      return;
    }
    case Op::BarrierLeave: {
      Barrier& barrier = at(barriers_, event.operand);
      const auto round = barrier.rounds[event.thread];
      for (const Source& arrival : *round) need(thread, arrival);
      if (round == barrier.round) barrier.left = true;
      return;
    }
    case Op::Acquire:
    case Op::AcquireShared:
    case Op::Wake:
      if (starts_section(event)) hold(thread, event.lock(), event.op == Op::AcquireShared);
      return;
    case Op::Release:
    case Op::ReleaseShared:
    case Op::Wait:
      if (ends_section(event)) give_up(thread, event.lock());
      return;
    case Op::Begin:
    case Op::End:
    case Op::Fence:
      return;
  }
}

void UnorderedPairs::need(Thread& thread, const Source& source) {
  if (source.length == 0 || entry(thread.clock, source.thread) >= source.length) return;
  if (thread.clock.size() <= index(source.thread)) thread.clock.resize(index(source.thread) + 1);
  if (source.clock != nullptr) {
    if (thread.clock.size() < source.clock->size()) thread.clock.resize(source.clock->size());
    for (std::size_t t = 0; t < source.clock->size(); ++t) {
      thread.clock[t] = std::max(thread.clock[t], (*source.clock)[t]);
    }
  }
  thread.clock[index(source.thread)] = std::max(thread.clock[index(source.thread)], source.length);
  thread.published = nullptr;
}

UnorderedPairs::Source UnorderedPairs::source(const Event& event) {
  Thread& thread = threads_[index(event.thread)];
  if (thread.published == nullptr) {
    const std::size_t bytes = thread.clock.size() * sizeof thread.clock[0];
    if (*clock_bytes_ + bytes <= kMostClockBytes) {
      *clock_bytes_ += bytes;
      thread.published = {new Clock(thread.clock), [all = clock_bytes_, bytes](const Clock* clock) {
                            *all -= bytes;
                            delete clock;
                          }};
    }
  }
  return {event.thread, thread.clock[index(event.thread)] + 1, thread.published};
}

void UnorderedPairs::hold(Thread& thread, LockId lock, bool shared) {
  thread.held.insert(std::ranges::upper_bound(thread.held, HeldLock{lock, shared}), {lock, shared});
  const auto [known, is_new] = known_lock_sets_.emplace(thread.held, static_cast<LockSet>(lock_sets_.size()));
  if (is_new) lock_sets_.push_back(thread.held);
  thread.locks = known->second;
}

void UnorderedPairs::give_up(Thread& thread, LockId lock) {
  const auto held = std::ranges::find(thread.held, lock, &HeldLock::lock);
  if (held != thread.held.end()) thread.held.erase(held);
  const auto [known, is_new] = known_lock_sets_.emplace(thread.held, static_cast<LockSet>(lock_sets_.size()));
  if (is_new) lock_sets_.push_back(thread.held);
  thread.locks = known->second;
}

bool UnorderedPairs::exclude_each_other(LockSet a, LockSet b) const {
  if (a == 0 || b == 0) return false;
  const auto& mine = lock_sets_[a];
  const auto& theirs = lock_sets_[b];
  for (auto m = mine.begin(), t = theirs.begin(); m != mine.end() && t != theirs.end();) {
    if (m->lock < t->lock) {
      ++m;
    } else if (t->lock < m->lock) {
      ++t;
    } else if (!(m->shared && t->shared)) {
      return true;
    } else {
      ++m;
      ++t;
    }
  }
  return false;
}

}  // namespace omen::vindicate
