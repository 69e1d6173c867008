/// \file
/// Reports of several runs: identity of findings, merged runs, comparison with a baseline, and diffs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/baseline.hpp"
#include "report/merge.hpp"
#include "report/race_json.hpp"
#include "report/race_sarif.hpp"
#include "report/race_text.hpp"
#include "report/report_diff.hpp"
#include "report/same_finding.hpp"

namespace omen::report {
namespace {

Frame frame(std::uint32_t line, std::string build = "b1") {
  Frame one;
  one.function = "work()";
  one.file = "/src/a.cpp";
  one.line = line;
  one.module = "/bin/prog";
  one.build_id = std::move(build);
  return one;
}

Race race(std::uint32_t line, const std::string& build = "b1", const std::string& fingerprint = "f1") {
  Race one;
  one.found_by = "wdc";
  one.fingerprint = fingerprint;
  for (Access& access : one.accesses) access.stack = {frame(line, build)};
  one.accesses[1].thread = 1;
  return one;
}

RunReport report_of(std::vector<Race> races) {
  RunReport report;
  report.command = {"./prog"};
  report.process = 7;
  report.events = 10;
  report.threads = 2;
  report.races = std::move(races);
  return report;
}

TEST(SameFinding, LinesTellRacesOfOneFunctionApartInOneBuildOnly) {
  EXPECT_TRUE(is_same(race(3), race(3)));
  EXPECT_FALSE(is_same(race(3), race(4)));
  EXPECT_TRUE(is_same(race(3), race(4, "b2")));
  EXPECT_TRUE(is_same(race(3, ""), race(4, "")));
  EXPECT_FALSE(is_same(race(3), race(3, "b1", "f2")));
}

TEST(Merge, UnitesWhatIsTheSameAndKeepsTheSurest) {
  Race observed = race(3);
  observed.observed = true;
  RunReport all = report_of({race(3)});
  RunReport second = report_of({observed, race(4)});
  second.exit.code = 2;
  second.notes = {"slow"};
  add_run(all, second);
  add_run(all, report_of({race(4)}));
  EXPECT_EQ(all.runs, 3U);
  EXPECT_EQ(all.events, 30U);
  EXPECT_EQ(all.threads, 2U);
  EXPECT_EQ(all.exit.code, 2);
  EXPECT_EQ(all.notes, std::vector<std::string>{"slow"});
  ASSERT_EQ(all.races.size(), 2U);
  EXPECT_TRUE(all.races[0].observed);
  EXPECT_EQ(all.races[0].origin.runs, 2U);
  EXPECT_EQ(all.races[0].count, 2U);
  EXPECT_EQ(all.races[1].origin.runs, 2U);
  const std::string text = as_text(all, {});
  EXPECT_NE(text.find("  Seen in 2 of 3 runs.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2 races (1 observed, 1 predicted: 0 confirmed, 1 not) in 30 events"), std::string::npos) << text;
}

TEST(Merge, NamesTheProcessesOfOtherRuns) {
  RunReport all = report_of({race(3)});
  RunReport other = report_of({race(4)});
  other.process = 8;
  other.command = {"./other", "-x"};
  add_run(all, other);
  ASSERT_EQ(all.races.size(), 2U);
  EXPECT_EQ(all.races[0].origin, Origin{});
  EXPECT_EQ(all.races[1].origin.process, 8U);
  EXPECT_NE(race_text(all.races[1], all, {}).find("(pid=8)\n"), std::string::npos);
  EXPECT_NE(race_text(all.races[1], all, {}).find("  In process: ./other -x\n"), std::string::npos);
  const auto again = report_from_json(as_json(all).dump(), "r.json");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, all);
}

TEST(Merge, WhatOneRunShowsIsNoOpenQuestionOfAnother) {
  Race open = race(3);
  open.why = "out of budget";
  RunReport all = report_of({});
  all.unconfirmed = {open, race(9)};
  all.unknown = 2;
  add_run(all, report_of({race(3)}));
  EXPECT_EQ(all.unknown, 1U);
  ASSERT_EQ(all.unconfirmed.size(), 1U);
  EXPECT_EQ(all.races.size(), 1U);
}

TEST(BaselineOfAReport, TakesOutWhatIsKnownAndSaysWhatIsGone) {
  const Baseline baseline(report_of({race(3), race(5)}));
  RunReport now = report_of({race(3), race(8)});
  baseline.apply(now);
  baseline.add_gone(now);
  ASSERT_EQ(now.races.size(), 1U);
  EXPECT_EQ(now.races[0], race(8));
  ASSERT_TRUE(now.baseline);
  EXPECT_EQ(now.baseline->known, std::vector<Race>{race(3)});
  EXPECT_EQ(now.baseline->gone, std::vector<Race>{race(5)});
  EXPECT_NE(baseline_text(now).find("1 finding of the baseline was seen again and not listed, 1 not seen"),
            std::string::npos);
  const auto again = report_from_json(as_json(now).dump(), "r.json");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, now);
  std::vector<std::string> states;
  const auto document = as_sarif(now, {});
  for (const auto& result : document["runs"][0]["results"]) states.push_back(result["baselineState"]);
  EXPECT_EQ(states, (std::vector<std::string>{"new", "unchanged", "absent"}));
  EXPECT_FALSE(as_sarif(report_of({race(1)}), {})["runs"][0]["results"][0].contains("baselineState"));
}

TEST(ReportDiff, ListsWhatIsNewGoneAndCommon) {
  Race surer = race(3);
  surer.observed = true;
  const RunReport before = report_of({race(3), race(5)});
  RunReport now = report_of({surer, race(8)});
  const ReportDiff found = diff(before, now);
  ASSERT_EQ(found.added.size(), 1U);
  ASSERT_EQ(found.gone.size(), 1U);
  ASSERT_EQ(found.common.size(), 1U);
  EXPECT_NE(found.added[0].what.find("a.cpp:8"), std::string::npos);
  EXPECT_NE(found.gone[0].what.find("a.cpp:5"), std::string::npos);
  EXPECT_EQ(found.common[0].before, "predicted, not confirmed");
  EXPECT_EQ(found.common[0].now, "observed");
  const std::string text = as_text(found);
  EXPECT_NE(text.find("(observed; before: predicted, not confirmed)"), std::string::npos) << text;
  EXPECT_NE(text.find("1 new, 1 gone, 1 in both\n"), std::string::npos) << text;
  EXPECT_EQ(as_json(found)["new"][0]["fingerprint"], "f1");
  // A baseline hides known findings from the report, not from the diff.
  Baseline(before).apply(now);
  EXPECT_EQ(diff(before, now).common.size(), 1U);
}

}  // namespace
}  // namespace omen::report
