/// \file
/// The search and the definition of a witness, two independent implementations, agree: every witness of the search is
/// accepted, and every accepted sequence, however it was made, has a pair that the search has found.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "test/judges/random.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/judges/updates.hpp"

namespace omen::judges {
namespace {

using Witness = std::vector<std::size_t>;

constexpr Notion kNotions[] = {Notion::Ca, Notion::Lw, Notion::Data};

/// Adds updates if the notion supports them.
Trace generate_for(Notion notion, Shape shape, std::uint64_t seed, const Limits& limits = {}) {
  Trace trace = generate(shape, seed, limits);
  return notion == Notion::Data ? with_updates(std::move(trace), seed) : std::move(trace);
}

class Witnesses : public testing::TestWithParam<Shape> {
 protected:
  static std::string where(std::uint64_t seed, Notion notion, const Trace& trace) {
    return std::string(name(GetParam())) + " seed " + std::to_string(seed) +
           (notion == Notion::Ca   ? " CA\n"
            : notion == Notion::Lw ? " LW\n"
                                   : " DATA\n") +
           to_std(trace);
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Witnesses, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(name(shape.param)); });

TEST_P(Witnesses, OfTheSearchAreAccepted) {
  for (std::uint64_t seed = 0; seed < trace_count(500); ++seed) {
    for (const Notion notion : kNotions) {
      const Trace trace = generate_for(notion, GetParam(), seed);
      const ReorderingSearch search(trace, notion);
      for (const Pair& pair : search.pairs()) {
        std::string why;
        ASSERT_TRUE(accepts_witness(trace, *search.witness(pair), notion, &why)) << why << '\n'
                                                                                 << where(seed, notion, trace);
      }
    }
  }
}

/// Extends `sequence` by every next event of every thread, recursively, and collects the pairs of accepted ones.
void try_all(const Trace& trace, Notion notion, Witness& sequence, std::set<Pair>& pairs) {
  if (sequence.size() >= 2 && accepts_witness(trace, sequence, notion)) {
    pairs.insert(std::minmax(sequence[sequence.size() - 2], sequence.back()));
  }
  std::set<ThreadId> seen;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (std::ranges::find(sequence, i) != sequence.end() || !seen.insert(trace.events[i].thread).second) continue;
    sequence.push_back(i);
    try_all(trace, notion, sequence, pairs);
    sequence.pop_back();
  }
}

/// Applies the definition to all sequences: the search neither misses nor invents a pair.
TEST_P(Witnesses, OfTinyTracesAreAllFound) {
  const Limits tiny{.max_events = 9, .threads = {2, 3}, .locks = {1, 2}, .variables = {1, 2}};
  for (std::uint64_t seed = 0; seed < trace_count(500); ++seed) {
    for (const Notion notion : kNotions) {
      Limits limits = tiny;
      if (notion == Notion::Data) limits.max_events = 7;  // updates add events
      const Trace trace = generate_for(notion, GetParam(), seed, limits);
      std::set<Pair> pairs;
      Witness empty;
      try_all(trace, notion, empty, pairs);
      const auto found = ReorderingSearch(trace, notion).pairs();
      ASSERT_EQ(pairs, std::set<Pair>(found.begin(), found.end())) << where(seed, notion, trace);
    }
  }
}

/// Any prefixes, interleaved in any way.
Witness random_schedule(const Trace& trace, Random& random) {
  std::vector<Witness> programs(trace.threads());
  for (std::size_t i = 0; i < trace.size(); ++i) programs[index(trace.events[i].thread)].push_back(i);
  std::vector<std::size_t> done(programs.size(), 0);
  Witness schedule;
  for (std::size_t turns = random.below(trace.size() + 1); turns > 0; --turns) {
    const std::size_t t = random.below(programs.size());
    for (std::size_t burst = random.between(1, 6); burst > 0 && done[t] < programs[t].size(); --burst) {
      schedule.push_back(programs[t][done[t]++]);
    }
  }
  return schedule;
}

void mutate(Witness& witness, const Trace& trace, Random& random) {
  const auto any = [&] { return random.below(witness.size()); };
  const auto at = [&](std::size_t i) { return witness.begin() + static_cast<std::ptrdiff_t>(i); };
  switch (random.below(5)) {
    case 0:
      return std::swap(witness[any()], witness[any()]);
    case 1:
      witness.erase(at(any()));
      return;
    case 2:
      witness.insert(at(any()), random.below(trace.size()));
      return;
    case 3:
      witness[any()] = random.below(trace.size());
      return;
    default: {  // moves a run of events
      const std::size_t from = any();
      const std::size_t middle = random.between(from, witness.size() - 1);
      std::rotate(at(from), at(middle), at(random.between(middle, witness.size() - 1)));
    }
  }
}

/// If `witness` is accepted, the search must know its pair.
void expect_known(const Trace& trace, const Witness& witness, Notion notion, const ReorderingSearch& search,
                  std::size_t& accepted) {
  if (witness.size() < 2 || !accepts_witness(trace, witness, notion)) return;
  ++accepted;
  const auto [first, second] = std::minmax(witness[witness.size() - 2], witness.back());
  EXPECT_TRUE(search.predictable({first, second})) << first << ',' << second;
}

TEST_P(Witnesses, ThatAreAcceptedAreKnownToTheSearch) {
  std::size_t accepted = 0;
  for (std::uint64_t seed = 0; seed < trace_count(300); ++seed) {
    Random random(seed);
    for (const Notion notion : kNotions) {
      const Trace trace = generate_for(notion, GetParam(), seed, {.max_events = 20});
      const ReorderingSearch search(trace, notion);
      for (int i = 0; i < 60; ++i) expect_known(trace, random_schedule(trace, random), notion, search, accepted);
      for (const Pair& pair : search.pairs()) {
        Witness witness = *search.witness(pair);
        for (int i = 0; i < 20 && witness.size() >= 2; ++i) {
          mutate(witness, trace, random);
          expect_known(trace, witness, notion, search, accepted);
          if (i % 3 == 2) witness = *search.witness(pair);
        }
      }
      ASSERT_FALSE(HasFailure()) << where(seed, notion, trace);
    }
  }
  EXPECT_GT(accepted, 0U);
}

// ---- Rejections, clause by clause.

std::string refusal(std::string_view text, const Witness& witness, Notion notion = Notion::Lw) {
  std::string why;
  return accepts_witness(trace_of(text), witness, notion, &why) ? "accepted" : why;
}

constexpr const char* kText = "T1|w(y)\nT1|acq(m)\nT1|w(x)\nT1|rel(m)\nT2|acq(m)\nT2|rel(m)\nT2|w(x)";

TEST(WitnessDefinition, Accepts) {
  EXPECT_EQ(refusal(kText, {4, 5, 0, 1, 2, 6}), "accepted");
  EXPECT_EQ(refusal(kText, {0, 4, 5, 1, 6, 2}), "accepted") << "the pair may come in either order";
}

TEST(WitnessDefinition, RefusesForeignAndRepeatedEvents) {
  EXPECT_EQ(refusal(kText, {}), "a witness ends with a pair of events");
  EXPECT_EQ(refusal(kText, {4, 5, 0, 1, 2, 7}), "the trace has no event 7");
  EXPECT_EQ(refusal(kText, {4, 5, 0, 0, 1, 2, 6}), "event 0 (T1|w(y)|) is executed twice");
}

TEST(WitnessDefinition, RefusesWhatIsNoRace) {
  EXPECT_EQ(refusal(kText, {4, 5, 0, 6}), "events 0 (T1|w(y)|) and 6 (T2|w(x)|) do not conflict");
}

TEST(WitnessDefinition, RefusesWhatIsNoPrefix) {
  EXPECT_EQ(refusal(kText, {4, 5, 1, 2, 6}), "event 1 (T1|acq(m)|) comes before 0 (T1|w(y)|)");
  EXPECT_EQ(refusal(kText, {5, 4, 0, 1, 2, 6}), "event 5 (T2|rel(m)|) comes before 4 (T2|acq(m)|)");
}

TEST(WitnessDefinition, RefusesALockHeldTwice) {
  EXPECT_EQ(refusal(kText, {0, 1, 4, 5, 2, 6}),
            "event 4 (T2|acq(m)|): expected lock 'm' to be free; thread 'T1' holds it");
}

TEST(WitnessDefinition, RefusesBrokenHardEdges) {
  EXPECT_EQ(refusal("T1|w(x)\nT1|fork(T2)\nT2|w(x)", {0, 2}),
            "event 2 (T2|w(x)|) does not come after 1 (T1|fork(T2)|)");
  EXPECT_EQ(refusal("T1|r(y)\nT1|w(x)\nT2|join(T1)\nT2|w(x)", {0, 2, 1, 3}),
            "event 1 (T1|w(x)|): expected nothing more of thread 'T1', which has been joined");
  EXPECT_EQ(refusal("T1|w(x)\nT1|arrive(b)\nT2|arrive(b)\nT2|leave(b)\nT2|w(x)", {2, 3, 0, 4}),
            "event 3 (T2|leave(b)|) does not come after 1 (T1|arrive(b)|)");
}

TEST(WitnessDefinition, RefusesMixedLives) {
  EXPECT_EQ(refusal("T3|alloc(x)\nT1|w(x)\nT2|w(x)", {1, 2}),
            "event 1 (T1|w(x)|) is executed in another life of its variable");
}

TEST(WitnessDefinition, RefusesAnotherLastWriter) {
  constexpr const char* kReads = "T1|w(x)\nT1|w(y)\nT2|r(y)\nT2|w(x)";
  EXPECT_EQ(refusal(kReads, {2, 0, 3}), "event 2 (T2|r(y)|) does not have its last writer");
  EXPECT_EQ(refusal(kReads, {2, 0, 3}, Notion::Ca), "event 2 (T2|r(y)|) does not come after 1 (T1|w(y)|)");
  EXPECT_EQ(refusal("T1|w(x)\nT1|store.relaxed(a)\nT2|rmw.relaxed(a)\nT2|w(x)", {2, 0, 3}),
            "event 2 (T2|rmw.relaxed(a)|) does not have its last writer");
}

constexpr const char* kCounter =
    "T1|w(x)\nT1|acq(m)\nT1|r.update(c)\nT1|w.update(c)\nT1|rel(m)\n"
    "T2|acq(m)\nT2|r.update(c)\nT2|w.update(c)\nT2|rel(m)\nT2|w(x)";

TEST(WitnessDefinition, LetsUpdatesReadAnotherValue) {
  EXPECT_EQ(refusal(kCounter, {5, 6, 7, 8, 0, 9}, Notion::Data), "accepted");
  EXPECT_EQ(refusal(kCounter, {5, 6, 7, 8, 0, 9}), "event 6 (T2|r.update(c)|) does not have its last writer");
}

/// A read with an effect needs the values of the whole chain of updates.
TEST(WitnessDefinition, RefusesAReadOfAnotherValue) {
  const std::string text = std::string(kCounter) + "\nT2|r(c)\nT2|w(y)\nT1|w(y)";
  EXPECT_EQ(refusal(text, {5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 11, 12}, Notion::Data),
            "event 10 (T2|r(c)|) does not return what it returned");
  EXPECT_EQ(refusal(text, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Notion::Data), "accepted");
}

TEST(WitnessDefinition, LetsTheRacingReadSeeAnotherWriter) {
  EXPECT_EQ(refusal("T1|w(x)\nT2|r(x)", {0, 1}), "accepted");
  EXPECT_EQ(refusal("T1|w(x)\nT3|w(x)\nT2|r(x)", {0, 2}), "accepted");
  EXPECT_EQ(refusal("T1|w(x)\nT3|w(x)\nT2|r(x)", {0, 2}, Notion::Ca),
            "event 2 (T2|r(x)|) does not come after 1 (T3|w(x)|)");
}

}  // namespace
}  // namespace omen::judges
