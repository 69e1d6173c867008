/// \file
/// The checker that is extracted from Coq against `checker/`: mutated witnesses of traces with all operations of the
/// event model, and mutated traces. Verdicts are the same, and so are the rejected steps.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/checker.hpp"
#include "test/checker/witness_damage.hpp"
#include "test/judges/random.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/proofs/proved_program.hpp"
#include "trace/well_formed.hpp"

namespace omen::checker {
namespace {

constexpr std::uint64_t kFirstSeed = 57'000'000;

std::string line_of(const Witness& witness) {
  std::string line = "@";
  for (const std::uint32_t event : witness) line += ' ' + std::to_string(event);
  return line + '\n';
}

/// The answer without the text of a rejection.
std::string in_short(const std::string& answer) {
  return answer.substr(0, answer.find(' ', answer.find(' ') == std::string::npos ? 0 : answer.find(' ') + 1));
}

TEST(ProvedChecker, AcceptsWhatTheCheckerAccepts) {
  struct Asked {
    std::uint64_t seed;
    Witness witness;
    std::string expected;
  };
  const std::size_t wanted = judges::trace_count(20'000);
  std::vector<Asked> asked;
  std::string batch;
  std::size_t accepted = 0;
  std::set<Op> operations;
  for (std::uint64_t seed = kFirstSeed; asked.size() < wanted; ++seed) {
    const judges::Shape shape =
        seed % 2 == 0 ? judges::Shape::Rich : judges::kShapes[seed / 2 % judges::kShapes.size()];
    const Trace trace = judges::generate(shape, seed, {.max_events = 20});
    const judges::ReorderingSearch search(trace, judges::Notion::Lw, 20'000);
    const auto pairs = search.pairs();
    if (pairs.empty()) continue;
    const Checker checker(trace);
    judges::Random random(seed);
    batch += judges::to_std(trace);
    for (std::size_t n = 0; n < 10; ++n) {
      const auto original = search.witness(pairs[random.below(pairs.size())]);
      Witness witness(original->begin(), original->end());
      for (const std::uint32_t event : witness) operations.insert(trace.events[event].op);
      if (random.percent(40)) drop_tail(witness, trace, random);
      for (std::size_t times = random.below(3); times > 0; --times) damage(witness, trace.size(), random);
      const auto result = checker.accepts(witness);
      accepted += result ? 1U : 0U;
      batch += line_of(witness);
      asked.push_back({seed, witness, result ? "accepted" : "refused " + std::to_string(result.error().step)});
    }
    batch += "---\n";
  }
  std::size_t at = 0;
  for (const std::string& line : proved_answers(batch)) {
    if (line == "well-formed") continue;
    ASSERT_LT(at, asked.size());
    ASSERT_EQ(in_short(line), asked[at].expected)
        << "seed " << asked[at].seed << ": " << testing::PrintToString(asked[at].witness) << "\nproved: " << line;
    ++at;
  }
  EXPECT_EQ(at, asked.size());
  std::printf("%zu witnesses compared: %zu accepted, %zu refused; %zu operations in them (seeds from %llu)\n", at,
              accepted, at - accepted, operations.size(), static_cast<unsigned long long>(kFirstSeed));
  EXPECT_GT(accepted, at / 10);
  EXPECT_LT(accepted, at * 9 / 10);
  EXPECT_GE(operations.size(), kOpCount - 1) << "nearly every operation of the event model is in some witness";
}

/// Drops, duplicates or moves one event, or gives it to another thread.
void damage(Trace& trace, judges::Random& random) {
  auto& events = trace.events;
  const auto at = [&](std::size_t i) { return events.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t i = random.below(events.size());
  const Event event = events[i];
  switch (random.below(4)) {
    case 0:
      events.erase(at(i));
      return;
    case 1:
      events.insert(at(random.below(events.size() + 1)), event);
      return;
    case 2:
      events.erase(at(i));
      events.insert(at(random.below(events.size() + 1)), event);
      return;
    default:
      events[i].thread = ThreadId{static_cast<std::uint32_t>(random.below(trace.threads()))};
  }
}

TEST(ProvedChecker, FindsTheEventThatIsNotWellFormed) {
  const std::size_t wanted = judges::trace_count(20'000);
  std::vector<std::string> expected;
  std::string batch;
  std::size_t refused = 0;
  for (std::uint64_t seed = kFirstSeed; expected.size() < wanted; ++seed) {
    Trace trace = judges::generate(seed % 2 == 0 ? judges::Shape::Rich : judges::Shape::Nested, seed);
    judges::Random random(seed);
    for (std::size_t times = random.below(4); times > 0 && !trace.events.empty(); --times) damage(trace, random);
    WellFormedness rules;
    std::string answer = "well-formed";
    for (std::size_t i = 0; i < trace.size() && answer == "well-formed"; ++i) {
      if (!rules.check(trace.events[i], trace.names)) answer = "ill-formed " + std::to_string(i);
    }
    refused += answer == "well-formed" ? 0U : 1U;
    expected.push_back(std::move(answer));
    batch += judges::to_std(trace) + "---\n";
  }
  const auto found = proved_answers(batch);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(in_short(found[i]), expected[i]) << "seed " << kFirstSeed + i << ": " << found[i];
  }
  std::printf("%zu traces compared: %zu refused (seeds from %llu)\n", found.size(), refused,
              static_cast<unsigned long long>(kFirstSeed));
  EXPECT_GT(refused, found.size() / 10);
  EXPECT_LT(refused, found.size() * 9 / 10);
}

}  // namespace
}  // namespace omen::checker
