/// \file
/// The judges agree with the labels of test/conformance.
#include "test/judges/conformance.hpp"

#include <gtest/gtest.h>

#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"

namespace omen::judges {
namespace {

const std::filesystem::path kData = std::filesystem::path(OMEN_TEST_DATA) / "conformance";

void expect_relations(const LabelledTrace& labelled) {
  const RelationOracle oracle(labelled.trace);
  for (const auto& [relation, expected] : labelled.races) {
    EXPECT_EQ(oracle.races(relation), expected) << labelled.name << ", relation " << static_cast<int>(relation);
  }
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
  for (const LabelledTrace& labelled : traces) expect_relations(labelled);
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
  expect_relations(figure());
}
TEST_P(VindicatorFigure, PredictablePairs) {
  expect_predictable(figure());
}

}  // namespace
}  // namespace omen::judges
