#include "relax/replay.hpp"

#include <algorithm>
#include <optional>

#include "trace/well_formed.hpp"

namespace omen::relax {
namespace {

using values::Act;
using values::ValueEvent;
using values::ValueTrace;

class Replay {
 public:
  Replay(const ValueTrace& trace, const Turn& turn)
      : trace_(trace),
        turn_(turn),
        program_(trace.threads()),
        next_(trace.threads(), 0),
        forked_by_other_(trace.threads(), false),
        forked_(trace.threads(), false),
        values_(trace.expressions.values(), 0) {
    for (const values::Cell& cell : trace.cells) memory_.push_back(content_at_first(cell));
    for (const values::Cell& atomic : trace.atomics) atomics_.push_back(content_at_first(atomic));
    recorded_.reserve(trace.size());
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      const ValueEvent& e = trace.events[i];
      remember(i, e);
      if (e.act == Act::Fork) forked_by_other_[e.operand] = true;
      const bool turned = turn.path != nullptr && i >= turn.branch && e.thread == trace.events[turn.branch].thread;
      if (!turned) program_[index(e.thread)].push_back(i);
    }
    for (Content& content : memory_) content.writer = content.life = kNobody;
    for (Content& content : atomics_) content.writer = content.life = kNobody;
    if (turn.path == nullptr) return;
    auto& own = program_[index(trace.events[turn.branch].thread)];
    for (std::uint32_t i = 0; i < turn.path->events.size(); ++i) {
      own.push_back(static_cast<std::uint32_t>(trace.size()) + i);
      if (turn.path->events[i].act == Act::Fork) forked_by_other_[turn.path->events[i].operand] = true;
    }
  }

  bool step(std::uint32_t number) {
    const ValueEvent* e = arrive(number);
    if (e == nullptr) return false;
    const std::size_t t = index(e->thread);
    Event plain = values::event_of(*e);
    if (const auto legal = rules_.check(plain, trace_.names); !legal) return refuse(number, legal.error());
    std::uint64_t value = 0;
    switch (e->act) {
      case Act::Read:
      case Act::Write:
      case Act::AtomicLoad:
      case Act::AtomicStore:
      case Act::AtomicRmw:
      case Act::Allocate:
      case Act::Free:
        if (!touch(number, *e, value)) return false;
        break;
      case Act::Fork:
        forked_[e->operand] = true;
        break;
      case Act::Join:
        if (!finished(e->operand)) return refuse(number, "joins a thread that has not done all its events");
        break;
      default:
        break;
    }
    ++next_[t];
    const bool has_value = e->value != values::kNoValue || e->expr != values::kNoExpr;
    if (has_value) result_.accesses.push_back({number, value});
    if (e->act != Act::Begin && e->act != Act::End) result_.witness.steps.push_back(step_of(*e, value));
    return true;
  }

  bool race(std::uint32_t first, std::uint32_t second) {
    const ValueEvent* a = arrive(first);
    const ValueEvent* b = a == nullptr ? nullptr : arrive(second);
    if (b == nullptr) return false;
    const auto races = [](const ValueEvent& e) { return values::is_access(e.act) || e.act == Act::Free; };
    if (!in_its_life(first, *a) || !in_its_life(second, *b)) return false;
    if (!races(*a) || !races(*b) || a->operand != b->operand || a->thread == b->thread ||
        (a->act == Act::Read && b->act == Act::Read)) {
      return refuse(second, "does not conflict with event " + std::to_string(first));
    }
    result_.witness.first = step_of(*a, 0);
    result_.witness.second = step_of(*b, 0);
    return true;
  }

  Replayed& result() { return result_; }
  const std::string& refusal() const { return refusal_; }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Content {
    std::optional<std::uint64_t> value;
    std::uint32_t writer = kNobody;  ///< an event
    std::uint32_t life = kNobody;    ///< the latest allocation
  };

  static Content content_at_first(const values::Cell& cell) {
    return {cell.initial_known ? std::optional(cell.initial) : std::nullopt, kNobody, kNobody};
  }
  Content& content_of(const ValueEvent& e) { return (values::is_atomic(e.act) ? atomics_ : memory_)[e.operand]; }
  static bool touches(Act act) {
    return values::reads_memory(act) || values::writes_memory(act) || act == Act::Allocate || act == Act::Free;
  }

  /// Of the recorded order: who wrote last what an event reads, and in which life it stands.
  void remember(std::uint32_t number, const ValueEvent& e) {
    recorded_.emplace_back();
    if (!touches(e.act)) return;
    Content& content = content_of(e);
    recorded_.back() = {std::nullopt, content.writer, content.life};
    if (e.act == Act::Allocate) content.life = number;
    if (e.act != Act::Read && e.act != Act::AtomicLoad) content.writer = number;
  }

  bool in_its_life(std::uint32_t number, const ValueEvent& e) {
    if (number >= recorded_.size() || values::is_atomic(e.act) || e.act == Act::Allocate) return true;
    if (content_of(e).life == recorded_[number].life) return true;
    return refuse(number, "stands in another life of its memory");
  }

  /// An act on memory.
  bool touch(std::uint32_t number, const ValueEvent& e, std::uint64_t& value) {
    if (!in_its_life(number, e)) return false;
    Content& content = content_of(e);
    if (values::reads_memory(e.act)) {
      if (trace_.cell_of(e).is_opaque()) {
        if (number < recorded_.size() && content.writer != recorded_[number].writer) {
          return refuse(number, "does not see its recorded writer");
        }
      } else if (!content.value) {
        return refuse(number, "reads what has no known value");
      } else {
        value = values_[static_cast<std::size_t>(e.value)] = *content.value;
      }
    }
    if (e.act == Act::Read || e.act == Act::AtomicLoad) return true;
    if (e.act == Act::Allocate) content.life = number;
    content.writer = number;
    content.value.reset();
    if (e.expr != values::kNoExpr) {
      content.value = trace_.expressions.evaluate(e.expr, values_);
      if (e.act != Act::AtomicRmw) value = *content.value;
    }
    return true;
  }

  static values::Step step_of(const ValueEvent& e, std::uint64_t value) {
    return {e.thread, e.act, e.operand, e.location, value};
  }

  bool refuse(std::uint32_t number, const std::string& why) {
    refusal_ =
        "event " + std::to_string(number) + " (" + to_text(event_at(trace_, turn_, number), trace_) + "): " + why;
    return false;
  }

  /// Does what the event's thread computes before it; null if the event is then not the thread's next.
  const ValueEvent* arrive(std::uint32_t number) {
    const std::size_t limit = trace_.size() + (turn_.path == nullptr ? 0 : turn_.path->events.size());
    if (number >= limit) {
      refusal_ = "there is no event " + std::to_string(number);
      return nullptr;
    }
    const ValueEvent& e = event_at(trace_, turn_, number);
    const std::size_t t = index(e.thread);
    if (forked_by_other_[t] && !forked_[t]) {
      refuse(number, "comes before the fork of its thread");
      return nullptr;
    }
    if (!compute(t)) return nullptr;
    if (next_[t] >= program_[t].size() || program_[t][next_[t]] != number) {
      refuse(number, "is not the next of its thread");
      return nullptr;
    }
    return &e;
  }

  /// The thread's local acts, up to its next event that is none.
  bool compute(std::size_t t) {
    for (; next_[t] < program_[t].size(); ++next_[t]) {
      const std::uint32_t number = program_[t][next_[t]];
      const ValueEvent& e = event_at(trace_, turn_, number);
      if (!values::is_local(e.act)) return true;
      const std::uint64_t value = trace_.expressions.evaluate(e.expr, values_);
      if (e.act == Act::Assign) {
        values_[static_cast<std::size_t>(e.value)] = value;
      } else if (value != e.recorded) {
        return refuse(number, "comes out as " + std::to_string(value));
      }
    }
    return true;
  }

  bool finished(std::size_t t) {
    const bool turned = turn_.path != nullptr && index(trace_.events[turn_.branch].thread) == t;
    if (turned && !turn_.path->complete) return false;
    if (forked_by_other_[t] && !forked_[t]) return false;
    return compute(t) && next_[t] == program_[t].size();
  }

  const ValueTrace& trace_;
  const Turn& turn_;
  std::vector<std::vector<std::uint32_t>> program_;  ///< of each thread: its events
  std::vector<std::size_t> next_;                    ///< of each thread: how many it has done
  std::vector<bool> forked_by_other_;                ///< of each thread: some event forks it
  std::vector<bool> forked_;
  std::vector<Content> memory_;
  std::vector<Content> atomics_;
  std::vector<Content> recorded_;  ///< of each event of the trace: the last writer and the life before it
  std::vector<std::uint64_t> values_;
  WellFormedness rules_;
  Replayed result_;
  std::string refusal_;
};

}  // namespace

const ValueEvent& event_at(const ValueTrace& trace, const Turn& turn, std::uint32_t event) {
  return event < trace.size() ? trace.events[event] : turn.path->events[event - trace.size()];
}

std::expected<Replayed, std::string> replay(const ValueTrace& trace, const Turn& turn,
                                            std::span<const std::uint32_t> schedule, std::uint32_t first,
                                            std::uint32_t second) {
  Replay run(trace, turn);
  for (const std::uint32_t event : schedule) {
    if (!run.step(event)) return std::unexpected(run.refusal());
  }
  if (!run.race(first, second)) return std::unexpected(run.refusal());
  return std::move(run.result());
}

}  // namespace omen::relax
