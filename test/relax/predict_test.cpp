/// \file
/// Properties of prediction in every model: results do not depend on the number of jobs, budgets are kept and reported,
/// and a race that does not re-execute ends the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "relax/predict.hpp"
#include "relax/z3.hpp"
#include "test/mini/random_program.hpp"
#include "test/relax/ladder.hpp"
#include "trace/values/value_format.hpp"

namespace omen::relax {
namespace {

const std::string kTrace = R"(omen-values 1
cell x 32 = 0
cell y 32 = 0
T1|write y = 3:32 -> 3|1
T1|write x = 1:32 -> 1|2
T1|write y = 5:32 -> 5|3
T2|%y4 = read y -> 5|4
T2|branch (slt 2:32 %y4) -> 1|4b
T2|%x5 = read x -> 1|5
)";

class Refusing final : public values::Reexecutor {
 public:
  std::expected<void, std::string> run(const values::Witness&, const values::ValueTrace&) const override {
    return std::unexpected("not this way");
  }
};

TEST(Predict, ARaceThatDoesNotReexecuteEndsTheProcess) {
  auto trace = values::parse_values(kTrace, "t");
  ASSERT_TRUE(trace);
  const Refusing refusing;
  const Subject subject{.values = &*trace, .reexecutor = &refusing};
  EXPECT_EXIT(predict(subject, {}), ::testing::ExitedWithCode(70), "does not re-execute: the program: not this way");
}

TEST(Predict, ReplayRefusesWhatIsNoExecution) {
  auto trace = values::parse_values(kTrace, "t");
  ASSERT_TRUE(trace);
  const auto good = [&](std::vector<std::uint32_t> schedule, std::uint32_t first, std::uint32_t second) {
    return replay(*trace, {}, schedule, first, second).has_value();
  };
  EXPECT_TRUE(good({0, 3}, 1, 5));
  EXPECT_FALSE(good({3, 0}, 1, 5));     // the branch has another outcome
  EXPECT_FALSE(good({0}, 1, 5));        // the read of y is missing
  EXPECT_FALSE(good({0, 3}, 2, 5));     // not next
  EXPECT_FALSE(good({0, 3, 3}, 1, 5));  // twice
  EXPECT_FALSE(good({0, 1, 2}, 3, 5));  // one thread
  EXPECT_FALSE(good({99}, 1, 5));       // no such event
}

TEST(Predict, AnswersDoNotDependOnTheNumberOfJobs) {
  for (std::uint64_t seed = 300'000; seed < 300'012; ++seed) {
    const std::string source = mini::random_program(seed, {});
    std::vector<std::vector<Verdict>> answers;
    for (const std::size_t jobs : {1U, 2U}) {
      auto program = RecordedProgram::run(source, "p.mini", seed);
      ASSERT_TRUE(program) << program.error();
      Settings settings;
      settings.model = Model::Paths;
      settings.jobs = jobs;
      answers.push_back(predict(program->subject(), settings));
    }
    ASSERT_EQ(answers[0].size(), answers[1].size());
    for (std::size_t i = 0; i < answers[0].size(); ++i) {
      EXPECT_EQ(answers[0][i].answer, answers[1][i].answer);
      EXPECT_EQ(answers[0][i].schedule, answers[1][i].schedule);
      EXPECT_EQ(answers[0][i].turned.branch, answers[1][i].turned.branch);
    }
  }
}

TEST(Predict, EveryQueryIsDumpedAndSaysTheSame) {
  auto trace = values::parse_values(kTrace, "t");
  ASSERT_TRUE(trace);
  const Subject subject{.values = &*trace};
  for (const Model model : {Model::Lw, Model::Control, Model::Relax}) {
    std::map<std::string, std::string> dumped;
    Settings settings;
    settings.model = model;
    settings.dump = [&](const std::string& name, const std::string& text) {
      EXPECT_TRUE(dumped.emplace(name, text).second) << name;
    };
    const auto verdicts = predict(subject, settings);
    EXPECT_EQ(verdicts.size(), 3U);
    // Under LW line 5's thread needs the writer of y, which comes after the write of x: the cone excludes the pair.
    EXPECT_EQ(dumped.size(), model == Model::Lw ? 2U : 3U);
    for (const Verdict& v : verdicts) {
      if (model == Model::Lw && v.first == 1) {
        EXPECT_EQ(v.answer, Answer::Impossible);
        continue;
      }
      const std::string name =
          std::string(relax::name(model)) + "-" + std::to_string(v.first) + "-" + std::to_string(v.second) + "-in-0-6";
      ASSERT_TRUE(dumped.contains(name)) << name;
      z3::context context;
      z3::solver solver(context);
      solver.from_string(dumped[name].c_str());
      EXPECT_EQ(solver.check(), v.answer == Answer::Race ? z3::sat : z3::unsat) << name;
    }
  }
}

TEST(Predict, ASideThatNoScheduleReachesIsAskedForOnce) {
  const auto asked = [](const std::string& flag) {
    auto trace = values::parse_values("omen-values 1\ncell flag 32 = " + flag + R"(
cell x 32 = 0
cell y 32 = 0
T1|write flag = 0:32 -> 0|1
T1|write x = 1:32 -> 1|2
T1|write y = 1:32 -> 1|3
T2|%f = read flag -> 0|4
T2|branch (eq %f 7:32) -> 0|5
paths 1
path 4
T2|branch (eq %f 7:32) -> 1|5
T2|write x = 2:32 -> 0|6
T2|write y = 2:32 -> 0|7
)",
                                      "t");
    EXPECT_TRUE(trace) << trace.error().text();
    values::CarriedPaths paths;
    const Subject subject{.values = &*trace, .paths = &paths};
    Settings settings;
    settings.model = Model::Paths;
    settings.recorded_ways = false;
    std::size_t queries = 0;
    settings.dump = [&](const std::string&, const std::string&) { ++queries; };
    const std::vector<Verdict> verdicts = predict(subject, settings);
    EXPECT_EQ(verdicts.size(), 2U);
    for (const Verdict& v : verdicts) EXPECT_EQ(v.answer, flag == "7" ? Answer::Race : Answer::Impossible);
    return queries;
  };
  EXPECT_EQ(asked("0"), 1U);  // nobody writes 7
  EXPECT_GT(asked("7"), 1U);
}

TEST(Predict, OutOfBudgetIsSaid) {
  // Factoring: is there a schedule in which the product of two 64-bit numbers is this one?
  std::string text = "omen-values 1\ncell x 32 = 0\ncell a 64 = 1\ncell b 64 = 1\ncell c 64 = 0\n";
  text += "T1|write a = 3037000493:64 -> 3037000493|1\nT1|write b = 3037000453:64 -> 3037000453|2\n";
  text += "T1|write x = 1:32 -> 1|3\nT1|write c = 1:64 -> 1|4\n";
  text += "T2|%c = read c -> 1|5\nT2|%a = read a -> 3037000493|6\nT2|%b = read b -> 3037000453|7\n";
  const std::uint64_t product = (3037000493ULL + 1) * (3037000453ULL - 1) % 1000003;
  text += "T2|branch (eq (urem (mul (add %a %c) (sub %b %c)) 1000003:64) " + std::to_string(product) + ":64) -> 1|8\n";
  text += "T2|write x = 2:32 -> 2|9\n";
  auto trace = values::parse_values(text, "t");
  ASSERT_TRUE(trace) << trace.error().text();
  const Subject subject{.values = &*trace};
  Settings settings;
  settings.limits.rlimit = 50;
  bool said = false;
  for (const Verdict& v : predict(subject, settings)) {
    if (v.answer != Answer::OutOfBudget) continue;
    EXPECT_NE(v.ran_out.find("Z3's resources (50)"), std::string::npos) << v.ran_out;
    said = true;
  }
  EXPECT_TRUE(said);
  settings.limits = {.constraints = 1};
  for (const Verdict& v : predict(subject, settings)) {
    if (v.answer != Answer::OutOfBudget) continue;
    EXPECT_NE(v.ran_out.find("constraints (1 allowed)"), std::string::npos) << v.ran_out;
  }
}

TEST(Predict, WhatNobodyKnowsIsReadByNobody) {
  const std::string text =
      "omen-values 1\ncell x 32 = 0\ncell u 32 = ?\n"
      "T1|write u = 1:32 -> 1|1\nT1|write x = 1:32 -> 1|2\nT2|%u = read u -> 1|3\nT2|write x = 2:32 -> 2|4\n";
  auto trace = values::parse_values(text, "t");
  ASSERT_TRUE(trace) << trace.error().text();
  for (const bool every_query : {false, true}) {
    Settings settings;
    settings.model = Model::Relax;
    if (every_query) settings.dump = [](const std::string&, const std::string&) {};
    const auto verdicts = predict({.values = &*trace}, settings);
    const auto found = std::ranges::find_if(verdicts, [](const Verdict& v) { return v.first == 1 && v.second == 3; });
    ASSERT_NE(found, verdicts.end());
    EXPECT_EQ(found->answer, Answer::Race);
  }
}

/// Two threads count under one lock, 600 times each, and the counter is never read otherwise. Their accesses before and
/// after the loop are thousands of events apart.
std::string two_counters(bool on_the_way) {
  std::string text = "omen-values 1\ncell x 32 = 0\ncell y 32 = 0\ncell n 32 = 0\nT1|write x = 1:32 -> 1|first\n";
  int value = 0;
  for (const char* const thread : {"T1", "T2"}) {
    for (int i = 0; i < 600; ++i, ++value) {
      const std::string name = std::string(thread) == "T1" ? "%a" + std::to_string(i) : "%b" + std::to_string(i);
      const std::string place = std::string("|") + thread + "\n";
      text += std::string(thread) + "|acq(m)" + place;
      text += std::string(thread) + "|" + name + " = read n -> " + std::to_string(value) + place;
      text += std::string(thread) + "|write n = (add " + name + " 1:32) -> " + std::to_string(value + 1) + place;
      text += std::string(thread) + "|rel(m)" + place;
    }
    if (std::string(thread) == "T1") text += "T1|write y = 1:32 -> 1|y1\n";
  }
  if (on_the_way) text += "T2|branch (eq %b599 1199:32) -> 1|branch\n";
  return text + "T2|%x = read x -> 1|last\nT2|write y = 2:32 -> 2|y2\n";
}

TEST(Predict, FarApartIsDecided) {
  for (const bool on_the_way : {false, true}) {
    auto trace = values::parse_values(two_counters(on_the_way), "t");
    ASSERT_TRUE(trace) << trace.error().text();
    const auto at = [&](const char* place) { return LocationId{*trace->names.locations().find(place)}; };
    for (const Model model : {Model::Ca, Model::Lw, Model::Value, Model::Control, Model::Relax}) {
      Settings settings = Settings::of_budget(2000);
      settings.model = model;
      ASSERT_LT(settings.window, trace->size());
      std::size_t asked = 0;
      for (const Verdict& v : predict({.values = &*trace}, settings)) {
        const bool x = std::minmax(v.first_location, v.second_location) == std::minmax(at("first"), at("last"));
        const bool y = std::minmax(v.first_location, v.second_location) == std::minmax(at("y1"), at("y2"));
        if (!x && !y) continue;
        ++asked;
        EXPECT_TRUE(v.whole) << name(model);
        // T2 counts first, if nothing depends on its values; y comes after all of T1, which then counts second.
        const bool free = !on_the_way && model >= Model::Control;
        const bool last = y;
        EXPECT_EQ(v.answer, (x && free) || last ? Answer::Race : Answer::Impossible)
            << name(model) << (x ? " x" : " y") << on_the_way;
      }
      EXPECT_EQ(asked, 2U) << name(model);
    }
  }
}

TEST(Predict, WhatNoWindowHoldsIsSaid) {
  std::string text = "omen-values 1\ncell x 32 = 0\ncell z 32 = 0\nT1|write x = 1:32 -> 1|first\n";
  for (int i = 0; i < 40; ++i) text += "T1|write z = 1:32 -> 1|z\n";
  text += "T2|write x = 2:32 -> 2|last\n";
  auto trace = values::parse_values(text, "t");
  ASSERT_TRUE(trace);
  const Subject subject{.values = &*trace};
  Settings settings;
  settings.window = 10;
  settings.whole = 0;
  const auto verdicts = predict(subject, settings);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].answer, Answer::OutOfBudget);
  EXPECT_EQ(verdicts[0].ran_out, "no window of 10 events holds both");
  settings.whole = 100;
  EXPECT_EQ(predict(subject, settings).at(0).answer, Answer::Race);
}

TEST(Predict, OnePairAlone) {
  auto trace = values::parse_values(kTrace, "t");
  ASSERT_TRUE(trace);
  const Subject subject{.values = &*trace};
  Settings settings;
  settings.model = Model::Relax;
  EXPECT_EQ(predict_pair(subject, settings, 5, 1)->answer, Answer::Race);
  settings.model = Model::Control;
  EXPECT_EQ(predict_pair(subject, settings, 1, 5)->answer, Answer::Impossible);
  EXPECT_FALSE(predict_pair(subject, {}, 0, 1));
  EXPECT_FALSE(predict_pair(subject, {}, 0, 4));
  EXPECT_FALSE(predict_pair(subject, {}, 0, 400));
}

}  // namespace
}  // namespace omen::relax
