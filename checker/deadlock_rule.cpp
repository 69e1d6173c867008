/// \file
/// The rule for deadlocks: after a correct reordering, threads wait for each other in a cycle. The locks that a thread
/// holds follow from the events that it has executed, so this file derives them from these.
#include <algorithm>
#include <utility>

#include "checker/checker.hpp"

namespace omen::checker {

/// After the events `done`. Counts depths itself: `Event::nested` is not trusted.
bool Checker::holds(ThreadId thread, LockId lock, bool also_shared, std::span<const std::uint32_t> done) const {
  std::uint32_t exclusive = 0;
  std::uint32_t shared = 0;
  std::uint32_t given_up = 0;  // depth released by a wait that has not ended
  for (const std::uint32_t i : done) {
    const Event& e = trace_.events[i];
    if (e.thread != thread || traits(e.op).operand != OperandKind::Lock || e.lock() != lock) continue;
    if (e.op == Op::Acquire) ++exclusive;
    if (e.op == Op::Release) --exclusive;
    if (e.op == Op::AcquireShared) ++shared;
    if (e.op == Op::ReleaseShared) --shared;
    if (e.op == Op::Wait) given_up = std::exchange(exclusive, 0);
    if (e.op == Op::Wake) exclusive = std::exchange(given_up, 0);
  }
  return exclusive != 0 || (also_shared && shared != 0);
}

/// True if the request cannot be executed before the thread has done something more.
bool Checker::waits(std::uint32_t request, ThreadId thread, const Run& after,
                    std::span<const std::uint32_t> done) const {
  const Event& e = trace_.events[request];
  const auto is_to_come = [&](std::uint32_t event) {
    return trace_.events[event].thread == thread && after.done_of(thread) <= position_[event];
  };
  if (!after.forked(e.thread)) return is_to_come(fork_[index(e.thread)]);
  switch (e.op) {
    case Op::Acquire:
    case Op::AcquireShared:
      return e.order != kAttempt && holds(thread, e.lock(), e.op == Op::Acquire, done);
    case Op::Wake:
      return holds(thread, e.lock(), true, done);
    case Op::Join:
      if (e.target() == thread) return after.done_of(thread) < events_[index(thread)];
      return !after.forked(e.target()) && is_to_come(fork_[index(e.target())]);
    case Op::BarrierLeave:
      for (std::uint32_t i = 0; i < request; ++i) {
        const Event& arrival = trace_.events[i];
        if (arrival.op == Op::BarrierArrive && saw_[i] == saw_[request] && arrival.barrier() == e.barrier() &&
            is_to_come(i)) {
          return true;
        }
      }
      return false;
    default:
      return false;
  }
}

std::expected<void, Refusal> Checker::accepts_deadlock(std::span<const std::uint32_t> witness, std::size_t requests,
                                                       Model model) const {
  if (requests < 2 || witness.size() < requests) {
    return std::unexpected(Refusal{witness.size(), "the witness of a deadlock ends with two requests or more"});
  }
  const auto done = witness.first(witness.size() - requests);
  const auto cycle = witness.last(requests);
  Run run(*this, model);
  for (const std::uint32_t event : done) {
    if (!run.step(event)) return std::unexpected(run.refusal());
  }
  for (std::size_t i = 0; i < requests; ++i) {
    const auto refuse = [&](std::string reason) {
      return std::unexpected(Refusal{done.size() + i, std::move(reason)});
    };
    const std::uint32_t request = cycle[i];
    if (request >= trace_.size()) return refuse("the trace has no event " + std::to_string(request));
    const ThreadId thread = trace_.events[request].thread;
    const bool known =
        std::ranges::any_of(cycle.first(i), [&](std::uint32_t other) { return trace_.events[other].thread == thread; });
    if (known) return refuse("event " + text(request) + " is the second request of its thread");
    if (!run.is_next(request)) return refuse("event " + text(request) + " is not the next of its thread");
  }
  for (std::size_t i = 0; i < requests; ++i) {
    const std::uint32_t next = cycle[(i + 1) % requests];
    if (waits(cycle[i], trace_.events[next].thread, run, done)) continue;
    return std::unexpected(Refusal{done.size() + i, "event " + text(cycle[i]) + " does not wait for thread '" +
                                                        trace_.names.of(trace_.events[next].thread) + "'"});
  }
  return {};
}

}  // namespace omen::checker
