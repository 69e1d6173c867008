/// \file
/// Value traces with all operations of the event model. If no cell has values, every model from `lw` on equals `lw`: on
/// random traces, pair by pair. If atomics have values, these distinguish the models.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <set>

#include "relax/predict.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "trace/values/value_format.hpp"
#include "trace/values/values_check.hpp"

namespace omen::relax {
namespace {

using values::Act;

constexpr std::array<Act, kOpCount> kActs{Act::Read,          Act::Write,         Act::Acquire,    Act::Release,
                                          Act::Fork,          Act::Join,          Act::Begin,      Act::End,
                                          Act::AcquireShared, Act::ReleaseShared, Act::Wait,       Act::Wake,
                                          Act::BarrierArrive, Act::BarrierLeave,  Act::AtomicLoad, Act::AtomicStore,
                                          Act::AtomicRmw,     Act::Fence,         Act::Allocate,   Act::Free};

/// The same trace, with opaque cells.
values::ValueTrace without_values(const Trace& trace) {
  values::ValueTrace result;
  for (const OperandKind kind : {OperandKind::Lock, OperandKind::Thread, OperandKind::Barrier}) {
    const NameTable& names = trace.names.of(kind);
    for (std::uint32_t id = 0; id < names.size(); ++id) result.names.of(kind).intern(names[id]);
  }
  const NameTable& variables = trace.names.of(OperandKind::Variable);
  for (std::uint32_t id = 0; id < variables.size(); ++id) result.cell(variables[id], 0, 0);
  const NameTable& atomics = trace.names.of(OperandKind::Atomic);
  for (std::uint32_t id = 0; id < atomics.size(); ++id) result.atomic(atomics[id], 0, 0);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace.events[i];
    const std::uint32_t operand = traits(e.op).operand == OperandKind::None ? 0 : e.operand;
    result.sync(e.thread, kActs[static_cast<std::size_t>(e.op)], operand, result.location(std::to_string(i)));
  }
  return result;
}

std::set<std::pair<std::uint32_t, std::uint32_t>> races(const Subject& subject, Model model, std::uint32_t window,
                                                        SolverContext& context) {
  Settings settings;
  settings.model = model;
  settings.every = true;
  settings.window = settings.whole = window;
  settings.context = &context;
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const Verdict& v : predict(subject, settings)) {
    if (v.answer == Answer::Race) found.emplace(std::min(v.first, v.second), std::max(v.first, v.second));
  }
  return found;
}

TEST(Opaque, EveryModelIsLwWithoutValues) {
  const std::size_t count = judges::trace_count(600);
  SolverContext context;
  std::size_t total = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const judges::Shape shape = judges::kShapes[seed % judges::kShapes.size()];
    const Trace trace = judges::generate(shape, seed, {.max_events = 22});
    values::ValueTrace opaque = without_values(trace);
    const auto good = values::check(opaque);
    ASSERT_TRUE(good) << good.error().message << "\n" << judges::to_std(trace);
    const std::uint32_t window = seed % 3 == 0 ? 12 : 1000;
    const auto expected = races({.plain = &trace}, Model::Lw, window, context);
    total += expected.size();
    for (const Model model : {Model::Lw, Model::Value, Model::Control, Model::Relax}) {
      ASSERT_EQ(races({.values = &opaque}, model, window, context), expected)
          << name(model) << ", shape " << judges::name(shape) << ", seed " << seed << "\n"
          << judges::to_std(trace);
    }
    const auto text = values::write_values(opaque, "opaque");
    ASSERT_TRUE(text) << text.error().text();
    const auto again = values::parse_values(*text, "opaque");
    ASSERT_TRUE(again) << again.error().text();
    ASSERT_EQ(values::write_values(*again, "opaque").value(), *text);
  }
  std::printf("%zu traces, %zu races, the same in lw, value, control and relax (seeds 0 to %zu)\n", count, total,
              count - 1);
  EXPECT_GT(total, count / 10);
}

std::size_t races_in(const std::string& text, Model model) {
  auto trace = values::parse_values("omen-values 1\ncell x 32 = 0\natomic a 32 = 0\n" + text, "counter");
  EXPECT_TRUE(trace) << trace.error().text();
  SolverContext context;
  return races({.values = &*trace}, model, 1000, context).size();
}

const std::string kCounted = R"(
T1|write x = 1:32 -> 1|1
T1|%a = rmw a -> 0 = (add %a 1:32) -> 1|2
T2|%b = rmw a -> 1 = (add %b 1:32) -> 2|3
)";

TEST(Opaque, ACounterThatNobodyLooksAtOrdersNothing) {
  const std::string text = kCounted + "T2|write x = 2:32 -> 2|4\n";
  EXPECT_EQ(races_in(text, Model::Lw), 0U);
  EXPECT_EQ(races_in(text, Model::Value), 0U);
  EXPECT_EQ(races_in(text, Model::Control), 1U);
  EXPECT_EQ(races_in(text, Model::Relax), 1U);
}

TEST(Opaque, ABranchOnTheCounterOrders) {
  const std::string exact = kCounted + "T2|branch (eq %b 1:32) -> 1|3b\nT2|write x = 2:32 -> 2|4\n";
  EXPECT_EQ(races_in(exact, Model::Control), 0U);
  EXPECT_EQ(races_in(exact, Model::Relax), 0U);
  const std::string loose = kCounted + "T2|branch (ule %b 1:32) -> 1|3b\nT2|write x = 2:32 -> 2|4\n";
  EXPECT_EQ(races_in(loose, Model::Control), 0U);
  EXPECT_EQ(races_in(loose, Model::Relax), 1U);
}

TEST(Opaque, WhatIsWrittenWithoutValueIsReadByNobody) {
  // The write without a value is in between: a read of 1 must come before it.
  const std::string text = R"(
cell y 32 = 0
T1|write y = 1:32 -> 1|1
T2|%r = read y -> 1|2
T2|branch (eq %r 1:32) -> 1|3
T2|write x = 5:32 -> 5|4
T1|write y|5
T1|write x = 6:32 -> 6|6
)";
  EXPECT_GT(races_in(text, Model::Relax), 0U);
  const auto refused = values::parse_values("omen-values 1\ncell y 32 = 0\nT1|write y|1\nT1|%r = read y -> 0|2\n", "t");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().position, "4");
}

}  // namespace
}  // namespace omen::relax
