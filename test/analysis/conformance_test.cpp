/// \file
/// The twelve analyses on the labelled traces and on the figures of the papers. The labels judge the definitions, and
/// the definitions judge the analyses.
#include <gtest/gtest.h>

#include "analysis/race_list.hpp"
#include "analysis/registry.hpp"
#include "test/analysis/relation_names.hpp"
#include "test/judges/conformance.hpp"

namespace omen {
namespace {

using judges::LabelledTrace;

void expect_labels(const LabelledTrace& labelled) {
  const judges::RelationOracle oracle(
      labelled.trace);  // itself judged by the labels (test/judges/conformance_test.cpp)
  for (const AnalysisInfo& info : all_analyses()) {
    const judges::Verdicts truth = oracle.races(relation_of(info));
    for (const Tuning tuning : {Tuning{}, Tuning{.first_collection = 0}}) {
      RaceList races;
      info.make(races, tuning)->run(labelled.trace.events);
      std::vector<std::size_t> racy;
      for (const auto& entry : races.entries()) racy.push_back(index(entry.access.site.event));
      const auto first = racy.empty() ? std::nullopt : std::optional(racy.front());
      EXPECT_EQ(first, truth.first) << info.name << " on " << labelled.name;
      if (info.level == "unopt") {
        EXPECT_EQ(racy, truth.racy_events) << info.name << " on " << labelled.name;
      }
    }
  }
}

TEST(LabelledTraces, AllAnalysesAgree) {
  const auto traces = judges::load_conformance_traces(OMEN_TEST_DATA "/conformance/traces.jsonl");
  ASSERT_GE(traces.size(), 600U);
  for (const LabelledTrace& labelled : traces) expect_labels(labelled);
}

TEST(VindicatorFigures, AllAnalysesAgree) {
  const auto figures = judges::load_figures(OMEN_TEST_DATA "/conformance/figures");
  ASSERT_GE(figures.size(), 9U);
  for (const LabelledTrace& figure : figures) expect_labels(figure);
}

}  // namespace
}  // namespace omen
