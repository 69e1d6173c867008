#include "relax/execution.hpp"

#include <algorithm>

#include "relax/execution_builder.hpp"

namespace omen::relax {
namespace {

using values::Act;
using values::Path;
using values::ValueEvent;
using values::ValueTrace;

std::uint32_t number(ThreadId thread) {
  return static_cast<std::uint32_t>(thread);
}

/// What each operation of the event model is in an execution. Cells are variables, then atomics, then for each variable
/// the cell that its allocations write.
class EventItems {
 public:
  EventItems(ExecutionBuilder& builder, const Names& names)
      : builder_(builder),
        variables_(static_cast<std::uint32_t>(names.of(OperandKind::Variable).size())),
        atomics_(static_cast<std::uint32_t>(names.of(OperandKind::Atomic).size())),
        allocated_(variables_, false),
        rounds_(names.of(OperandKind::Barrier).size()) {}

  static std::size_t cells(const Names& names) {
    return 2 * names.of(OperandKind::Variable).size() + names.of(OperandKind::Atomic).size();
  }
  /// Before the first `take`: the variable has several lives.
  void has_lives(std::uint32_t variable) { allocated_[variable] = true; }

  /// Returns its item, `kInitial` if it comes before the window.
  std::uint32_t take(std::uint32_t i, const Event& e) {
    const std::uint32_t thread = number(e.thread);
    const std::uint32_t item = builder_.visible(i, e);
    switch (e.op) {
      case Op::Read:
        builder_.reads(item, e.operand);
        access(item, e.operand);
        break;
      case Op::Write:
      case Op::Free:
        builder_.writes(item, e.operand);
        access(item, e.operand);
        break;
      case Op::Allocate:
        builder_.writes(item, life_cell(e.operand));
        builder_.writes(item, e.operand);
        builder_.forget_order(e.operand);
        break;
      case Op::AtomicLoad:
        builder_.reads(item, atomic_cell(e.operand));
        if (item != kInitial) builder_.keeps_order(item);
        break;
      case Op::AtomicRmw:
        builder_.reads(item, atomic_cell(e.operand));
        [[fallthrough]];
      case Op::AtomicStore:
        builder_.writes(item, atomic_cell(e.operand));
        if (item != kInitial) builder_.keeps_order(item);
        break;
      case Op::Acquire:
      case Op::AcquireShared:
        builder_.acquire(item, thread, e.operand, e.op == Op::AcquireShared);
        break;
      case Op::Release:
      case Op::ReleaseShared:
        builder_.release(item, thread, e.operand, /*wholly=*/false);
        break;
      case Op::Wait:
        waiting_[{thread, e.operand}] = builder_.release(item, thread, e.operand, /*wholly=*/true);
        break;
      case Op::Wake:
        builder_.acquire(item, thread, e.operand, /*shared=*/false, waiting_[{thread, e.operand}]);
        break;
      case Op::BarrierArrive:
      case Op::BarrierLeave:
        barrier(item, e);
        break;
      case Op::Fork:
        builder_.fork(item, e.operand);
        break;
      case Op::Join:
        builder_.join(item, e.operand);
        break;
      case Op::Fence:
      case Op::Begin:
      case Op::End:
        break;
    }
    return item;
  }

  std::uint32_t atomic_cell(std::uint32_t atomic) const { return variables_ + atomic; }

 private:
  /// Rounds of a barrier (docs/event-model.md).
  struct Barrier {
    bool open = false;
    std::map<std::uint32_t, std::size_t> round_of;  ///< by thread
    std::vector<std::vector<std::uint32_t>> rounds;
  };

  std::uint32_t life_cell(std::uint32_t variable) const { return variables_ + atomics_ + variable; }

  void access(std::uint32_t item, std::uint32_t variable) {
    if (item == kInitial) return;
    if (allocated_[variable]) {
      builder_.at(item).life_cell = life_cell(variable);
      builder_.at(item).life = builder_.last_writer(life_cell(variable));
    }
    builder_.keeps_order(item);
  }

  void barrier(std::uint32_t item, const Event& e) {
    Barrier& b = rounds_[e.operand];
    const std::uint32_t thread = number(e.thread);
    if (e.op == Op::BarrierArrive) {
      if (!b.open) b.rounds.emplace_back();
      b.open = true;
      b.round_of[thread] = b.rounds.size() - 1;
      b.rounds.back().push_back(item);
      return;
    }
    const std::size_t round = b.round_of[thread];
    if (round + 1 == b.rounds.size()) b.open = false;
    for (const std::uint32_t arrival : b.rounds[round]) builder_.needs(item, arrival);
  }

  ExecutionBuilder& builder_;
  std::uint32_t variables_;
  std::uint32_t atomics_;
  std::vector<bool> allocated_;
  std::vector<Barrier> rounds_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> waiting_;  ///< depths given up
};

/// From a value trace, perhaps with a turned branch.
class FromValues {
 public:
  FromValues(const ValueTrace& trace, const Window& window, const Turn& turn)
      : trace_(trace),
        window_(window),
        turn_(turn),
        builder_(trace.threads(), EventItems::cells(trace.names)),
        items_(builder_, trace.names),
        ended_(trace.threads(), false),
        lost_(trace.threads(), false) {
    Execution& out = builder_.execution();
    out.expressions = &trace.expressions;
    out.definitions.resize(trace.expressions.values());
    out.constants.resize(trace.expressions.values(), 0);
    for (std::uint32_t c = 0; c < trace.cells.size(); ++c) begins_with(c, trace.cells[c]);
    for (std::uint32_t a = 0; a < trace.atomics.size(); ++a) begins_with(items_.atomic_cell(a), trace.atomics[a]);
    for (const ValueEvent& e : trace.events) {
      if (e.act == Act::Allocate) items_.has_lives(e.operand);
    }
    window_.end = static_cast<std::uint32_t>(std::min<std::size_t>(window.end, trace.size()));
    for (std::uint32_t i = 0; i < window_.end; ++i) {
      if (trace.events[i].act == Act::End) ended_[number(trace.events[i].thread)] = true;
    }
  }

  Execution build() {
    for (std::uint32_t i = 0; i < window_.end; ++i) {
      if (i == window_.begin) builder_.open_window();
      const ValueEvent& e = trace_.events[i];
      if (i == turn_.branch) {
        splice();
      } else if (i > turn_.branch && turn_.path != nullptr && e.thread == trace_.events[turn_.branch].thread) {
        removed(e);
      } else {
        event(i, e, /*recorded=*/true);
      }
    }
    return builder_.finish();
  }

 private:
  /// The path instead of the branch and what came after it. All its events get the branch's place in the order.
  void splice() {
    const std::uint32_t thread = number(trace_.events[turn_.branch].thread);
    forked_elsewhere_.assign(trace_.threads(), false);
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const ValueEvent& e = trace_.events[i];
      const bool stays = e.thread != trace_.events[turn_.branch].thread || i < turn_.branch;
      if (e.act == Act::Fork && stays) forked_elsewhere_[number(e.target())] = true;
    }
    forked_by_path_.assign(trace_.threads(), false);
    const auto base = static_cast<std::uint32_t>(trace_.size());
    bool whole = true;
    for (std::uint32_t i = 0; i < turn_.path->events.size() && whole; ++i) {
      whole = possible(turn_.path->events[i]);
      if (whole) event(base + i, turn_.path->events[i], /*recorded=*/false);
    }
    lost_[thread] = !(whole && turn_.path->complete);
  }

  /// What the recording cannot say the effect of ends the path.
  bool possible(const ValueEvent& e) {
    if (e.act == Act::Fork) {
      if (forked_elsewhere_[number(e.target())] || forked_by_path_[number(e.target())]) return false;
      forked_by_path_[number(e.target())] = true;
    }
    return e.act != Act::Join || ended_[number(e.target())];
  }

  void removed(const ValueEvent& e) {
    if (e.act == Act::Fork && !forked_by_path_[number(e.target())]) builder_.never_forked(number(e.target()));
  }

  void event(std::uint32_t i, const ValueEvent& e, bool recorded) {
    Execution& out = builder_.execution();
    const std::uint32_t thread = number(e.thread);
    const bool inside = i >= window_.begin;
    const auto value = static_cast<std::size_t>(e.value);
    const bool reads = values::reads_memory(e.act) && e.value != values::kNoValue;
    if (reads || e.act == Act::Assign) out.constants[value] = recorded ? e.recorded : 0;
    if (values::is_local(e.act)) {
      if (e.act == Act::Assign) {
        if (inside) out.definitions[value].expr = e.expr;
      } else {
        builder_.guard(thread, e.expr, e.recorded, e.act == Act::Branch);
      }
      return;
    }
    const std::uint32_t item = items_.take(i, values::event_of(e));
    if (item == kInitial) return before_window(e);
    Item& made = builder_.at(item);
    if (e.act == Act::Join && lost_[e.operand]) made.never = true;
    if (!values::reads_memory(e.act) && !values::writes_memory(e.act)) return;
    made.recorded = e.recorded;
    made.stored = e.written();
    made.expr = e.expr;
    made.value = e.value;
    made.opaque = trace_.cell_of(e).is_opaque();
    if (reads) out.definitions[value].item = item;
  }

  void begins_with(std::uint32_t cell, const values::Cell& content) {
    builder_.execution().initial[cell] = content.initial;
    builder_.execution().initial_unknown[cell] = !content.initial_known;
  }

  /// What it leaves in its cell.
  void before_window(const ValueEvent& e) {
    Execution& out = builder_.execution();
    const bool ends_value = e.act == Act::Allocate || e.act == Act::Free;
    if (!values::writes_memory(e.act) && !ends_value) return;
    const std::uint32_t cell = values::is_atomic(e.act) ? items_.atomic_cell(e.operand) : e.operand;
    out.initial_unknown[cell] = e.expr == values::kNoExpr;
    if (e.expr != values::kNoExpr) out.initial[cell] = e.written();
  }

  const ValueTrace& trace_;
  Window window_;
  Turn turn_;
  ExecutionBuilder builder_;
  EventItems items_;
  std::vector<bool> ended_;  ///< of each thread: all that it did is recorded, up to the window's end
  std::vector<bool> lost_;   ///< of each thread: its path does not reach its end
  std::vector<bool> forked_elsewhere_;
  std::vector<bool> forked_by_path_;
};

/// From a plain trace, with every operation of the event model.
class FromEvents {
 public:
  FromEvents(const Trace& trace, const Window& window)
      : trace_(trace),
        window_(window),
        builder_(trace.threads(), EventItems::cells(trace.names)),
        items_(builder_, trace.names) {
    for (const Event& e : trace.events) {
      if (e.op == Op::Allocate) items_.has_lives(e.operand);
    }
  }

  Execution build() {
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(window_.end, trace_.size()));
    for (std::uint32_t i = 0; i < end; ++i) {
      if (i == window_.begin) builder_.open_window();
      items_.take(i, trace_.events[i]);
    }
    return builder_.finish();
  }

 private:
  const Trace& trace_;
  Window window_;
  ExecutionBuilder builder_;
  EventItems items_;
};

}  // namespace

Execution execution_of(const ValueTrace& trace, const Window& window, const Turn& turn) {
  return FromValues(trace, window, turn).build();
}

Execution execution_of(const Trace& trace, const Window& window) {
  return FromEvents(trace, window).build();
}

}  // namespace omen::relax
