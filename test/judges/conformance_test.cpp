/// \file
/// The judges agree with the labels of test/conformance.
#include "test/judges/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"

namespace omen::judges {
namespace {

const std::filesystem::path kData = std::filesystem::path(OMEN_TEST_DATA) / "conformance";

/// The labels follow the papers' definitions. This project's relations have more order, by locks that are held at a
/// fork: no additional race, and the missing ones are not predictable. Returns how many are missing.
std::size_t expect_relations(const LabelledTrace& labelled) {
  const RelationOracle papers(labelled.trace, Definitions::OfThePapers);
  const RelationOracle oracle(labelled.trace);
  const auto has = [](const std::vector<Pair>& pairs, const Pair& p) {
    return std::ranges::find(pairs, p) != pairs.end();
  };
  std::size_t missing = 0;
  for (const auto& [relation, expected] : labelled.races) {
    EXPECT_EQ(papers.races(relation), expected) << labelled.name << ", relation " << static_cast<int>(relation);
    const auto found = oracle.races(relation).pairs;
    for (const Pair& p : found) EXPECT_TRUE(has(expected.pairs, p)) << labelled.name;
    for (const Pair& p : expected.pairs) {
      if (has(found, p)) continue;
      ++missing;
      EXPECT_FALSE(has(labelled.lw, p) || has(labelled.ca, p)) << labelled.name;
    }
  }
  return missing;
}

void expect_predictable(const LabelledTrace& labelled) {
  for (const Notion notion : {Notion::Ca, Notion::Lw}) {
    const ReorderingSearch search(labelled.trace, notion);
    EXPECT_EQ(search.pairs(), notion == Notion::Ca ? labelled.ca : labelled.lw)
        << labelled.name << (notion == Notion::Ca ? ", CA" : ", LW") << '\n'
        << to_std(labelled.trace);
  }
}

TEST(Conformance, RelationsOfAllTraces) {
  const auto traces = load_conformance_traces(kData / "traces.jsonl");
  EXPECT_EQ(traces.size(), 600U);
  std::size_t missing = 0;
  for (const LabelledTrace& labelled : traces) missing += expect_relations(labelled);
  std::printf("600 traces: %zu pairs that are races by the papers' relations are ordered by locks held at a fork\n",
              missing);
  EXPECT_GT(missing, 0U);
}

TEST(Conformance, PredictablePairsOfAllTraces) {
  for (const LabelledTrace& labelled : load_conformance_traces(kData / "traces.jsonl")) expect_predictable(labelled);
}

class VindicatorFigure : public testing::TestWithParam<const char*> {
 protected:
  LabelledTrace figure() const {
    const std::string wanted = std::string("vind_Figure") + GetParam() + ".std";
    for (LabelledTrace& figure : load_figures(kData / "figures")) {
      if (figure.name == wanted) return std::move(figure);
    }
    throw std::runtime_error("no figure " + wanted);
  }
};
INSTANTIATE_TEST_SUITE_P(Seed, VindicatorFigure, testing::Values("1", "2", "3", "4a", "4b", "8", "9a", "9b", "9c"),
                         [](const auto& number) { return std::string(number.param); });

TEST_P(VindicatorFigure, Relations) {
  EXPECT_EQ(expect_relations(figure()), 0U);
}
TEST_P(VindicatorFigure, PredictablePairs) {
  expect_predictable(figure());
}

}  // namespace
}  // namespace omen::judges
