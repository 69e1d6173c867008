/// \file
/// The evaluator and Z3 agree on expressions, bit for bit: random expressions over all operators and widths, with
/// operands that are often special (zero, one, all ones, the smallest and greatest signed number).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "relax/expression_encoder.hpp"
#include "test/judges/random.hpp"
#include "test/judges/trace_count.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::relax {
namespace {

using judges::Random;
using values::Expressions;
using values::ExprId;
using values::ExprOp;
using values::ExprShape;
using values::ValueId;
using values::Width;

constexpr std::array<Width, 5> kWidths{1, 8, 16, 32, 64};

std::uint64_t special(Random& random, Width width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::array<std::uint64_t, 8> all{0, 1, 2, values::mask(width), sign, sign - 1, width, random.next()};
  return all[random.below(all.size())] & values::mask(width);
}

/// Values 5 * i to 5 * i + 4 have the five widths.
ExprId leaf(Random& random, Expressions& all, Width width) {
  if (random.percent(25)) return all.constant(width, special(random, width));
  const auto column = static_cast<std::size_t>(std::ranges::find(kWidths, width) - kWidths.begin());
  return all.value(ValueId{static_cast<std::uint32_t>(5 * random.below(4) + column)});
}

ExprId grow(Random& random, Expressions& all, Width width, int depth) {
  if (depth == 0) return leaf(random, all, width);
  while (true) {
    const auto op = static_cast<ExprOp>(random.below(values::kExprOpCount));
    const Width other = kWidths[random.below(kWidths.size())];
    switch (values::traits(op).shape) {
      case ExprShape::Leaf:
        return leaf(random, all, width);
      case ExprShape::Unary:
        return all.unary(op, grow(random, all, width, depth - 1));
      case ExprShape::Binary: {
        const ExprId a = grow(random, all, width, depth - 1);
        return all.binary(op, a, grow(random, all, width, depth - 1));
      }
      case ExprShape::Compare: {
        if (width != 1) continue;
        const ExprId a = grow(random, all, other, depth - 1);
        return all.binary(op, a, grow(random, all, other, depth - 1));
      }
      case ExprShape::Extend:
        if (other > width) continue;
        return all.resize(op, width, grow(random, all, other, depth - 1));
      case ExprShape::Cut:
        if (other < width) continue;
        return all.resize(op, width, grow(random, all, other, depth - 1));
      case ExprShape::Choose: {
        const ExprId c = grow(random, all, 1, depth - 1);
        const ExprId a = grow(random, all, width, depth - 1);
        return all.choose(c, a, grow(random, all, width, depth - 1));
      }
    }
  }
}

/// Z3's value of the expression for given values.
std::uint64_t by_z3(z3::context& context, const Expressions& all, ExprId expr, const std::vector<std::uint64_t>& bits) {
  ExpressionEncoder encoder(context, all,
                            [&](ValueId v) { return context.bv_val(bits[static_cast<std::size_t>(v)], all.width(v)); });
  return encoder.encode(expr).simplify().get_numeral_uint64();
}

TEST(Expressions, EvaluatorAndZ3Agree) {
  const std::size_t count = judges::trace_count(40'000);
  Expressions all;
  for (int row = 0; row < 4; ++row) {
    for (const Width width : kWidths) all.new_value(width);
  }
  Random random(1);
  z3::context context;
  std::vector<std::uint64_t> bits(all.values());
  for (std::size_t n = 0; n < count; ++n) {
    const Width width = kWidths[random.below(kWidths.size())];
    const ExprId expr = grow(random, all, width, 1 + static_cast<int>(random.below(4)));
    for (std::uint32_t v = 0; v < bits.size(); ++v) bits[v] = special(random, all.width(ValueId{v}));
    ASSERT_EQ(all.evaluate(expr, bits), by_z3(context, all, expr, bits)) << "n " << n << ": " << to_text(expr, all);
  }
  std::printf("%zu random expressions, evaluator and Z3 agree on all (seed 1)\n", count);
}

TEST(Expressions, EveryOperatorOnSpecialOperands) {
  z3::context context;
  std::size_t cases = 0;
  for (const Width width : kWidths) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    for (const auto& traits : values::kExprTraits) {
      if (traits.shape != ExprShape::Binary && traits.shape != ExprShape::Compare) continue;
      Expressions all;
      const ExprId x = all.value(all.new_value(width));
      const ExprId y = all.value(all.new_value(width));
      const ExprId expr = all.binary(traits.op, x, y);
      const std::array<std::uint64_t, 9> numbers{0, 1, 2, 3, sign, sign - 1, sign + 1, ~std::uint64_t{0}, width};
      for (const std::uint64_t a : numbers) {
        for (const std::uint64_t b : numbers) {
          const std::vector<std::uint64_t> bits{a & values::mask(width), b & values::mask(width)};
          ++cases;
          ASSERT_EQ(all.evaluate(expr, bits), by_z3(context, all, expr, bits))
              << traits.name << " of " << bits[0] << " and " << bits[1] << ", " << int{width} << " bits";
        }
      }
    }
  }
  std::printf("%zu operator cases\n", cases);
}

/// Tests the solver's search, not only its simplifier: it must find the operand that gives a known result.
TEST(Expressions, SolverFindsWhatTheEvaluatorComputes) {
  Random random(7);
  std::size_t found = 0;
  for (std::size_t n = 0; n < 300; ++n) {
    Expressions all;
    for (int row = 0; row < 4; ++row) {
      for (const int width : {1, 8, 8, 8, 8}) all.new_value(static_cast<Width>(width));
    }
    const ExprId x = all.value(ValueId{1});
    const ExprId k = all.constant(8, special(random, 8));
    const ExprId expr = all.binary(static_cast<ExprOp>(4 + random.below(13)), random.percent(50) ? x : k, x);
    std::vector<std::uint64_t> bits(all.values(), 0);
    bits[1] = special(random, 8);
    const std::uint64_t wanted = all.evaluate(expr, bits);
    z3::context context;
    const z3::expr unknown = context.bv_const("x", 8);
    ExpressionEncoder encoder(context, all, [&](ValueId) { return unknown; });
    z3::solver solver(context);
    solver.add(encoder.encode(expr) == encoder.constant(8, wanted));
    ASSERT_EQ(solver.check(), z3::sat) << to_text(expr, all);
    bits[1] = solver.get_model().eval(unknown, true).get_numeral_uint64();
    ASSERT_EQ(all.evaluate(expr, bits), wanted) << to_text(expr, all) << " with " << bits[1];
    ++found;
  }
  std::printf("%zu operands found (seed 7)\n", found);
}

}  // namespace
}  // namespace omen::relax
