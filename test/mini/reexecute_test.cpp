/// \file
/// Re-execution accepts the schedules that exploration gives as examples of races, and rejects modified ones.
#include "mini/reexecute.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "mini/checker.hpp"
#include "mini/explore.hpp"
#include "test/mini/random_program.hpp"

namespace omen::mini {
namespace {

using values::Act;

values::Step step_of(const Machine& machine, ThreadNumber t, values::ValueTrace& names) {
  const Next& next = machine.next(t);
  const Instruction& i = *next.instruction;
  values::Step step;
  step.thread = names.thread(thread_name(t));
  step.location = names.location(location_text(machine.code(), i.at));
  switch (next.action) {
    case Action::Load:
    case Action::Store:
      step.act = next.action == Action::Load ? Act::Read : Act::Write;
      step.operand = static_cast<std::uint32_t>(names.cell(machine.cell_name(i, next.cell), 32, 0));
      step.value = next.action == Action::Load ? machine.memory(next.at) : next.value;
      break;
    case Action::Lock:
    case Action::Unlock:
      step.act = next.action == Action::Lock ? Act::Acquire : Act::Release;
      step.operand = static_cast<std::uint32_t>(names.lock(machine.cell_name(i, next.cell)));
      break;
    default:
      step.act = next.action == Action::Spawn ? Act::Fork : Act::Join;
      step.operand = static_cast<std::uint32_t>(names.thread(thread_name(next.thread)));
  }
  return step;
}

/// Converts an example of a race to a witness.
values::Witness witness_of(const Code& code, const RaceSites& sites, const Schedule& schedule,
                           values::ValueTrace& names) {
  values::Witness witness;
  Machine machine(code);
  for (const ThreadNumber t : schedule) {
    witness.steps.push_back(step_of(machine, t, names));
    machine.step(t);
  }
  for (ThreadNumber t = 0; t < machine.threads(); ++t) {
    for (ThreadNumber u = 0; u < machine.threads(); ++u) {
      const Next& a = machine.next(t);
      const Next& b = machine.next(u);
      if (t == u || !is_access(a.action) || !is_access(b.action) || a.cell != b.cell) continue;
      if (sites_of(a, b) != sites) continue;
      witness.first = step_of(machine, t, names);
      witness.second = step_of(machine, u, names);
    }
  }
  return witness;
}

TEST(Reexecution, AcceptsExamplesAndRefusesChangedOnes) {
  const std::size_t count = program_count(1000);
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const std::string source = random_program(seed, {.objects = true});
    const auto program = load(source, "p.mini");
    ASSERT_TRUE(program.has_value());
    const Code code = compile(*program);
    const auto judge = reexecutor(code);
    for (const auto& [sites, example] : explore_traces(code, {.steps = 20'000}).races) {
      values::ValueTrace names;
      const values::Witness witness = witness_of(code, sites, example.schedule, names);
      const auto good = judge->run(witness, names);
      ASSERT_TRUE(good.has_value()) << "seed " << seed << ": " << good.error() << "\n" << source;
      ++accepted;

      values::Witness swapped = witness;
      std::swap(swapped.first, swapped.second);
      EXPECT_TRUE(judge->run(swapped, names).has_value());
      values::Witness twice = witness;
      twice.second = twice.first;
      EXPECT_FALSE(judge->run(twice, names).has_value());
      for (std::size_t i = 0; i < witness.steps.size(); ++i) {
        values::Witness changed = witness;
        if (is_access(changed.steps[i].act)) {
          ++changed.steps[i].value;
          EXPECT_FALSE(judge->run(changed, names).has_value()) << "a value of step " << i << ", seed " << seed;
          ++refused;
        }
        changed = witness;
        changed.steps[i].thread = names.thread("T99");
        EXPECT_FALSE(judge->run(changed, names).has_value());
        changed = witness;
        changed.steps[i].location = names.location("p.mini:999:1");
        EXPECT_FALSE(judge->run(changed, names).has_value());
        refused += 2;
      }
    }
  }
  std::printf("%zu witnesses accepted, %zu changed ones refused (seeds 1 to %zu)\n", accepted, refused, count);
}

}  // namespace
}  // namespace omen::mini
