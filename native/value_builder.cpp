#include "native/value_builder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "trace/error.hpp"

namespace omen::native {

using values::Act;
using values::kNoExpr;
using values::kNoValue;
using values::ValueEvent;
using values::Width;

namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

/// In the order of the operations of the event model.
constexpr std::array<Act, kOpCount> kActs{Act::Read,          Act::Write,         Act::Acquire,    Act::Release,
                                          Act::Fork,          Act::Join,          Act::Begin,      Act::End,
                                          Act::AcquireShared, Act::ReleaseShared, Act::Wait,       Act::Wake,
                                          Act::BarrierArrive, Act::BarrierLeave,  Act::AtomicLoad, Act::AtomicStore,
                                          Act::AtomicRmw,     Act::Fence,         Act::Allocate,   Act::Free};

class Builder {
 public:
  Builder(const Program& program, const Recording& recording, Run& run) : recording_(recording), run_(run) {
    cells_.resize(recording.variables.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) initial(cells_[i], program, recording.variables[i]);
    atomics_.resize(recording.atomics.size());
    program_ = &program;
  }

  std::expected<Built, std::string> build() {
    mark_mixed();
    mark_widths();
    for (bool changed = true; changed;) {
      changed = false;
      if (auto ok = simulate(changed); !ok) return std::unexpected(std::move(ok.error()));
    }
    names();
    for (std::uint64_t i = 0; i < recording_.trace.size(); ++i) {
      event(i);
      run_.origin.resize(run_.trace.size(), static_cast<std::uint32_t>(i));
    }
    Built built;
    for (const auto* const cells : {&cells_, &atomics_}) {
      for (const Cell& cell : *cells) {
        built.opaque += cell.width == 0 || cell.opaque ? 1 : 0;
        ++built.cells;
      }
    }
    return built;
  }

 private:
  struct Cell {
    Width width = 0;  ///< 0: nobody said
    bool opaque = false;
    std::optional<std::uint64_t> initial;
    std::uint32_t user = kNobody;  ///< the only thread that accesses it
    bool shared = false;           ///< several do
    values::ExprId own = kNoExpr;  ///< of a cell that is not shared: what its thread wrote last

    // While the recorded order is gone through.
    bool known = true;  ///< `content` is what it holds; `content` empty: what it holds at first, which nobody has read
    std::optional<std::uint64_t> content;
    std::uint32_t writer = kNobody;         ///< the thread that wrote it last, if that was interpreted code
    std::optional<std::uint64_t> previous;  ///< what it held before that write
  };

  /// Memory that was allocated begins with nothing that is known; a program's variable with what its file says.
  static void initial(Cell& cell, const Program& program, const Place& place) {
    if (!place.view && place.bytes != 0) cell.initial = program.initial(place.address, place.bytes);
  }

  Cell& cell_of(const Event& e) {
    return traits(e.op).operand == OperandKind::Atomic ? atomics_[e.operand] : cells_[e.operand];
  }
  static bool touches(Op op) {
    const OperandKind kind = traits(op).operand;
    return kind == OperandKind::Variable || kind == OperandKind::Atomic;
  }

  /// Memory that is accessed both plainly and atomically.
  void mark_mixed() {
    std::map<std::uint64_t, std::uint64_t> views;  // where they begin, where they end
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Place& place = recording_.variables[i];
      if (!place.view) continue;
      cells_[i].opaque = true;
      std::uint64_t& end = views[place.address];
      end = std::max(end, place.address + place.bytes);
    }
    const auto overlaps = [&](std::uint64_t begin, std::uint64_t bytes) {
      return std::ranges::any_of(views, [&](const auto& view) {
        return view.first < begin + std::max<std::uint64_t>(bytes, 1) && begin < view.second;
      });
    };
    if (views.empty()) return;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (overlaps(recording_.variables[i].address, recording_.variables[i].bytes)) cells_[i].opaque = true;
    }
    for (std::size_t i = 0; i < atomics_.size(); ++i) {
      if (overlaps(recording_.atomics[i].address, 8)) atomics_[i].opaque = true;
    }
  }

  /// Every access of interpreted code says the width; if they differ, or somebody else uses an atomic, there is none.
  void mark_widths() {
    for (std::size_t i = 0; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      const Note& note = run_.notes[i];
      if (!touches(e.op)) continue;
      Cell& cell = cell_of(e);
      const auto thread = static_cast<std::uint32_t>(index(e.thread));
      cell.shared = cell.shared || (cell.user != kNobody && cell.user != thread);
      cell.user = thread;
      if (note.role == Role::Unknown) {
        if (traits(e.op).operand == OperandKind::Atomic) cell.opaque = true;
        continue;
      }
      if (note.width == 0 || (cell.width != 0 && cell.width != note.width)) cell.opaque = true;
      if (cell.width == 0 && traits(e.op).operand == OperandKind::Atomic) {
        cell.initial = program_->initial(recording_.atomics[e.operand].address, note.width / 8);
      }
      cell.width = note.width;
    }
  }

  /// The recorded order, once. A cell that turns out to be opaque changes nothing of others.
  std::expected<void, std::string> simulate(bool& changed) {
    for (auto* const cells : {&cells_, &atomics_}) {
      for (Cell& cell : *cells) {
        cell.opaque = cell.opaque || cell.width == 0;
        cell.known = true;
        cell.content = cell.initial;
        cell.previous.reset();
        cell.writer = kNobody;
      }
    }
    for (std::size_t i = 0; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      if (!touches(e.op)) continue;
      Cell& cell = cell_of(e);
      if (cell.opaque) continue;
      const Note& note = run_.notes[i];
      if (note.role == Role::Unknown) {
        if (e.op == Op::Read) {
          // Somebody reads it who does not say what: it must be known.
          if (!cell.known || !cell.content) changed = cell.opaque = true;
          continue;
        }
        cell.known = false;
        cell.writer = kNobody;
        cell.content.reset();
        continue;
      }
      if (note.role != Role::Write) {
        const bool is_first = cell.known && !cell.content;
        const bool explained = read(cell, note.recorded);
        const bool too_late =
            !explained && cell.writer != kNobody && cell.writer != index(e.thread) && cell.previous == note.recorded;
        if (too_late || ((is_first || !explained) && is_written_meanwhile(i))) {
          return std::unexpected(run_.trace.names.text(note.location) +
                                 ": a read and a write of another thread may have happened in another order than the "
                                 "recording has; record again");
        }
        if (!explained) {
          changed = cell.opaque = true;
          continue;
        }
      }
      if (note.role != Role::Read) {
        cell.previous = cell.content;
        cell.known = true;
        cell.content = note.role == Role::Rmw ? note.stored : note.recorded;
        cell.writer = static_cast<std::uint32_t>(index(e.thread));
      }
    }
    return {};
  }

  /// An access has its place in the recording before it happens. So a read may see a write that has its place behind
  /// it, but none behind the next event of its own thread.
  bool is_written_meanwhile(std::size_t read) const {
    const Event& r = recording_.trace.events[read];
    for (std::size_t i = read + 1; i < recording_.trace.size(); ++i) {
      const Event& e = recording_.trace.events[i];
      if (e.thread == r.thread) return false;
      const Note& note = run_.notes[i];
      if (e.op == Op::Write && r.op == Op::Read && e.operand == r.operand && note.role == Role::Write &&
          note.recorded == run_.notes[read].recorded) {
        return true;
      }
    }
    return false;
  }

  static bool read(Cell& cell, std::uint64_t value) {
    if (!cell.known) return false;
    if (!cell.content) cell.initial = cell.content = value;
    return *cell.content == value;
  }

  static std::string plain_name(std::string name) {
    std::ranges::replace_if(name, [](char c) { return c == ' ' || c == '|' || c == '(' || c == ')'; }, '_');
    return name;
  }

  void names() {
    const Names& from = recording_.trace.names;
    Names& to = run_.trace.names;
    for (const OperandKind kind : {OperandKind::Lock, OperandKind::Thread, OperandKind::Barrier}) {
      for (std::uint32_t id = 0; id < from.of(kind).size(); ++id) to.of(kind).intern(plain_name(from.of(kind)[id]));
    }
    std::set<std::string> taken;
    for (std::uint32_t i = 0; i < cells_.size(); ++i) {
      const Place& place = recording_.variables[i];
      std::string name = place.view ? std::string() : plain_name(program_->name(place.address, place.bytes));
      if (name.empty() || !taken.insert(name).second) name = plain_name(from.of(VariableId{i}));
      run_.trace.cell(name, cells_[i].opaque ? Width{0} : cells_[i].width, cells_[i].initial.value_or(0));
      run_.trace.cells.back().initial_known = cells_[i].opaque || cells_[i].initial.has_value();
      cells_[i].content = cells_[i].initial;
    }
    for (std::uint32_t i = 0; i < atomics_.size(); ++i) {
      run_.trace.atomic(plain_name(from.of(OperandKind::Atomic)[i]), atomics_[i].opaque ? Width{0} : atomics_[i].width,
                        atomics_[i].initial.value_or(0));
      run_.trace.atomics.back().initial_known = atomics_[i].opaque || atomics_[i].initial.has_value();
    }
  }

  void event(std::uint64_t i) {
    const Event& e = recording_.trace.events[i];
    const Note& note = run_.notes[i];
    std::vector<ValueEvent>& out = run_.trace.events;
    for (std::size_t at = note.locals_begin; at < note.locals_end; ++at) out.push_back(run_.locals[at]);
    ValueEvent event{.thread = e.thread, .act = kActs[static_cast<std::size_t>(e.op)], .location = note.location};
    if (traits(e.op).operand != OperandKind::None) event.operand = e.operand;
    if (!touches(e.op)) return out.push_back(event);
    Cell& cell = cell_of(e);
    if (!cell.shared && traits(e.op).operand == OperandKind::Variable) return unshared(event, note, cell);
    if (note.role == Role::Unknown) return unknown(event, cell);
    event.recorded = note.recorded;
    event.stored = note.stored;
    if (cell.opaque) {
      opaque(event, note);
      return;
    }
    event.expr = note.expr;
    event.value = note.value;
    out.push_back(event);
    if (note.role != Role::Read) cell.content = event.written();
  }

  /// Memory of one thread is no cell: a read gives what the thread wrote last, as an expression.
  void unshared(const ValueEvent& event, const Note& note, Cell& cell) {
    std::vector<ValueEvent>& out = run_.trace.events;
    values::Expressions& expressions = run_.trace.expressions;
    const auto fix = [&](values::ExprId expr, std::uint64_t recorded) {
      if (expr == kNoExpr || expressions[expr].op == values::ExprOp::Constant) return;
      out.push_back({event.thread, Act::Fix, 0, event.location, expr, kNoValue, recorded});
    };
    if (note.role == Role::Write) {
      if (cell.opaque) fix(note.expr, note.recorded);
      cell.own = cell.opaque ? kNoExpr : note.expr;
      cell.content = note.recorded;
    } else if (note.role == Role::Read && note.value != kNoValue) {
      const values::ExprId known =
          cell.own != kNoExpr && !cell.opaque ? cell.own : expressions.constant(note.width, note.recorded);
      out.push_back({event.thread, Act::Assign, 0, event.location, known, note.value, note.recorded});
    } else if (note.role == Role::Unknown && event.act == Act::Read) {
      if (cell.content) fix(cell.own, *cell.content);
    } else {
      cell.own = kNoExpr;
    }
  }

  /// What is written must be as it was, and what was read is only a number.
  void opaque(ValueEvent event, const Note& note) {
    std::vector<ValueEvent>& out = run_.trace.events;
    if (note.role == Role::Rmw && note.value != kNoValue) {
      // The value that the new one is computed from comes with the event itself: it cannot be fixed before, and needs
      // not be, since the read keeps its writer.
    } else if (note.expr != kNoExpr && run_.trace.expressions[note.expr].op != values::ExprOp::Constant) {
      out.push_back({event.thread, Act::Fix, 0, event.location, note.expr, kNoValue, note.recorded});
    }
    event.recorded = event.stored = 0;
    out.push_back(event);
    if (note.value == kNoValue) return;
    const values::ExprId known = run_.trace.expressions.constant(note.width, note.recorded);
    out.push_back({event.thread, Act::Assign, 0, event.location, known, note.value, note.recorded});
    if (note.role == Role::Rmw && run_.trace.expressions[note.expr].op != values::ExprOp::Constant) {
      out.push_back({event.thread, Act::Fix, 0, event.location, note.expr, kNoValue, note.stored});
    }
  }

  /// Code that is not interpreted reads a value: it must be the recorded one.
  void unknown(ValueEvent event, Cell& cell) {
    std::vector<ValueEvent>& out = run_.trace.events;
    if (event.act != Act::Read || cell.opaque) {
      out.push_back(event);
      return;
    }
    OMEN_CHECK(cell.content.has_value());
    event.recorded = *cell.content;
    event.value = run_.trace.expressions.new_value(cell.width);
    out.push_back(event);
    out.push_back({event.thread, Act::Fix, 0, event.location, run_.trace.expressions.value(event.value), kNoValue,
                   event.recorded});
  }

  const Program* program_ = nullptr;
  const Recording& recording_;
  Run& run_;
  std::vector<Cell> cells_;
  std::vector<Cell> atomics_;
};

}  // namespace

std::expected<Built, std::string> build_values(const Program& program, const Recording& recording, Run& run) {
  return Builder(program, recording, run).build();
}

}  // namespace omen::native
