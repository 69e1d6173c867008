#include "trace/well_formed.hpp"

#include <algorithm>

#include "trace/quote.hpp"

namespace omen {
namespace {

using Result = std::expected<void, std::string>;

std::unexpected<std::string> refuse(std::string why) {
  return std::unexpected<std::string>(std::move(why));
}

std::uint64_t key(ThreadId t, std::uint32_t operand) {
  return (std::uint64_t{static_cast<std::uint32_t>(t)} << 32) | operand;
}

}  // namespace

WellFormedness::Thread& WellFormedness::thread(ThreadId id) {
  if (index(id) >= threads_.size()) threads_.resize(index(id) + 1);
  return threads_[index(id)];
}

WellFormedness::Lock& WellFormedness::lock(LockId id) {
  if (index(id) >= locks_.size()) locks_.resize(index(id) + 1);
  return locks_[index(id)];
}

Result WellFormedness::check_slowly(Event& event, const Names& names) {
  event.nested = false;
  if (auto entered = enter(event, names); !entered) return entered;
  switch (event.op) {
    case Op::Acquire:
      return acquire(event, names);
    case Op::Release:
      return release(event, names);
    case Op::AcquireShared:
      return acquire_shared(event, names);
    case Op::ReleaseShared:
      return release_shared(event, names);
    case Op::Wait:
      return wait(event, names);
    case Op::Wake:
      return wake(event, names);
    case Op::Fork:
      return fork(event, names);
    case Op::Join:
      return join(event, names);
    case Op::BarrierArrive:
      ++arrivals_[key(event.thread, event.operand)];
      return {};
    case Op::BarrierLeave:
      return leave(event, names);
    case Op::End:
      thread(event.thread).phase = Phase::Ended;
      return {};
    default:
      return {};
  }
}

/// True if this thread may execute anything now, and this event in particular.
Result WellFormedness::enter(const Event& event, const Names& names) {
  Thread& self = thread(event.thread);
  const auto who = [&] { return "thread " + quoted(names.of(event.thread)); };
  switch (self.phase) {
    case Phase::Unborn:
    case Phase::Forked:
      self.phase = Phase::Running;
      return {};
    case Phase::Running:
      if (event.op == Op::Begin) return refuse("expected begin to be the first event of " + who());
      return {};
    case Phase::Waiting:
      if (event.op == Op::Wake && event.lock() == self.waits_for) return {};
      return refuse("expected " + who() + " to wake from its wait for lock " + quoted(names.of(self.waits_for)) +
                    " before it does anything else");
    case Phase::Ended:
      return refuse("expected nothing more of " + who() + ", which has ended");
    case Phase::Joined:
      return refuse("expected nothing more of " + who() + ", which has been joined");
  }
  return {};
}

Result WellFormedness::acquire(Event& event, const Names& names) {
  Lock& m = lock(event.lock());
  if (m.depth != 0 && m.holder != event.thread) {
    return refuse("expected lock " + quoted(names.of(event.lock())) + " to be free; thread " +
                  quoted(names.of(m.holder)) + " holds it");
  }
  if (!m.readers.empty()) {
    return refuse("expected lock " + quoted(names.of(event.lock())) + " to be free; thread " +
                  quoted(names.of(m.readers.front().first)) + " holds it shared");
  }
  event.nested = m.depth != 0;
  m.holder = event.thread;
  ++m.depth;
  return {};
}

Result WellFormedness::release(Event& event, const Names& names) {
  Lock& m = lock(event.lock());
  if (m.depth == 0 || m.holder != event.thread) {
    return refuse("expected a lock that thread " + quoted(names.of(event.thread)) + " holds; it does not hold " +
                  quoted(names.of(event.lock())));
  }
  --m.depth;
  event.nested = m.depth != 0;
  return {};
}

Result WellFormedness::acquire_shared(Event& event, const Names& names) {
  Lock& m = lock(event.lock());
  if (m.depth != 0) {
    return refuse("expected lock " + quoted(names.of(event.lock())) + " not to be held exclusively; thread " +
                  quoted(names.of(m.holder)) + " holds it so");
  }
  const auto mine = std::ranges::find(m.readers, event.thread, &std::pair<ThreadId, std::uint32_t>::first);
  event.nested = mine != m.readers.end();
  if (event.nested) {
    ++mine->second;
  } else {
    m.readers.emplace_back(event.thread, 1);
  }
  return {};
}

Result WellFormedness::release_shared(Event& event, const Names& names) {
  Lock& m = lock(event.lock());
  const auto mine = std::ranges::find(m.readers, event.thread, &std::pair<ThreadId, std::uint32_t>::first);
  if (mine == m.readers.end()) {
    return refuse("expected a lock that thread " + quoted(names.of(event.thread)) + " holds shared; it does not hold " +
                  quoted(names.of(event.lock())) + " so");
  }
  --mine->second;
  event.nested = mine->second != 0;
  if (!event.nested) {
    *mine = m.readers.back();
    m.readers.pop_back();
  }
  return {};
}

Result WellFormedness::wait(const Event& event, const Names& names) {
  Lock& m = lock(event.lock());
  if (m.depth == 0 || m.holder != event.thread) {
    return refuse("expected a wait to give up a lock that thread " + quoted(names.of(event.thread)) +
                  " holds; it does not hold " + quoted(names.of(event.lock())));
  }
  wait_depth_[key(event.thread, event.operand)] = m.depth;
  m.depth = 0;
  Thread& self = thread(event.thread);
  self.phase = Phase::Waiting;
  self.waits_for = event.lock();
  return {};
}

Result WellFormedness::wake(const Event& event, const Names& names) {
  Thread& self = thread(event.thread);
  if (self.phase != Phase::Waiting) {
    return refuse("expected a wait for lock " + quoted(names.of(event.lock())) + " before this wake of thread " +
                  quoted(names.of(event.thread)));
  }
  Lock& m = lock(event.lock());
  if (m.depth != 0 || !m.readers.empty()) {
    const ThreadId other = m.depth != 0 ? m.holder : m.readers.front().first;
    return refuse("expected lock " + quoted(names.of(event.lock())) + " to be free; thread " + quoted(names.of(other)) +
                  " holds it");
  }
  const auto depth = wait_depth_.find(key(event.thread, event.operand));
  m.holder = event.thread;
  m.depth = depth->second;
  wait_depth_.erase(depth);
  self.phase = Phase::Running;
  return {};
}

Result WellFormedness::fork(const Event& event, const Names& names) {
  if (event.target() == event.thread) {
    return refuse("expected thread " + quoted(names.of(event.thread)) + " to fork another thread, not itself");
  }
  Thread& child = thread(event.target());
  if (child.phase != Phase::Unborn) {
    const std::string why = child.phase == Phase::Forked   ? "it was forked before"
                            : child.phase == Phase::Joined ? "it was joined before"
                                                           : "it has run before";
    return refuse("expected a fork of a new thread, not of " + quoted(names.of(event.target())) + ": " + why);
  }
  child.phase = Phase::Forked;
  return {};
}

Result WellFormedness::join(const Event& event, const Names& names) {
  if (event.target() == event.thread) {
    return refuse("expected thread " + quoted(names.of(event.thread)) + " to join another thread, not itself");
  }
  Thread& child = thread(event.target());
  if (child.phase == Phase::Waiting) {
    return refuse("expected a join of a thread that can end; " + quoted(names.of(event.target())) +
                  " still waits for lock " + quoted(names.of(child.waits_for)));
  }
  child.phase = Phase::Joined;
  return {};
}

Result WellFormedness::leave(const Event& event, const Names& names) {
  const auto pending = arrivals_.find(key(event.thread, event.operand));
  if (pending == arrivals_.end()) {
    return refuse("expected thread " + quoted(names.of(event.thread)) + " to arrive at barrier " +
                  quoted(names.of(OperandKind::Barrier)[event.operand]) + " before it leaves");
  }
  if (--pending->second == 0) arrivals_.erase(pending);
  return {};
}

}  // namespace omen
