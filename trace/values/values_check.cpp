#include "trace/values/values_check.hpp"

#include <algorithm>
#include <optional>

#include "trace/quote.hpp"
#include "trace/well_formed.hpp"

namespace omen::values {
namespace {

constexpr std::uint32_t kUndefined = ~std::uint32_t{0};

class Checking {
 public:
  explicit Checking(const ValueTrace& trace)
      : trace_(trace),
        values_(trace.expressions.values(), 0),
        owner_(trace.expressions.values(), kUndefined),
        defined_at_(trace.expressions.values(), 0),
        memory_(trace.cells.size()),
        atomics_(trace.atomics.size()) {
    std::ranges::transform(trace.cells, memory_.begin(), initial_of);
    std::ranges::transform(trace.atomics, atomics_.begin(), initial_of);
  }

  std::expected<void, std::string> cells() const {
    if (auto ok = cells(trace_.cells, OperandKind::Variable); !ok) return ok;
    return cells(trace_.atomics, OperandKind::Atomic);
  }

  /// Checks the path's shape. The trace's events are already checked; whether the path is feasible is the solver's
  /// question.
  std::expected<void, std::string> path(const CarriedPath& carried) {
    const std::vector<ValueEvent>& events = carried.path.events;
    const ValueEvent& branch = trace_.events[carried.branch];
    const bool turns = branch.act == Act::Branch && !events.empty() && events[0].act == Act::Branch &&
                       events[0].expr == branch.expr && events[0].recorded != branch.recorded;
    if (!turns) return std::unexpected("expected a path to begin with its branch, turned");
    now_ = carried.branch;
    std::expected<void, std::string> result;
    for (const ValueEvent& e : events) {
      result = e.thread == branch.thread ? event_of_path(e) : std::unexpected("expected all of a path in one thread");
      if (!result) break;
    }
    for (const ValueEvent& e : events) {
      if (e.value != kNoValue && static_cast<std::size_t>(e.value) < owner_.size()) {
        owner_[static_cast<std::size_t>(e.value)] = kUndefined;
      }
    }
    return result;
  }

  std::expected<void, std::string> event(std::size_t number) {
    const ValueEvent& e = trace_.events[number];
    now_ = number;
    if (auto ok = operand(e); !ok) return ok;
    if (!is_local(e.act)) {
      Event plain = event_of(e);
      if (auto ok = rules_.check(plain, trace_.names); !ok) return ok;
    }
    if (e.expr != kNoExpr && e.act != Act::AtomicRmw) {
      if (auto ok = uses(e); !ok) return ok;
    }
    switch (e.act) {
      case Act::Read:
      case Act::Write:
      case Act::AtomicLoad:
      case Act::AtomicStore:
      case Act::AtomicRmw:
        return memory(e);
      case Act::Allocate:
      case Act::Free:
        memory_[e.operand] = std::nullopt;
        return {};
      case Act::Assign:
        if (auto ok = comes_out(e, evaluate(e), "the expression gives"); !ok) return ok;
        return define(e, trace_.expressions.width(e.expr));
      case Act::Branch:
        if (trace_.expressions.width(e.expr) != 1) return std::unexpected("expected a condition of 1 bit");
        return comes_out(e, evaluate(e), "the condition gives");
      case Act::Fix:
        return comes_out(e, evaluate(e), "the expression gives");
      default:
        return {};
    }
  }

 private:
  static std::optional<std::uint64_t> initial_of(const Cell& cell) {
    return cell.initial_known ? std::optional(cell.initial) : std::nullopt;
  }

  std::expected<void, std::string> cells(const std::vector<Cell>& all, OperandKind kind) const {
    const NameTable& names = trace_.names.of(kind);
    if (all.size() != names.size()) return std::unexpected("expected as many cells as names of cells");
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].is_opaque() ? all[i].initial == 0
                             : is_width(all[i].width) && (all[i].initial & ~mask(all[i].width)) == 0) {
        continue;
      }
      return std::unexpected("expected an initial value of 1, 8, 16, 32 or 64 bits for " + quoted(names[i]));
    }
    return {};
  }

  std::expected<void, std::string> memory(const ValueEvent& e) {
    const Cell& cell = trace_.cell_of(e);
    if (cell.is_opaque()) return {};
    std::optional<std::uint64_t>& content = (is_atomic(e.act) ? atomics_ : memory_)[e.operand];
    if (reads_memory(e.act)) {
      if (!content) return std::unexpected("expected a cell that has a value");
      if (auto ok = comes_out(e.recorded, *content, "the cell holds"); !ok) return ok;
      if (auto ok = define(e, cell.width); !ok) return ok;
    }
    if (!writes_memory(e.act)) return {};
    content = std::nullopt;
    if (e.expr == kNoExpr) return {};
    if (e.act == Act::AtomicRmw) {  // it may use its own value
      if (auto ok = uses(e); !ok) return ok;
    }
    if (trace_.expressions.width(e.expr) != cell.width) {
      return std::unexpected("expected an expression of " + std::to_string(cell.width) +
                             " bits, as the cell has, not of " + std::to_string(trace_.expressions.width(e.expr)));
    }
    content = e.written();
    return comes_out(e.written(), evaluate(e), "the expression gives");
  }

  std::expected<void, std::string> operand(const ValueEvent& e) const {
    const auto within = [&](OperandKind kind) { return e.operand < trace_.names.of(kind).size(); };
    if (index(e.thread) >= trace_.threads()) return std::unexpected("expected a thread that has a name");
    const OperandKind kind = is_local(e.act) ? OperandKind::None : omen::traits(op_of(e.act)).operand;
    if (kind == OperandKind::None ? e.operand != 0 : !within(kind)) {
      return std::unexpected("expected an operand that has a name");
    }
    const bool in_memory = reads_memory(e.act) || writes_memory(e.act);
    const bool opaque = in_memory && trace_.cell_of(e).is_opaque();
    const bool may_have_expr = is_local(e.act) || (writes_memory(e.act) && !opaque);
    const bool needs_expr = is_local(e.act) || (e.act == Act::AtomicRmw && !opaque);
    if (e.expr == kNoExpr ? needs_expr : !may_have_expr) {
      return std::unexpected("expected an expression exactly where the act has one");
    }
    if (e.expr != kNoExpr && static_cast<std::size_t>(e.expr) >= trace_.expressions.size()) {
      return std::unexpected("expected an expression of this trace");
    }
    const bool defines = e.act == Act::Assign || (reads_memory(e.act) && !opaque);
    if (defines != (e.value != kNoValue)) return std::unexpected("expected a value exactly where the act defines one");
    if (defines && static_cast<std::size_t>(e.value) >= values_.size()) {
      return std::unexpected("expected a value of this trace");
    }
    return {};
  }

  /// All values that the expression mentions were defined before, by the same thread.
  std::expected<void, std::string> uses(const ValueEvent& e) {
    used_.clear();
    trace_.expressions.values_in(e.expr, used_);
    for (const ValueId value : used_) {
      const std::uint32_t owner = owner_[static_cast<std::size_t>(value)];
      const std::string name = "%" + std::to_string(static_cast<std::uint32_t>(value));
      if (owner == kUndefined || defined_at_[static_cast<std::size_t>(value)] > now_) {
        return std::unexpected("expected " + name + " to be defined before it is used");
      }
      if (owner != static_cast<std::uint32_t>(e.thread)) {
        return std::unexpected("expected values of the same thread; " + name + " belongs to " +
                               quoted(trace_.names.of(ThreadId{owner})));
      }
    }
    return {};
  }

  std::expected<void, std::string> define(const ValueEvent& e, Width width) {
    const auto v = static_cast<std::size_t>(e.value);
    if (owner_[v] != kUndefined) {
      return std::unexpected("expected one definition of %" + std::to_string(v) + ", this is the second");
    }
    if (trace_.expressions.width(e.value) != width) {
      return std::unexpected("expected %" + std::to_string(v) + " to have " + std::to_string(width) + " bits");
    }
    owner_[v] = static_cast<std::uint32_t>(e.thread);
    defined_at_[v] = now_;
    values_[v] = e.recorded;
    return {};
  }

  std::expected<void, std::string> event_of_path(const ValueEvent& e) {
    if (auto ok = operand(e); !ok) return ok;
    if (e.expr != kNoExpr && e.act != Act::AtomicRmw) {
      if (auto ok = uses(e); !ok) return ok;
    }
    const Width width = e.expr == kNoExpr ? Width{0} : trace_.expressions.width(e.expr);
    if (e.act == Act::Branch && width != 1) return std::unexpected("expected a condition of 1 bit");
    if (e.act == Act::Assign) return define(e, width);
    if (is_local(e.act) || !(reads_memory(e.act) || writes_memory(e.act)) || trace_.cell_of(e).is_opaque()) return {};
    const Width own = trace_.cell_of(e).width;
    if (reads_memory(e.act)) {
      if (auto ok = define(e, own); !ok) return ok;
    }
    if (e.act == Act::AtomicRmw) {
      if (auto ok = uses(e); !ok) return ok;
    }
    if (e.expr == kNoExpr || width == own) return {};
    return std::unexpected("expected an expression of " + std::to_string(own) + " bits, as the cell has");
  }

  std::uint64_t evaluate(const ValueEvent& e) const { return trace_.expressions.evaluate(e.expr, values_); }

  static std::expected<void, std::string> comes_out(const ValueEvent& e, std::uint64_t found, const char* what) {
    return comes_out(e.recorded, found, what);
  }
  static std::expected<void, std::string> comes_out(std::uint64_t recorded, std::uint64_t found, const char* what) {
    if (found == recorded) return {};
    return std::unexpected("expected the recorded value " + std::to_string(recorded) + ", but " + what + " " +
                           std::to_string(found));
  }

  const ValueTrace& trace_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> owner_;                  ///< of each value: the thread that defined it
  std::vector<std::size_t> defined_at_;               ///< of each value: the event, or the branch of the path
  std::size_t now_ = 0;                               ///< the event being checked
  std::vector<std::optional<std::uint64_t>> memory_;  ///< of each cell; nothing: it has no known value
  std::vector<std::optional<std::uint64_t>> atomics_;
  std::vector<ValueId> used_;
  WellFormedness rules_;
};

}  // namespace

std::expected<void, Problem> check(const ValueTrace& trace) {
  Checking checking(trace);
  const std::size_t all = trace.size() + trace.paths.size();
  if (auto ok = checking.cells(); !ok) return std::unexpected(Problem{all, std::move(ok.error())});
  for (std::size_t i = 0; i < all; ++i) {
    auto ok = i < trace.size() ? checking.event(i) : checking.path(trace.paths[i - trace.size()]);
    if (!ok) return std::unexpected(Problem{i, std::move(ok.error())});
  }
  return {};
}

}  // namespace omen::values
