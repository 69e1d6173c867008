/// \file
/// `accepts_witness` and `accepts_deadlock` of reordering_search.hpp. One function per clause of docs/event-model.md,
/// "Reorderings"; it shares only the vocabulary of definitions.hpp with the search.
#include <algorithm>
#include <set>

#include "test/judges/reordering_search.hpp"
#include "trace/well_formed.hpp"

namespace omen::judges {
namespace {

using Refusal = std::optional<std::string>;

class WitnessDefinition {
 public:
  WitnessDefinition(const Trace& trace, std::span<const std::size_t> witness, Notion notion, std::size_t pair = 2)
      : trace_(trace), witness_(witness), notion_(notion), pair_(pair), life_(lives(trace)) {}

  Refusal refusal() const {
    if (auto why = is_not_of_this_trace()) return why;  // the other clauses rely on valid indices
    if (pair_ != 0) {
      if (auto why = has_no_pair()) return why;
    }
    return is_no_reordering();
  }

 private:
  Refusal is_no_reordering() const {
    using Clause = Refusal (WitnessDefinition::*)() const;
    for (const Clause clause :
         {&WitnessDefinition::is_not_prefixes, &WitnessDefinition::is_not_well_formed,
          &WitnessDefinition::breaks_hard_edge, &WitnessDefinition::mixes_lives, &WitnessDefinition::breaks_notion}) {
      if (auto why = (this->*clause)()) return why;
    }
    return std::nullopt;
  }

  const Event& event(std::size_t i) const { return trace_.events[i]; }
  std::string text(std::size_t i) const { return std::to_string(i) + " (" + to_text(event(i), trace_.names) + ")"; }

  std::size_t first_of_pair() const { return witness_[witness_.size() - 2]; }
  std::size_t second_of_pair() const { return witness_.back(); }
  bool is_the_pair(std::size_t i, std::size_t j) const {
    return std::minmax(i, j) == std::minmax(first_of_pair(), second_of_pair());
  }

  Refusal is_not_of_this_trace() const {
    if (witness_.size() < pair_) return "a witness ends with a pair of events";
    std::set<std::size_t> seen;
    for (const std::size_t i : witness_) {
      if (i >= trace_.size()) return "the trace has no event " + std::to_string(i);
      if (!seen.insert(i).second) return "event " + text(i) + " is executed twice";
    }
    return std::nullopt;
  }

  Refusal has_no_pair() const {
    if (conflict(trace_, life_, first_of_pair(), second_of_pair())) return std::nullopt;
    return "events " + text(first_of_pair()) + " and " + text(second_of_pair()) + " do not conflict";
  }

  /// Every event comes after all events of its thread that precede it in the trace. The pair, of two threads, then are
  /// these threads' next events after the others.
  Refusal is_not_prefixes() const {
    std::vector<std::vector<std::size_t>> executed(trace_.threads());
    for (const std::size_t i : witness_) executed[index(event(i).thread)].push_back(i);
    for (std::size_t t = 0; t < executed.size(); ++t) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < trace_.size() && next < executed[t].size(); ++i) {
        if (index(event(i).thread) != t) continue;
        if (executed[t][next] != i) return "event " + text(executed[t][next]) + " comes before " + text(i);
        ++next;
      }
    }
    return std::nullopt;
  }

  Refusal is_not_well_formed() const {
    WellFormedness rules;
    for (const std::size_t i : witness_) {
      Event copy = event(i);
      if (auto legal = rules.check(copy, trace_.names); !legal) return "event " + text(i) + ": " + legal.error();
    }
    return std::nullopt;
  }

  /// Forks, joins and barriers: every event with an edge to an executed event was executed before it.
  Refusal breaks_hard_edge() const {
    for (const auto& edges : {fork_and_join_edges(trace_), barrier_edges(trace_)}) {
      for (const auto& [before, after] : edges) {
        if (!keeps(before, after)) return "event " + text(after) + " does not come after " + text(before);
      }
    }
    return std::nullopt;
  }

  /// `after` is not executed, or `before` is, and earlier.
  bool keeps(std::size_t before, std::size_t after) const {
    const auto at = std::ranges::find(witness_, after);
    return at == witness_.end() || std::find(witness_.begin(), at, before) != at;
  }

  /// The last event before `at` in `order` that satisfies `what`.
  template <class What>
  static std::optional<std::size_t> last_before(std::span<const std::size_t> order, std::size_t at, What what) {
    while (at-- > 0) {
      if (what(order[at])) return order[at];
    }
    return std::nullopt;
  }

  std::vector<std::size_t> trace_order() const {
    std::vector<std::size_t> order(trace_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    return order;
  }

  Refusal mixes_lives() const {
    const auto original = trace_order();
    for (std::size_t at = 0; at < witness_.size(); ++at) {
      const std::size_t i = witness_[at];
      if (!is_access(event(i).op)) continue;
      const auto begins_life = [&](std::size_t j) {
        return event(j).op == Op::Allocate && event(j).variable() == event(i).variable();
      };
      if (last_before(witness_, at, begins_life) != last_before(original, i, begins_life)) {
        return "event " + text(i) + " is executed in another life of its variable";
      }
    }
    return std::nullopt;
  }

  Refusal breaks_notion() const { return notion_ == Notion::Ca ? breaks_conflict_order() : changes_last_writer(); }

  Refusal breaks_conflict_order() const {
    for (std::size_t after = 0; after < trace_.size(); ++after) {
      for (std::size_t before = 0; before < after; ++before) {
        if (!must_keep_order(before, after) || is_the_pair(before, after) || keeps(before, after)) continue;
        return "event " + text(after) + " does not come after " + text(before);
      }
    }
    return std::nullopt;
  }

  bool must_keep_order(std::size_t i, std::size_t j) const {
    const auto is_atomic = [](Op op) { return op == Op::AtomicLoad || op == Op::AtomicStore || op == Op::AtomicRmw; };
    const Event& e = event(i);
    const Event& f = event(j);
    if (conflict(trace_, life_, i, j)) return true;
    return is_atomic(e.op) && is_atomic(f.op) && e.atomic() == f.atomic() &&
           (e.op != Op::AtomicLoad || f.op != Op::AtomicLoad);
  }

  Refusal changes_last_writer() const {
    const auto original = trace_order();
    for (std::size_t at = 0; at + pair_ < witness_.size(); ++at) {
      const std::size_t i = witness_[at];
      if (notion_ == Notion::Data && event(i).update) continue;
      if (last_writer(witness_, at) != last_writer(original, i)) {
        return "event " + text(i) + " does not have its last writer";
      }
      if (notion_ == Notion::Data && !returns_recorded_value(at)) {
        return "event " + text(i) + " does not return what it returned";
      }
    }
    return std::nullopt;
  }

  /// DATA: if the event at `at` of the witness reads, it returns its recorded value, as far as updates show.
  bool returns_recorded_value(std::size_t at) const {
    const auto writer = last_writer(witness_, at);
    if (writer != last_writer(trace_order(), witness_[at])) return false;
    return !writer || writes_recorded_value(*writer);
  }
  bool writes_recorded_value(std::size_t i) const {
    if (!event(i).update) return true;
    const auto at = [&](std::size_t j) {
      return static_cast<std::size_t>(std::ranges::find(witness_, j) - witness_.begin());
    };
    if (event(i).op == Op::AtomicRmw) return returns_recorded_value(at(i));
    const auto before =
        last_before(trace_order(), i, [&](std::size_t j) { return event(j).thread == event(i).thread; });
    const bool is_of_update = before && event(*before).op == Op::Read && event(*before).update &&
                              event(*before).variable() == event(i).variable();
    return !is_of_update || returns_recorded_value(at(*before));
  }

  /// The writer that the event at `at` of `order` sees; none for events that do not read, and none within a new life.
  std::optional<std::size_t> last_writer(std::span<const std::size_t> order, std::size_t at) const {
    const Event& reader = event(order[at]);
    if (reader.op == Op::Read) {
      const auto found = last_before(order, at, [&](std::size_t j) {
        const Event& e = event(j);
        return (is_write(e.op) || e.op == Op::Allocate) && e.variable() == reader.variable();
      });
      return found && event(*found).op == Op::Allocate ? std::nullopt : found;
    }
    if (reader.op == Op::AtomicLoad || reader.op == Op::AtomicRmw) {
      return last_before(order, at, [&](std::size_t j) {
        const Event& e = event(j);
        return (e.op == Op::AtomicStore || e.op == Op::AtomicRmw) && e.atomic() == reader.atomic();
      });
    }
    return std::nullopt;
  }

  const Trace& trace_;
  std::span<const std::size_t> witness_;
  Notion notion_;
  std::size_t pair_;  ///< the number of last events that race: 2, or none
  std::vector<std::size_t> life_;
};

/// True if event i, the next of its thread, must come after an event of thread u that is not in `done`.
bool waits_for(const Trace& trace, std::span<const std::size_t> done, std::size_t i, ThreadId u) {
  const Event& e = trace.events[i];
  const auto is_done = [&](std::size_t j) { return std::ranges::find(done, j) != done.end(); };
  for (const auto& edges : {fork_and_join_edges(trace), barrier_edges(trace)}) {
    for (const auto& [before, after] : edges) {
      if (after == i && trace.events[before].thread == u && !is_done(before)) return true;
    }
  }
  for (std::size_t f = 0; f < trace.size(); ++f) {
    if (trace.events[f].op == Op::Fork && trace.events[f].target() == e.thread && !is_done(f)) return false;
  }
  const bool takes = ((e.op == Op::Acquire || e.op == Op::AcquireShared) && e.order != kAttempt) || e.op == Op::Wake;
  return takes && std::ranges::any_of(sections(trace), [&](const Section& s) {
           const bool open = is_done(s.start) && !(s.end && is_done(*s.end));
           return open && s.thread == u && s.lock == e.lock() && !(s.shared && e.op == Op::AcquireShared);
         });
}

}  // namespace

bool accepts_witness(const Trace& trace, std::span<const std::size_t> witness, Notion notion, std::string* why) {
  const Refusal refusal = WitnessDefinition(trace, witness, notion).refusal();
  if (refusal && why != nullptr) *why = *refusal;
  return !refusal;
}

bool accepts_deadlock(const Trace& trace, std::span<const std::size_t> witness, std::size_t requests, std::string* why,
                      Notion notion) {
  const auto refuse = [&](const std::string& reason) {
    if (why != nullptr) *why = reason;
    return false;
  };
  if (requests < 2 || witness.size() < requests) return refuse("too short");
  const auto done = witness.first(witness.size() - requests);
  const auto cycle = witness.last(requests);
  if (const Refusal refusal = WitnessDefinition(trace, done, notion, 0).refusal()) return refuse(*refusal);
  std::set<ThreadId> threads;
  for (const std::size_t i : cycle) {
    if (i >= trace.size()) return refuse("no event " + std::to_string(i));
    if (!threads.insert(trace.events[i].thread).second) return refuse("two requests of one thread");
    for (std::size_t j = 0; j <= i; ++j) {
      if (trace.events[j].thread != trace.events[i].thread) continue;
      if ((std::ranges::find(done, j) != done.end()) != (j != i))
        return refuse("request " + std::to_string(i) + " is not next");
    }
  }
  for (std::size_t n = 0; n < cycle.size(); ++n) {
    const ThreadId next = trace.events[cycle[(n + 1) % cycle.size()]].thread;
    if (!waits_for(trace, done, cycle[n], next))
      return refuse("request " + std::to_string(cycle[n]) + " does not wait");
  }
  return true;
}

}  // namespace omen::judges
