#include "checker/checker.hpp"

#include <unordered_map>
#include <utility>

namespace omen::checker {
namespace {

/// The rounds of a barrier, while the trace is read.
struct Barrier {
  std::uint32_t current = 0;
  bool open = false;  ///< no thread has left the current round
  std::unordered_map<ThreadId, std::uint32_t> round_of;
};

}  // namespace

Checker::Checker(const Trace& trace, Model model)
    : trace_(trace),
      model_(model),
      position_(trace.size()),
      saw_(trace.size(), kNone),
      events_(trace.threads(), 0),
      fork_(trace.threads(), kNone) {
  OMEN_CHECK(trace.size() < kNone);
  const std::size_t variables = trace.names.of(OperandKind::Variable).size();
  std::vector<std::uint32_t> touched(variables, kNone);
  std::vector<std::uint32_t> allocated(variables, kNone);
  std::vector<std::uint32_t> stored(trace.names.of(OperandKind::Atomic).size(), kNone);
  std::vector<Barrier> barriers(trace.names.of(OperandKind::Barrier).size());
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace.events[i];
    position_[i] = events_[index(e.thread)]++;
    switch (e.op) {
      case Op::Read:
        saw_[i] = touched[e.operand];
        break;
      case Op::Write:
      case Op::Free:
        saw_[i] = allocated[e.operand];
        touched[e.operand] = i;
        break;
      case Op::Allocate:
        allocated[e.operand] = touched[e.operand] = i;
        break;
      case Op::AtomicLoad:
        saw_[i] = stored[e.operand];
        break;
      case Op::AtomicRmw:
        saw_[i] = stored[e.operand];
        [[fallthrough]];
      case Op::AtomicStore:
        stored[e.operand] = i;
        break;
      case Op::BarrierArrive: {
        Barrier& b = barriers[e.operand];
        if (!b.open) {
          b.current = static_cast<std::uint32_t>(arrivals_.size());
          b.open = true;
          arrivals_.push_back(0);
        }
        saw_[i] = b.round_of[e.thread] = b.current;
        ++arrivals_[b.current];
        break;
      }
      case Op::BarrierLeave: {
        Barrier& b = barriers[e.operand];
        saw_[i] = b.round_of.at(e.thread);
        if (saw_[i] == b.current) b.open = false;
        break;
      }
      case Op::Fork:
        fork_[index(e.target())] = i;
        break;
      default:
        break;
    }
  }
}

/// The allocation that began the life of the access; `kNone`: the first life.
std::uint32_t Checker::life_of(std::uint32_t access) const {
  const std::uint32_t saw = saw_[access];
  const bool saw_write = saw != kNone && is_write(trace_.events[saw].op);
  return saw_write ? saw_[saw] : saw;
}

bool Checker::conflict(std::uint32_t e, std::uint32_t f) const {
  const Event& a = trace_.events[e];
  const Event& b = trace_.events[f];
  return is_access(a.op) && is_access(b.op) && a.variable() == b.variable() && a.thread != b.thread &&
         (is_write(a.op) || is_write(b.op)) && life_of(e) == life_of(f);
}

std::string Checker::text(std::uint32_t event) const {
  return std::to_string(event) + " (" + to_text(trace_.events[event], trace_.names) + ")";
}

Checker::Run::Run(const Checker& of, Model model)
    : of_(of),
      model_(model),
      done_(of.events_.size(), 0),
      cells_(of.trace_.names.of(OperandKind::Variable).size()),
      stored_(of.trace_.names.of(OperandKind::Atomic).size(), kNone),
      arrived_(of.arrivals_.size(), 0) {
  if (model == Model::Data) reads_.resize(of.events_.size());
}

bool Checker::Run::refuse(std::string reason) {
  refusal_ = {steps_, std::move(reason)};
  return false;
}

bool Checker::Run::step(std::uint32_t event) {
  return enter(event, /*racing=*/false);
}

bool Checker::Run::race(std::uint32_t one, std::uint32_t other) {
  if (!enter(one, /*racing=*/true) || !enter(other, /*racing=*/true)) return false;
  if (of_.conflict(one, other)) return true;
  --steps_;
  return refuse("events " + of_.text(one) + " and " + of_.text(other) + " do not conflict");
}

/// Checks program order, prefixes, that no event occurs twice, that a forked thread runs after its fork, and that the
/// result is well formed.
bool Checker::Run::enter(std::uint32_t i, bool racing) {
  if (i >= of_.trace_.size()) return refuse("the trace has no event " + std::to_string(i));
  Event e = of_.trace_.events[i];
  std::uint32_t& done = done_[index(e.thread)];
  if (of_.position_[i] != done) {
    return refuse("event " + of_.text(i) + " is number " + std::to_string(of_.position_[i]) +
                  " of its thread, expected number " + std::to_string(done));
  }
  if (done == 0 && !forked(e.thread)) return refuse("event " + of_.text(i) + " comes before the fork of its thread");
  ++done;
  if (const auto legal = rules_.check(e, of_.trace_.names); !legal) {
    return refuse("event " + of_.text(i) + ": " + legal.error());
  }
  if (!execute(i, e, racing)) return false;
  ++steps_;
  return true;
}

bool Checker::Run::forked(ThreadId t) const {
  const std::uint32_t fork = of_.fork_[index(t)];
  return fork == kNone || of_.position_[fork] < done_[index(of_.trace_.events[fork].thread)];
}

/// Checks that each event sees what it saw in the trace. A racing read keeps its life, not its writer; a racing event
/// that is not an access is rejected with the pair.
bool Checker::Run::execute(std::uint32_t i, const Event& e, bool racing) {
  if (e.update && !racing && model_ == Model::Data) return update(i, e);
  const std::uint32_t saw = of_.saw_[i];
  if (is_access(
          e.op)) {  // most events; reads and writes come in an unpredictable order, so there is no branch between them
    Cell& cell = cells_[e.operand];
    const bool reads = e.op == Op::Read;
    const std::uint32_t sees = reads && !racing ? cell.touched : cell.allocated;
    const std::uint32_t expected = racing ? of_.life_of(i) : saw;
    if (sees != expected) return sees_another(i, sees, expected);
    cell.touched = reads ? cell.touched : i;
    return true;
  }
  switch (e.op) {
    case Op::Allocate:
      cells_[e.operand] = {i, i};
      return true;
    case Op::AtomicLoad:
    case Op::AtomicRmw:
      if (!racing && stored_[e.operand] != saw) return sees_another(i, stored_[e.operand], saw);
      if (e.op == Op::AtomicRmw) stored_[e.operand] = i;
      return true;
    case Op::AtomicStore:
      stored_[e.operand] = i;
      return true;
    case Op::BarrierArrive:
      ++arrived_[saw];
      return true;
    case Op::BarrierLeave:  // in the trace, all arrivals of a round come before its leaves
      if (arrived_[saw] == of_.arrivals_[saw]) return true;
      return refuse("event " + of_.text(i) + " leaves its barrier after " + std::to_string(arrived_[saw]) + " of " +
                    std::to_string(of_.arrivals_[saw]) + " arrivals");
    case Op::Join: {
      const std::size_t child = index(e.target());
      if (done_[child] == of_.events_[child] && forked(e.target())) return true;
      return refuse("event " + of_.text(i) + " joins a thread that has not done all its events");
    }
    default:
      return true;
  }
}

/// A read of an update may see any writer in its life. The value written is the recorded one if the value read, by the
/// thread's previous event, is. A write without such a read is an ordinary one.
bool Checker::Run::update(std::uint32_t i, const Event& e) {
  const std::uint32_t saw = of_.saw_[i];
  if (e.op == Op::AtomicRmw) {
    std::uint32_t& stored = stored_[e.operand];
    stored = stored == saw ? i : kChanged;
    return true;
  }
  Cell& cell = cells_[e.operand];
  const std::uint32_t life = of_.life_of(i);
  if (cell.allocated != life) return sees_another(i, cell.allocated, life);
  UpdateRead& read = reads_[index(e.thread)];
  if (e.op == Op::Read) {
    read = {i, cell.touched == saw};
    return true;
  }
  const bool writes_what_was_read = read.event != kNone && of_.position_[read.event] + 1 == of_.position_[i] &&
                                    of_.trace_.events[read.event].operand == e.operand;
  cell.touched = writes_what_was_read && !read.kept ? kChanged : i;
  return true;
}

bool Checker::Run::sees_another(std::uint32_t i, std::uint32_t sees, std::uint32_t saw) {
  const auto event = [&](std::uint32_t seen) {
    if (seen == kChanged) return std::string("an update of another value");
    return seen == kNone ? "no earlier event" : "event " + of_.text(seen);
  };
  return refuse("event " + of_.text(i) + " sees " + event(sees) + "; in the trace it sees " + event(saw));
}

std::expected<void, Refusal> Checker::accepts(std::span<const std::uint32_t> witness, Model model) const {
  const std::size_t n = witness.size();
  if (n < 2) return std::unexpected(Refusal{n, "a witness ends with a pair of events"});
  Run run(*this, model);
  for (const std::uint32_t event : witness.first(n - 2)) {
    if (!run.step(event)) return std::unexpected(run.refusal());
  }
  if (!run.race(witness[n - 2], witness[n - 1])) return std::unexpected(run.refusal());
  return {};
}

}  // namespace omen::checker
