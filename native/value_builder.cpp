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

/// In the order of the operations of the event model.
constexpr std::array<Act, kOpCount> kActs{Act::Read,          Act::Write,         Act::Acquire,    Act::Release,
                                          Act::Fork,          Act::Join,          Act::Begin,      Act::End,
                                          Act::AcquireShared, Act::ReleaseShared, Act::Wait,       Act::Wake,
                                          Act::BarrierArrive, Act::BarrierLeave,  Act::AtomicLoad, Act::AtomicStore,
                                          Act::AtomicRmw,     Act::Fence,         Act::Allocate,   Act::Free};

class Builder {
 public:
  Builder(const Program& program, const Recording& recording, Cells& cells, Run& run)
      : program_(program), recording_(recording), cells_(cells), run_(run), own_(cells.variables.size()) {}

  Built build() {
    paths_share_cells();
    names();
    for (std::uint64_t i = 0; i < recording_.trace.size(); ++i) {
      event(i);
      run_.origin.resize(run_.trace.size(), static_cast<std::uint32_t>(i));
    }
    run_.trace.carries_paths = true;
    Built built;
    for (const auto* const cells : {&cells_.variables, &cells_.atomics}) {
      for (const MemoryCell& cell : *cells) {
        built.opaque += cell.width == 0 || cell.opaque ? 1 : 0;
        ++built.cells;
      }
    }
    return built;
  }

 private:
  /// Of a cell that is not shared.
  struct Own {
    values::ExprId expr = kNoExpr;         ///< what its thread wrote last
    std::optional<std::uint64_t> content;  ///< what it holds
  };

  /// What another thread touches on a path is memory of both.
  void paths_share_cells() {
    for (const FoundPath& found : run_.paths) {
      for (const ValueEvent& e : found.path.events) {
        if (!values::is_access(e.act)) continue;
        MemoryCell& cell = cells_.variables[e.operand];
        cell.shared = cell.shared || (cell.user != kNobody && cell.user != index(e.thread));
      }
    }
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
    const auto& cells = cells_.variables;
    const auto& atomics = cells_.atomics;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const Place& place = recording_.variables[i];
      std::string name = place.view ? std::string() : plain_name(program_.name(place.address, place.bytes));
      if (name.empty() || !taken.insert(name).second) name = plain_name(from.of(VariableId{i}));
      run_.trace.cell(name, cells[i].opaque ? Width{0} : cells[i].width, cells[i].initial.value_or(0));
      run_.trace.cells.back().initial_known = cells[i].opaque || cells[i].initial.has_value();
      own_[i].content = cells[i].initial;
    }
    for (std::uint32_t i = 0; i < atomics.size(); ++i) {
      run_.trace.atomic(plain_name(from.of(OperandKind::Atomic)[i]), atomics[i].opaque ? Width{0} : atomics[i].width,
                        atomics[i].initial.value_or(0));
      run_.trace.atomics.back().initial_known = atomics[i].opaque || atomics[i].initial.has_value();
    }
  }

  void event(std::uint64_t i) {
    const Event& e = recording_.trace.events[i];
    const Note& note = run_.notes[i];
    std::vector<ValueEvent>& out = run_.trace.events;
    for (std::size_t at = note.locals_begin; at < note.locals_end; ++at) {
      out.push_back(run_.locals[at]);
      const auto [first, last] = std::ranges::equal_range(run_.paths, at, {}, &FoundPath::local);
      for (auto path = first; path != last; ++path) add_path(path->path);
    }
    ValueEvent event{.thread = e.thread, .act = kActs[static_cast<std::size_t>(e.op)], .location = note.location};
    if (traits(e.op).operand != OperandKind::None) event.operand = e.operand;
    if (!Cells::touches(e.op)) return out.push_back(event);
    const MemoryCell& cell = cells_.of(e);
    Own* const own = traits(e.op).operand == OperandKind::Variable ? &own_[e.operand] : nullptr;
    if (!cell.shared && own != nullptr) return unshared(event, note, cell, *own);
    if (note.role == Role::Unknown) return unknown(event, cell, own);
    event.recorded = note.recorded;
    event.stored = note.stored;
    if (cell.opaque) {
      opaque(event, note);
      return;
    }
    event.expr = note.expr;
    event.value = note.value;
    out.push_back(event);
    if (note.role != Role::Read && own != nullptr) own->content = event.written();
  }

  /// Of the branch that was added last. On a path too memory of one thread is no cell.
  void add_path(const values::Path& found) {
    values::Path path{.events = {}, .complete = found.complete};
    std::map<std::uint32_t, Own> written;
    for (ValueEvent e : found.events) {
      if (!values::is_access(e.act) || cells_.variables[e.operand].shared) {
        path.events.push_back(e);
        continue;
      }
      if (e.act == Act::Write) {
        written[e.operand] = {e.expr, {}};
        continue;
      }
      const auto at = written.find(e.operand);
      const Own& own = at == written.end() ? own_[e.operand] : at->second;
      if (e.value == kNoValue || (own.expr == kNoExpr && !own.content)) {
        path.complete = false;  // nobody knows what it holds
        break;
      }
      e.expr = own.expr != kNoExpr ? own.expr
                                   : run_.trace.expressions.constant(run_.trace.cells[e.operand].width, *own.content);
      e.act = Act::Assign;
      e.operand = 0;
      path.events.push_back(e);
    }
    run_.trace.paths.push_back({run_.trace.size() - 1, std::move(path)});
  }

  /// Memory of one thread is no cell: a read gives what the thread wrote last, as an expression.
  void unshared(const ValueEvent& event, const Note& note, const MemoryCell& cell, Own& own) {
    std::vector<ValueEvent>& out = run_.trace.events;
    values::Expressions& expressions = run_.trace.expressions;
    const auto fix = [&](values::ExprId expr, std::uint64_t recorded) {
      if (expr == kNoExpr || expressions[expr].op == values::ExprOp::Constant) return;
      out.push_back({event.thread, Act::Fix, 0, event.location, expr, kNoValue, recorded});
    };
    if (note.role == Role::Write) {
      if (cell.opaque) fix(note.expr, note.recorded);
      own.expr = cell.opaque ? kNoExpr : note.expr;
      own.content = note.recorded;
    } else if (note.role == Role::Read && note.value != kNoValue) {
      const values::ExprId known =
          own.expr != kNoExpr && !cell.opaque ? own.expr : expressions.constant(note.width, note.recorded);
      out.push_back({event.thread, Act::Assign, 0, event.location, known, note.value, note.recorded});
      own.content = note.recorded;
    } else if (note.role == Role::Unknown && event.act == Act::Read) {
      if (own.content) fix(own.expr, *own.content);
    } else {
      own = {};
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
  void unknown(ValueEvent event, const MemoryCell& cell, const Own* own) {
    std::vector<ValueEvent>& out = run_.trace.events;
    if (event.act != Act::Read || cell.opaque) {
      out.push_back(event);
      return;
    }
    OMEN_CHECK(own != nullptr && own->content.has_value());
    event.recorded = *own->content;
    event.value = run_.trace.expressions.new_value(cell.width);
    out.push_back(event);
    out.push_back({event.thread, Act::Fix, 0, event.location, run_.trace.expressions.value(event.value), kNoValue,
                   event.recorded});
  }

  const Program& program_;
  const Recording& recording_;
  Cells& cells_;
  Run& run_;
  std::vector<Own> own_;  ///< by VariableId
};

}  // namespace

Built build_values(const Program& program, const Recording& recording, Cells& cells, Run& run) {
  return Builder(program, recording, cells, run).build();
}

}  // namespace omen::native
