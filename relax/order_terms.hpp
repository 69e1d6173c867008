/// \file
/// The terms of a query that all models share: of each item of the cone when it comes and whether it is executed before
/// the race, and what it is to come after, and to see a write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relax/cone.hpp"
#include "relax/execution.hpp"
#include "relax/z3.hpp"

namespace omen::relax {

class OrderTerms {
 public:
  OrderTerms(z3::context& z3, const Execution& of, const Cone& within)
      : context(z3),
        solver(z3, z3::solver::simple()),
        execution(of),
        cone(within),
        when_(of.items.size()),
        executed_(of.items.size()) {
    for (const auto& thread : execution.threads) {
      for (const std::uint32_t i : thread) {
        if (!cone.contains(i)) break;
        when_[i] = context.int_const(named("o", i).c_str());
        executed_[i] = cone.must(i) ? context.bool_val(true) : context.bool_const(named("x", i).c_str());
      }
    }
  }

  // For whoever reads a dumped query: o = when, x = executed, f = reads from, l = when that was written, v = the value
  // of a read, c = the read returns its recorded value, k = so do all reads of its thread up to it. Numbers are events.
  std::string named(const char* letter, std::uint32_t i) const { return letter + std::to_string(at(i).event); }

  const Item& at(std::uint32_t i) const { return execution.items[i]; }
  z3::expr when(std::uint32_t i) const { return *when_[i]; }
  /// False for what is outside the cone.
  z3::expr executed(std::uint32_t i) const { return executed_[i] ? *executed_[i] : context.bool_val(false); }

  /// Program order is known without asking.
  z3::expr before(std::uint32_t i, std::uint32_t j) const {
    if (at(i).thread == at(j).thread) return context.bool_val(at(i).position < at(j).position);
    return when(i) < when(j);
  }

  /// `need` is executed before `i` is.
  void after(std::uint32_t i, std::uint32_t need) {
    if (!cone.contains(need)) {
      solver.add(!executed(i));
    } else {
      solver.add(z3::implies(executed(i), executed(need) && before(need, i)));
    }
  }

  /// If `condition`, `writer` is the last write of the cell before `i`.
  void sees(std::uint32_t i, std::uint32_t cell, std::uint32_t writer, const z3::expr& condition) {
    if (writer != kInitial) {
      if (!cone.contains(writer)) {
        solver.add(!condition);
        return;
      }
      solver.add(z3::implies(condition, executed(writer) && before(writer, i)));
    }
    for (const std::uint32_t other : execution.writers[cell]) {
      if (other == i || other == writer || !cone.contains(other)) continue;
      if (at(other).thread == at(i).thread && at(other).position > at(i).position) continue;
      z3::expr apart = before(i, other);
      if (writer != kInitial) apart = apart || before(other, writer);
      solver.add(z3::implies(condition && executed(other), apart));
    }
  }

  z3::context& context;
  z3::solver solver;
  const Execution& execution;
  const Cone& cone;

 private:
  std::vector<std::optional<z3::expr>> when_;      ///< of the cone's items
  std::vector<std::optional<z3::expr>> executed_;  ///< of the cone's items
};

}  // namespace omen::relax
