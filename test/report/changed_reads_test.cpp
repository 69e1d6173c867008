/// \file
/// Which reads a witness changes: computed for updates, from the witness alone; and how a report stores and describes
/// it.
#include "report/changed_reads.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "checker/checker.hpp"
#include "report/merge.hpp"
#include "report/race_json.hpp"
#include "report/race_text.hpp"
#include "trace/formats/format.hpp"

namespace omen::report {
namespace {

Trace parse(const std::string& text) {
  auto trace = load(read_std(text, "t"));
  EXPECT_TRUE(trace) << trace.error().text();
  return std::move(*trace);
}

std::vector<std::uint64_t> events(const std::vector<ReadChange>& changes) {
  std::vector<std::uint64_t> events;
  for (const ReadChange& change : changes) events.push_back(change.event);
  return events;
}

TEST(ChangedReads, AreThoseThatSeeAnotherWriteOrAnotherValue) {
  // 0 1: an update by T1; 2 3: by T2; 4 5: by T1 again, and an atomic counter.
  const Trace trace = parse(
      "T1|r.update(n)|1\nT1|w.update(n)|1\nT2|r.update(n)|2\nT2|w.update(n)|2\nT1|r.update(n)|3\nT1|w.update(n)|3\n"
      "T1|rmw.relaxed.update(a)|4\nT2|rmw.relaxed.update(a)|5\nT2|r(x)|6\n");
  const auto changed = [&](std::vector<std::uint32_t> witness) { return events(changed_updates(trace, witness)); };
  EXPECT_EQ(changed({0, 1, 2, 3, 4, 5, 6, 7, 8}), std::vector<std::uint64_t>{});
  EXPECT_EQ(changed({2, 3}), std::vector<std::uint64_t>{2});             // reads no writer
  EXPECT_EQ(changed({2, 3, 0, 1}), (std::vector<std::uint64_t>{2, 0}));  // both
  EXPECT_EQ(changed({0, 1, 4, 5}), std::vector<std::uint64_t>{4});
  EXPECT_EQ(changed({2, 3, 7}), (std::vector<std::uint64_t>{2, 7}));
  // 2 reads from 1 again, and 0 read no writer, as recorded; so nothing changes.
  EXPECT_EQ(changed({0, 1, 2, 3}), std::vector<std::uint64_t>{});
}

/// The checker accepts a witness under LW if and only if it changes no read, provided that it accepts it under DATA.
TEST(ChangedReads, AWitnessThatChangesNothingIsOneUnderLw) {
  std::size_t changing = 0;
  std::size_t keeping = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::mt19937_64 random(seed);
    std::string text;
    for (int i = 0; i < 8; ++i) {
      const std::string head = "T" + std::to_string(1 + random() % 3) + "|";
      const std::string variable(1, static_cast<char>('n' + random() % 2));
      switch (random() % 3) {
        case 0:
          text += head + "r.update(" + variable + ")|1\n" + head + "w.update(" + variable + ")|1\n";
          break;
        case 1:
          text += head + "rmw.relaxed.update(a" + variable + ")|1\n";
          break;
        default:
          text += head + "w(" + variable + ")|1\n";
      }
    }
    text += "T8|w(z)|1\nT9|w(z)|2\n";
    const Trace trace = parse(text);
    std::vector<std::vector<std::uint32_t>> own(trace.threads());
    for (std::uint32_t i = 0; i + 2 < trace.size(); ++i) own[index(trace.events[i].thread)].push_back(i);
    std::vector<std::uint32_t> witness;
    std::vector<std::size_t> next(own.size(), 0);
    for (int step = 0; step < 30; ++step) {
      const std::size_t t = random() % own.size();
      if (next[t] < own[t].size()) witness.push_back(own[t][next[t]++]);
    }
    const auto last = static_cast<std::uint32_t>(trace.size());
    std::vector<std::uint32_t> whole = witness;
    whole.insert(whole.end(), {last - 2, last - 1});
    const checker::Checker checker(trace);
    if (!checker.accepts(whole, checker::Model::Data)) continue;
    const bool changes = !changed_updates(trace, witness).empty();
    ++(changes ? changing : keeping);
    ASSERT_EQ(checker.accepts(whole, checker::Model::Lw).has_value(), !changes) << "seed " << seed << "\n" << text;
  }
  std::printf("%zu witnesses change reads, %zu do not (seeds 0 to 2999)\n", changing, keeping);
  EXPECT_GT(changing, 300U);
  EXPECT_GT(keeping, 300U);
}

RunReport report_with_changes() {
  Race race;
  race.found_by = race.model = "relax";
  race.confirmed = true;
  race.threads.resize(1);
  race.threads[0].label = "T1";
  ChangedRead read{.event = 3, .thread = 0, .variable = "'y'", .place = {}, .recorded = 5, .now = 3, .count = 2};
  read.place.file = "a.cpp";
  read.place.line = 7;
  race.changed_reads = {read};
  read.recorded.reset();
  read.now.reset();
  read.count = 1;
  race.changed_reads.push_back(read);
  race.turned = TurnedBranch{.thread = 0, .place = {}, .taken = true};
  race.turned->place.file = "a.cpp";
  race.turned->place.line = 9;
  RunReport report;
  report.races = {race};
  report.models = {.witnesses = "lw",
                   .without_pass = {"/p/prog"},
                   .values = {{.name = "relax", .budget = 2000, .candidates = 7, .races = 1, .undecided = 2}}};
  return report;
}

TEST(ChangedReads, ComeBackFromJson) {
  const RunReport report = report_with_changes();
  EXPECT_EQ(report_from_json(as_json(report).dump(), "r.json"), report);
}

TEST(ChangedReads, TextSaysThemAndTheModels) {
  const std::string text = as_text(report_with_changes());
  for (const char* const words :
       {"T1 reads 'y' a.cpp:7: 3 instead of 5 (the first of 2 reads)", "T1 reads 'y' a.cpp:7: what another write left",
        "the program, led by this schedule, came to both accesses",
        "In this schedule T1 goes the other way at the branch a.cpp:9, whose condition held in the recorded run",
        "note: the model is lw: prog was compiled without omen's compiler pass",
        "model relax: 1 race more of 7 pairs of places, 2 undecided (budget 2000)"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
}

TEST(ChangedReads, ModelsOfSeveralRunsAreTheWeakest) {
  RunReport all = report_with_changes();
  all.models.witnesses = "data";
  RunReport other = report_with_changes();
  other.models.without_pass = {"/p/lib.so"};
  other.models.values[0].undecided = 9;
  add_run(all, other);
  EXPECT_EQ(all.models.witnesses, "lw");
  EXPECT_EQ(all.models.without_pass, (std::vector<std::string>{"/p/prog", "/p/lib.so"}));
  ASSERT_EQ(all.models.values.size(), 1U);
  EXPECT_EQ(all.models.values[0].undecided, 9U);
}

}  // namespace
}  // namespace omen::report
