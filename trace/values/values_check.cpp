#include "trace/values/values_check.hpp"

#include <algorithm>

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
        memory_(trace.cells.size()) {
    std::ranges::transform(trace.cells, memory_.begin(), &Cell::initial);
  }

  std::expected<void, std::string> cells() const {
    if (trace_.cells.size() != trace_.names.of(OperandKind::Variable).size()) {
      return std::unexpected("expected as many cells as names of cells");
    }
    for (std::uint32_t i = 0; i < trace_.cells.size(); ++i) {
      const Cell& cell = trace_.cells[i];
      if (!is_width(cell.width) || (cell.initial & ~mask(cell.width)) != 0) {
        return std::unexpected("expected an initial value of 1, 8, 16, 32 or 64 bits for " +
                               quoted(trace_.names.of(VariableId{i})));
      }
    }
    return {};
  }

  std::expected<void, std::string> event(const ValueEvent& e) {
    if (auto ok = operand(e); !ok) return ok;
    if (!is_local(e.act)) {
      Event plain{.thread = e.thread, .operand = e.operand, .location = e.location, .op = op_of(e.act)};
      if (auto ok = rules_.check(plain, trace_.names); !ok) return ok;
    }
    if (e.expr != kNoExpr) {
      if (auto ok = uses(e); !ok) return ok;
    }
    switch (e.act) {
      case Act::Read:
        if (auto ok = comes_out(e, memory_[e.operand], "the cell holds"); !ok) return ok;
        return define(e, trace_.cells[e.operand].width);
      case Act::Write:
        if (trace_.expressions.width(e.expr) != trace_.cells[e.operand].width) {
          return std::unexpected("expected an expression of " + std::to_string(trace_.cells[e.operand].width) +
                                 " bits, as the cell has, not of " + std::to_string(trace_.expressions.width(e.expr)));
        }
        memory_[e.operand] = e.recorded;
        return comes_out(e, evaluate(e), "the expression gives");
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
  std::expected<void, std::string> operand(const ValueEvent& e) const {
    const auto within = [&](OperandKind kind) { return e.operand < trace_.names.of(kind).size(); };
    if (index(e.thread) >= trace_.threads()) return std::unexpected("expected a thread that has a name");
    const bool wants_expr = e.act == Act::Write || is_local(e.act);
    if (wants_expr != (e.expr != kNoExpr))
      return std::unexpected("expected an expression exactly where the act has one");
    if (wants_expr && static_cast<std::size_t>(e.expr) >= trace_.expressions.size()) {
      return std::unexpected("expected an expression of this trace");
    }
    const bool defines = e.act == Act::Read || e.act == Act::Assign;
    if (defines != (e.value != kNoValue)) return std::unexpected("expected a value exactly where the act defines one");
    if (defines && static_cast<std::size_t>(e.value) >= values_.size()) {
      return std::unexpected("expected a value of this trace");
    }
    const bool known = is_access(e.act)                                 ? within(OperandKind::Variable)
                       : e.act == Act::Acquire || e.act == Act::Release ? within(OperandKind::Lock)
                       : e.act == Act::Fork || e.act == Act::Join       ? within(OperandKind::Thread)
                                                                        : e.operand == 0;
    if (!known) return std::unexpected("expected an operand that has a name");
    return {};
  }

  /// All values that the expression mentions were defined before, by the same thread.
  std::expected<void, std::string> uses(const ValueEvent& e) {
    used_.clear();
    trace_.expressions.values_in(e.expr, used_);
    for (const ValueId value : used_) {
      const std::uint32_t owner = owner_[static_cast<std::size_t>(value)];
      const std::string name = "%" + std::to_string(static_cast<std::uint32_t>(value));
      if (owner == kUndefined) return std::unexpected("expected " + name + " to be defined before it is used");
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
    values_[v] = e.recorded;
    return {};
  }

  std::uint64_t evaluate(const ValueEvent& e) const { return trace_.expressions.evaluate(e.expr, values_); }

  static std::expected<void, std::string> comes_out(const ValueEvent& e, std::uint64_t found, const char* what) {
    if (found == e.recorded) return {};
    return std::unexpected("expected the recorded value " + std::to_string(e.recorded) + ", but " + what + " " +
                           std::to_string(found));
  }

  const ValueTrace& trace_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> owner_;  ///< of each value: the thread that defined it
  std::vector<std::uint64_t> memory_;
  std::vector<ValueId> used_;
  WellFormedness rules_;
};

}  // namespace

std::expected<void, Problem> check(const ValueTrace& trace) {
  Checking checking(trace);
  if (auto ok = checking.cells(); !ok) return std::unexpected(Problem{trace.size(), std::move(ok.error())});
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (auto ok = checking.event(trace.events[i]); !ok) return std::unexpected(Problem{i, std::move(ok.error())});
  }
  return {};
}

}  // namespace omen::values
