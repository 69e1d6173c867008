/// \file
/// How prediction behaves, whatever the model: answers do not depend on the number of jobs, budgets are kept and said,
/// and a race that does not re-execute ends the process.
#include <gtest/gtest.h>

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
  EXPECT_FALSE(good({3, 0}, 1, 5));     // the branch comes out differently
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
    EXPECT_EQ(dumped.size(), verdicts.size());
    for (const Verdict& v : verdicts) {
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

TEST(Predict, OutOfBudgetIsSaid) {
  // Factoring: is there a schedule in which the product of two 64-bit numbers is this one?
  std::string text = "omen-values 1\ncell x 32 = 0\ncell a 64 = 1\ncell b 64 = 1\ncell c 64 = 0\n";
  text += "T1|write a = 3037000493:64 -> 3037000493|1\nT1|write b = 3037000453:64 -> 3037000453|2\n";
  text += "T1|write x = 1:32 -> 1|3\nT1|write c = 1:64 -> 1|4\n";
  text += "T2|%c = read c -> 1|5\nT2|%a = read a -> 3037000493|6\nT2|%b = read b -> 3037000453|7\n";
  text += "T2|branch (eq (urem (mul (add %a %c) (sub %b %c)) 1000003:64) 123:64) -> 0|8\n";
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

TEST(Predict, WhatNoWindowHoldsIsSaid) {
  std::string text = "omen-values 1\ncell x 32 = 0\ncell z 32 = 0\nT1|write x = 1:32 -> 1|first\n";
  for (int i = 0; i < 40; ++i) text += "T1|write z = 1:32 -> 1|z\n";
  text += "T2|write x = 2:32 -> 2|last\n";
  auto trace = values::parse_values(text, "t");
  ASSERT_TRUE(trace);
  const Subject subject{.values = &*trace};
  Settings settings;
  settings.window = 10;
  const auto verdicts = predict(subject, settings);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].answer, Answer::OutOfBudget);
  EXPECT_EQ(verdicts[0].ran_out, "no window of 10 events holds both");
  settings.window = 100;
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
