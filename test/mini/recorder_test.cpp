/// \file
/// Recording a run: evaluating the value trace gives the recorded values, and the same schedule gives the same trace.
/// Paths from branches keep the rules of value traces; the predictions made from them judge the paths.
#include "mini/recorder.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "mini/checker.hpp"
#include "mini/paths.hpp"
#include "test/mini/random_program.hpp"
#include "trace/values/values_check.hpp"

namespace omen::mini {
namespace {

constexpr ProgramLimits kRich{.threads = 4, .statements = 6, .depth = 3, .objects = true, .faults = true};

std::string text_of(const values::ValueTrace& trace) {
  std::string text;
  for (const values::ValueEvent& event : trace.events) text += to_text(event, trace) + "\n";
  return text;
}

Code compiled(const std::string& source, const std::string& name) {
  auto program = load(source, name);
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().text()) << "\n" << source;
  return program ? compile(*program) : Code{};
}

TEST(Recorder, ValueTracesGiveTheRecordedValuesBack) {
  const std::size_t count = program_count(5000);
  std::size_t events = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const std::string source = random_program(seed, kRich);
    const Code code = compiled(source, "p.mini");
    RandomScheduler scheduler(seed);
    const Recording recording = record(code, scheduler);
    const auto good = values::check(recording.trace);
    ASSERT_TRUE(good.has_value()) << "seed " << seed << ", event " << good.error().event << ": " << good.error().message
                                  << "\n"
                                  << source << text_of(recording.trace);
    events += recording.trace.size();

    FixedScheduler again(recording.run.schedule, /*then_least=*/false);
    const Recording second = record(code, again);
    ASSERT_EQ(text_of(recording.trace), text_of(second.trace)) << "seed " << seed;
  }
  std::printf("%zu programs, %zu events of value traces (seeds 1 to %zu)\n", count, events, count);
}

/// A path after the events before its branch: values are defined once, before their use, and widths fit.
TEST(Paths, KeepTheRulesOfValueTraces) {
  const std::size_t count = program_count(2000);
  std::size_t branches = 0;
  std::size_t paths = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const std::string source = random_program(seed, kRich);
    const Code code = compiled(source, "p.mini");
    RandomScheduler scheduler(seed);
    Recording recording = record(code, scheduler);
    const auto provider = path_provider(code, recording.run.schedule);
    const std::string before = text_of(recording.trace);
    for (std::size_t i = 0; i < recording.trace.size(); ++i) {
      if (recording.trace.events[i].act != values::Act::Branch) continue;
      ++branches;
      for (const values::Path& path : provider->paths(recording.trace, i)) {
        ++paths;
        const values::ValueEvent& turned = path.events.at(0);
        ASSERT_EQ(turned.expr, recording.trace.events[i].expr);
        ASSERT_NE(turned.recorded, recording.trace.events[i].recorded);
        std::vector<bool> defined(recording.trace.expressions.values(), false);
        const auto meet = [&](const values::ValueEvent& e) {
          ASSERT_EQ(e.thread, turned.thread);
          std::vector<values::ValueId> used;
          if (e.expr != values::kNoExpr) recording.trace.expressions.values_in(e.expr, used);
          for (const values::ValueId v : used) ASSERT_TRUE(defined[static_cast<std::size_t>(v)]) << "seed " << seed;
          if (e.value != values::kNoValue) {
            ASSERT_FALSE(defined[static_cast<std::size_t>(e.value)]) << "seed " << seed;
            defined[static_cast<std::size_t>(e.value)] = true;
          }
        };
        for (std::size_t j = 0; j < i; ++j) {
          if (recording.trace.events[j].thread == turned.thread) meet(recording.trace.events[j]);
        }
        for (const values::ValueEvent& e : path.events) meet(e);
      }
    }
    ASSERT_EQ(before, text_of(recording.trace));
  }
  std::printf("%zu programs, %zu branches, %zu paths (seeds 1 to %zu)\n", count, branches, paths, count);
}

}  // namespace
}  // namespace omen::mini
