#include "report/build_deadlocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/describe.hpp"
#include "report/schedule.hpp"
#include "report/trace_scan.hpp"

namespace omen::report {
namespace {

HeldLock describe_lock(const SourceMap& map, const Event& taken, bool with_stack) {
  HeldLock lock;
  lock.label = map.label(taken.lock());
  lock.name = map.global_name(taken.lock());
  if (const auto place = parse_place(map.trace().names.of(taken.lock()))) lock.address = place->address;
  lock.shared = taken.op == Op::AcquireShared;
  if (with_stack) lock.acquired = map.stack(taken);
  return lock;
}

std::string who(const Deadlock& deadlock, std::uint32_t id) {
  const Thread* const thread = deadlock.thread(id);
  return thread == nullptr ? fmt::format("T{}", id) : thread->label;
}

}  // namespace

std::string lock_title(const HeldLock& lock) {
  return lock.name.empty() ? lock.label : fmt::format("{} '{}'", lock.label, lock.name);
}

std::string waiting_words(const Deadlock& deadlock, std::size_t n) {
  const WaitingThread& one = deadlock.waiting[n];
  const std::string other = who(deadlock, deadlock.waiting[(n + 1) % deadlock.waiting.size()].thread);
  switch (one.waits) {
    case WaitsFor::Lock:
      return fmt::format("waits for {}, which {} holds", one.wants ? lock_title(*one.wants) : "a lock", other);
    case WaitsFor::End:
      return fmt::format("waits for {} to end", other);
    case WaitsFor::Barrier:
      return fmt::format("waits for {} to reach the barrier", other);
    case WaitsFor::Creation:
      return fmt::format("waits for {} to create it", other);
  }
  return {};
}

std::vector<Deadlock> build_deadlocks(const SourceMap& map, const ReplayPlanner& planner,
                                      const std::vector<DeadlockCandidate>& candidates, const DeadlockStyle& style) {
  if (candidates.empty()) return {};
  const Trace& trace = map.trace();
  std::vector<std::uint64_t> events;
  for (const DeadlockCandidate& candidate : candidates) {
    for (const auto& member : candidate.members) events.push_back(member.request);
  }
  const TraceScan scanned = scan(trace, events);
  std::vector<Deadlock> all;
  for (const DeadlockCandidate& candidate : candidates) {
    Deadlock& deadlock = all.emplace_back();
    deadlock.method = candidate.method;
    deadlock.model = candidate.model;
    deadlock.count = candidate.count;
    std::vector<LockHeld> held;
    std::vector<std::uint64_t> requests;
    std::vector<std::uint32_t> mentioned;
    for (const auto& member : candidate.members) {
      const Event& request = trace.events[member.request];
      WaitingThread& one = deadlock.waiting.emplace_back();
      one.event = member.request;
      one.thread = static_cast<std::uint32_t>(request.thread);
      one.waits = member.waits;
      if (member.waits == WaitsFor::Lock) one.wants = describe_lock(map, request, false);
      if (member.holds_since) one.holds = describe_lock(map, trace.events[*member.holds_since], true);
      one.stack = map.stack(request);
      requests.push_back(member.request);
      mentioned.push_back(one.thread);
      const auto& mine = scanned.held.at(member.request);
      held.insert(held.end(), mine.begin(), mine.end());
    }
    const std::span<const std::uint32_t> witness(candidate.witness);
    deadlock.witness_size = witness.size();
    deadlock.schedule = short_schedule(map, witness, held, style.schedule_lines, requests.size());
    for (const ScheduleStep& step : deadlock.schedule) {
      if (step.thread) mentioned.push_back(*step.thread);
    }
    deadlock.threads = describe_threads(map, std::move(mentioned), scanned.finished);
    // A request is not executed: its step shows what the thread waits for.
    const std::size_t shown = std::min(requests.size(), deadlock.schedule.size());
    for (std::size_t i = 0; i < shown; ++i) {
      deadlock.schedule[deadlock.schedule.size() - shown + i].text =
          waiting_words(deadlock, requests.size() - shown + i);
    }
    auto plan = planner.plan_deadlock(witness.first(witness.size() - requests.size()), requests);
    if (plan) {
      deadlock.replay = std::move(*plan);
    } else {
      deadlock.no_replay = std::move(plan.error());
    }
    if (witness.size() <= style.longest_witness) deadlock.witness = candidate.witness;
    deadlock.fingerprint = fingerprint(deadlock);
  }
  return all;
}

std::string deadlock_words(const Deadlock& deadlock) {
  std::string words;
  for (std::size_t i = 0; i < deadlock.waiting.size(); ++i) {
    const std::uint32_t id = deadlock.waiting[i].thread;
    const Thread* const thread = deadlock.thread(id);
    words += fmt::format("{}{} {}", i == 0 ? "" : ", ", thread != nullptr ? thread->label : fmt::format("T{}", id),
                         waiting_words(deadlock, i));
  }
  return words;
}

}  // namespace omen::report
