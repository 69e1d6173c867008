#include "test/judges/reordering_search.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "trace/error.hpp"

namespace omen::judges {
namespace {

/// One byte each: how many events of each thread were executed; then the last writer of each cell, as 1 + its index,
/// where a cell is a variable or an atomic (LW and DATA); then the current life of each variable; then (DATA) for each
/// cell whether its value differs from the one that the writer gave it in the trace, and for each thread whether its
/// last event was a read of an update that returned its recorded value.
using State = std::string;

constexpr char kNobody = 0;                          ///< a cell that has not been written
constexpr char kNotWanted = static_cast<char>(255);  ///< a cell whose writer no remaining read needs

bool is_atomic_access(Op op) {
  return traits(op).operand == OperandKind::Atomic;
}
bool writes_atomic(Op op) {
  return op == Op::AtomicStore || op == Op::AtomicRmw;
}
bool writes_cell(Op op) {
  return is_write(op) || writes_atomic(op);
}
bool reads_cell(Op op) {
  return op == Op::Read || op == Op::AtomicLoad || op == Op::AtomicRmw;
}

/// Atomic accesses to the same atomic of which one writes.
bool atomic_rivals(const Event& e, const Event& f) {
  return is_atomic_access(e.op) && is_atomic_access(f.op) && e.atomic() == f.atomic() &&
         (writes_atomic(e.op) || writes_atomic(f.op));
}

/// The locks that a thread holds after some number of its events; a bit per lock.
struct Holds {
  std::uint64_t exclusive = 0;
  std::uint64_t shared = 0;
};

/// The trace in the form that the search needs.
class Problem {
 public:
  Problem(const Trace& trace, Notion notion) : trace_(trace), notion_(notion), life_(lives(trace)) {
    OMEN_CHECK(trace.size() < 254 && trace.names.of(OperandKind::Lock).size() <= 64);
    programs_.resize(trace.threads());
    for (std::size_t i = 0; i < trace.size(); ++i) {
      position_.push_back(program(i).size());
      program(i).push_back(i);
    }
    find_holds();
    find_needs();
    find_wanted_writers();
  }

  State start() const {
    const std::size_t values = notion_ == Notion::Data ? cells() + programs_.size() : 0;
    return State(programs_.size() + (notion_ == Notion::Ca ? 0 : cells()) + variables() + values, kNobody);
  }

  std::size_t threads() const { return programs_.size(); }

  /// The thread's next event.
  std::optional<std::size_t> next(const State& state, std::size_t t) const {
    const std::size_t done = count(state, t);
    if (done == programs_[t].size()) return std::nullopt;
    return programs_[t][done];
  }

  /// True if event i, the next of its thread, may be executed.
  bool enabled(const State& state, std::size_t i) const {
    return has_what_it_needs(state, i, std::nullopt) && lock_is_free(state, i) && in_its_life(state, i) &&
           sees_its_writer(state, i);
  }

  /// True if i and j, both the next of their threads, may be executed at once.
  bool race(const State& state, std::size_t i, std::size_t j) const {
    return conflict(trace_, life_, i, j) && has_what_it_needs(state, i, j) && has_what_it_needs(state, j, i) &&
           in_its_life(state, i) && in_its_life(state, j);
  }

  /// Adds the cycles in which threads wait for each other.
  void find_cycles(const State& state, std::size_t number,
                   std::map<ReorderingSearch::Cycle, std::size_t>& cycles) const {
    std::vector<std::vector<std::size_t>> waits(programs_.size());
    for (std::size_t t = 0; t < programs_.size(); ++t) {
      const auto i = next(state, t);
      for (std::size_t u = 0; i && u < programs_.size(); ++u) {
        if (u != t && next(state, u) && waits_for(state, *i, u)) waits[t].push_back(u);
      }
    }
    std::vector<std::size_t> path;
    const auto extend = [&](auto& self, std::size_t t) -> void {
      path.push_back(t);
      for (const std::size_t u : waits[t]) {
        if (u == path.front()) {
          ReorderingSearch::Cycle cycle;
          for (const std::size_t member : path) {
            const std::size_t i = *next(state, member);
            cycle.push_back({i, is_unborn(state, i)});
          }
          cycles.try_emplace(std::move(cycle), number);
        } else if (u > path.front() && std::ranges::find(path, u) == path.end()) {
          self(self, u);
        }
      }
      path.pop_back();
    };
    for (std::size_t t = 0; t < programs_.size(); ++t) extend(extend, t);
  }

  State after(const State& state, std::size_t i) const {
    const Event& e = trace_.events[i];
    State result = state;
    ++result[index(e.thread)];
    if (notion_ == Notion::Data) change_values(state, i, result);
    if (e.op == Op::Allocate) result[life_slot(e)] = static_cast<char>(life_[i]);
    if (notion_ == Notion::Ca) return result;
    if (e.op == Op::Allocate) result[cell(e)] = kNobody;
    if (writes_cell(e.op)) result[cell(e)] = static_cast<char>(i + 1);
    if (reads_cell(e.op) || writes_cell(e.op)) forget_unwanted_writer(result, cell(e));
    return result;
  }

 private:
  std::vector<std::size_t>& program(std::size_t i) { return programs_[index(trace_.events[i].thread)]; }
  std::size_t cells() const { return variables() + trace_.names.of(OperandKind::Atomic).size(); }
  std::size_t variables() const { return trace_.names.of(OperandKind::Variable).size(); }
  static std::size_t count(const State& state, std::size_t t) { return static_cast<unsigned char>(state[t]); }
  bool executed(const State& state, std::size_t i) const {
    return position_[i] < count(state, index(trace_.events[i].thread));
  }

  std::size_t cell(const Event& e) const {
    return programs_.size() + e.operand + (is_atomic_access(e.op) ? variables() : 0);
  }
  std::size_t life_slot(const Event& e) const { return start_of_lives_ + e.operand; }
  std::size_t changed_slot(const Event& e) const { return start_of_lives_ + variables() + cell(e) - programs_.size(); }
  std::size_t kept_slot(const Event& e) const { return start_of_lives_ + variables() + cells() + index(e.thread); }

  /// The locks that a thread holds follow from its own events alone.
  void find_holds() {
    holds_.resize(programs_.size());
    const auto all = sections(trace_);
    for (std::size_t t = 0; t < programs_.size(); ++t) {
      holds_[t].emplace_back();
      for (const std::size_t i : programs_[t]) {
        Holds now;
        for (const Section& s : all) {
          const bool holds = index(s.thread) == t && s.start <= i && (!s.end || i < *s.end);
          if (holds) (s.shared ? now.shared : now.exclusive) |= std::uint64_t{1} << index(s.lock);
        }
        holds_[t].push_back(now);
      }
    }
  }

  /// The events that must have been executed before each event, as a number of events of each thread.
  void find_needs() {
    needs_.assign(trace_.size(), std::vector<std::size_t>(programs_.size(), 0));
    const auto need = [&](std::size_t before, std::size_t i) {
      std::size_t& known = needs_[i][index(trace_.events[before].thread)];
      known = std::max(known, position_[before] + 1);
    };
    for (const auto& edges : {fork_and_join_edges(trace_), barrier_edges(trace_)}) {
      for (const auto& [before, i] : edges) need(before, i);
    }
    if (notion_ != Notion::Ca) return;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      for (std::size_t before = 0; before < i; ++before) {
        if (conflict(trace_, life_, before, i) || atomic_rivals(trace_.events[before], trace_.events[i]))
          need(before, i);
      }
    }
  }

  /// A racing access does not need its partner. The partner is the next event of its thread, so nothing before it is
  /// missing.
  bool has_what_it_needs(const State& state, std::size_t i, std::optional<std::size_t> partner) const {
    for (std::size_t t = 0; t < programs_.size(); ++t) {
      const bool partners_thread = partner && index(trace_.events[*partner].thread) == t;
      if (needs_[i][t] > count(state, t) + (partners_thread ? 1 : 0)) return false;
    }
    return true;
  }

  bool lock_is_free(const State& state, std::size_t i) const {
    for (std::size_t t = 0; t < programs_.size(); ++t) {
      if (is_in_the_way(state, i, t)) return false;
    }
    return true;
  }
  /// True if t, another thread, holds the lock that event i acquires.
  bool is_in_the_way(const State& state, std::size_t i, std::size_t t) const {
    const Event& e = trace_.events[i];
    const bool shared = e.op == Op::AcquireShared;
    if (t == index(e.thread) || (!shared && e.op != Op::Acquire && e.op != Op::Wake)) return false;
    const Holds& others = holds_[t][count(state, t)];
    const std::uint64_t in_the_way = others.exclusive | (shared ? 0 : others.shared);
    return (in_the_way >> index(e.lock()) & 1U) != 0;
  }
  /// True if event i comes after events of t that have not been executed.
  bool needs_more(const State& state, std::size_t i, std::size_t t) const { return needs_[i][t] > count(state, t); }

  /// True if the thread of event i, its next one, has not been forked yet.
  bool is_unborn(const State& state, std::size_t i) const {
    for (std::size_t f = 0; f < trace_.size(); ++f) {
      const Event& fork = trace_.events[f];
      if (fork.op == Op::Fork && fork.target() == trace_.events[i].thread) return !executed(state, f);
    }
    return false;
  }
  bool waits_for(const State& state, std::size_t i, std::size_t u) const {
    const Event& e = trace_.events[i];
    if (needs_more(state, i, u)) return true;
    const bool attempt = e.op != Op::Wake && e.order == kAttempt;
    return !attempt && !is_unborn(state, i) && is_in_the_way(state, i, u);
  }

  bool in_its_life(const State& state, std::size_t i) const {
    const Event& e = trace_.events[i];
    return !is_access(e.op) || static_cast<unsigned char>(state[life_slot(e)]) == life_[i];
  }

  /// The writer that each reading event saw in the trace: the last one of its life.
  void find_wanted_writers() {
    start_of_lives_ = programs_.size() + (notion_ == Notion::Ca ? 0 : cells());
    if (notion_ == Notion::Ca) return;
    wanted_.assign(trace_.size(), kNobody);
    readers_.resize(trace_.size());
    State state = start();
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const Event& e = trace_.events[i];
      if (reads_cell(e.op)) {
        wanted_[i] = state[cell(e)];
        if (wanted_[i] != kNobody) readers_[static_cast<unsigned char>(wanted_[i]) - 1].push_back(i);
      }
      if (writes_cell(e.op)) state[cell(e)] = static_cast<char>(i + 1);
      if (e.op == Op::Allocate) state[cell(e)] = kNobody;
    }
  }

  bool sees_its_writer(const State& state, std::size_t i) const {
    const Event& e = trace_.events[i];
    if (notion_ == Notion::Ca || !reads_cell(e.op)) return true;
    return (notion_ == Notion::Data && e.update) || returns_what_it_did(state, i);
  }

  bool returns_what_it_did(const State& state, std::size_t i) const {
    const Event& e = trace_.events[i];
    return state[cell(e)] == wanted_[i] && (notion_ != Notion::Data || state[changed_slot(e)] == 0);
  }

  /// Updates what event i, executed in `before`, writes; and what its thread has read last.
  void change_values(const State& before, std::size_t i, State& after) const {
    const Event& e = trace_.events[i];
    after[kept_slot(e)] = 0;
    if (e.op == Op::Read && e.update) after[kept_slot(e)] = returns_what_it_did(before, i) ? 1 : 0;
    if (e.op == Op::Allocate) after[changed_slot(e)] = 0;
    if (!writes_cell(e.op)) return;
    bool changed = false;
    if (e.update && e.op == Op::AtomicRmw) changed = !returns_what_it_did(before, i);
    if (e.update && e.op == Op::Write) changed = writes_what_was_read(i) && before[kept_slot(e)] == 0;
    after[changed_slot(e)] = changed ? 1 : 0;
  }
  /// The thread's event before i is a read of the same update.
  bool writes_what_was_read(std::size_t i) const {
    const Event& e = trace_.events[i];
    if (position_[i] == 0) return false;
    const Event& r = trace_.events[programs_[index(e.thread)][position_[i] - 1]];
    return r.op == Op::Read && r.update && r.variable() == e.variable();
  }

  /// Merges states that differ only in a writer that no read will need.
  void forget_unwanted_writer(State& state, std::size_t slot) const {
    if (state[slot] == kNobody || state[slot] == kNotWanted) return;
    const auto& readers = readers_[static_cast<unsigned char>(state[slot]) - 1];
    if (std::ranges::all_of(readers, [&](std::size_t r) { return executed(state, r); })) state[slot] = kNotWanted;
    // Then the value written does not matter either.
    if (notion_ == Notion::Data && state[slot] == kNotWanted) state[slot + cells() + variables()] = 0;
  }

  const Trace& trace_;
  Notion notion_;
  std::vector<std::size_t> life_;
  std::vector<std::vector<std::size_t>> programs_;
  std::vector<std::size_t> position_;  ///< of each event in its thread's program
  std::vector<std::vector<Holds>> holds_;
  std::vector<std::vector<std::size_t>> needs_;
  std::size_t start_of_lives_ = 0;
  std::vector<char> wanted_;
  std::vector<std::vector<std::size_t>> readers_;  ///< of each writer
};

}  // namespace

ReorderingSearch::ReorderingSearch(const Trace& trace, Notion notion, std::size_t max_states) {
  const Problem problem(trace, notion);
  std::unordered_map<State, std::size_t> known;
  std::vector<const State*> states;  // in the order of discovery; the map's keys do not move
  const auto reach = [&](State state, std::size_t parent, std::size_t event) {
    const auto [at, is_new] = known.emplace(std::move(state), states.size());
    if (!is_new) return;
    states.push_back(&at->first);
    reached_.push_back({parent, event});
  };
  reach(problem.start(), 0, trace.size());
  std::vector<std::size_t> next;
  for (std::size_t s = 0; s < states.size(); ++s) {
    if (states.size() > max_states) {
      complete_ = false;
      return;
    }
    next.clear();
    for (std::size_t t = 0; t < problem.threads(); ++t) {
      if (const auto i = problem.next(*states[s], t)) next.push_back(*i);
    }
    if (notion != Notion::Ca) problem.find_cycles(*states[s], s, deadlocks_);
    for (const std::size_t i : next) {
      for (const std::size_t j : next) {
        if (i < j && !found_.contains({i, j}) && problem.race(*states[s], i, j)) found_.emplace(Pair{i, j}, s);
      }
      if (problem.enabled(*states[s], i)) reach(problem.after(*states[s], i), s, i);
    }
  }
}

std::vector<Pair> ReorderingSearch::pairs() const {
  std::vector<Pair> all;
  for (const auto& [pair, state] : found_) all.push_back(pair);
  std::ranges::sort(all, {}, [](const Pair& p) { return Pair{p.second, p.first}; });
  return all;
}

std::pair<std::vector<std::size_t>, std::size_t> ReorderingSearch::deadlock_witness(std::size_t n) const {
  const auto& [cycle, state] = *std::next(deadlocks_.begin(), static_cast<std::ptrdiff_t>(n));
  std::vector<std::size_t> witness;
  for (std::size_t s = state; s != 0; s = reached_[s].parent) witness.push_back(reached_[s].event);
  std::ranges::reverse(witness);
  for (const Waiting& one : cycle) witness.push_back(one.event);
  return {std::move(witness), cycle.size()};
}

std::optional<std::vector<std::size_t>> ReorderingSearch::witness(Pair pair) const {
  const auto found = found_.find(pair);
  if (found == found_.end()) return std::nullopt;
  std::vector<std::size_t> backwards{pair.second, pair.first};
  for (std::size_t s = found->second; s != 0; s = reached_[s].parent) backwards.push_back(reached_[s].event);
  std::ranges::reverse(backwards);
  return backwards;
}

}  // namespace omen::judges
