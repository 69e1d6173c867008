/// \file
/// RECIPE's figures as value traces, and small traces that distinguish neighbouring models.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "relax/predict.hpp"
#include "trace/values/value_format.hpp"

namespace omen::relax {
namespace {

using Races = std::set<std::pair<std::string, std::string>>;

values::ValueTrace trace_of(const std::string& text) {
  auto trace = values::parse_values("omen-values 1\n" + text, "figure");
  EXPECT_TRUE(trace) << trace.error().text();
  return std::move(*trace);
}

Races races(const std::string& text, Model model, values::PathProvider* paths = nullptr, bool artificial = false) {
  values::ValueTrace trace = trace_of(text);
  const Subject subject{.values = &trace, .paths = paths};
  Settings settings;
  settings.model = model;
  settings.limits.artificial_branches = artificial;
  Races found;
  for (const Verdict& v : predict(subject, settings)) {
    if (v.answer != Answer::Race) continue;
    std::string one = trace.names.text(v.first_location);
    std::string two = trace.names.text(v.second_location);
    if (two < one) std::swap(one, two);
    found.emplace(one, two);
  }
  return found;
}

/// Checks that the races found in each model contain those of the models before it.
void expect_ladder(const std::string& text) {
  Races before;
  for (const Model model : kModels) {
    const Races now = races(text, model);
    for (const auto& race : before) EXPECT_TRUE(now.contains(race)) << name(model) << " " << race.first;
    before = now;
  }
}

// Locations are the figures' line numbers.
const std::string kFigure1 = R"(
cell x 32 = 0
cell y 32 = 0
T1|write y = 3:32 -> 3|1
T1|write x = 1:32 -> 1|2
T1|write y = 5:32 -> 5|3
T2|%y4 = read y -> 5|4
T2|branch (slt 2:32 %y4) -> 1|4b
T2|%x5 = read x -> 1|5
)";

TEST(Figure1, RelaxFindsTheRaceBehindTheBranch) {
  const Races y{{"1", "4"}, {"3", "4"}};
  const std::pair<std::string, std::string> behind{"2", "5"};
  for (const Model model : {Model::Ca, Model::Lw, Model::Value, Model::Control}) {
    EXPECT_FALSE(races(kFigure1, model).contains(behind)) << name(model);
  }
  EXPECT_EQ(races(kFigure1, Model::Relax), (Races{{"1", "4"}, {"2", "5"}, {"3", "4"}}));
  expect_ladder(kFigure1);
}

/// The other direction of figure 1's branch, line 7, as a front end would give it.
class OtherSideOfFigure1 final : public values::PathProvider {
 public:
  std::vector<values::Path> paths(values::ValueTrace& trace, std::size_t branch) override {
    values::ValueEvent turned = trace.events[branch];
    turned.recorded ^= 1;
    values::ValueEvent read;
    read.thread = turned.thread;
    read.act = values::Act::Read;
    read.operand = static_cast<std::uint32_t>(trace.cell("x", 32, 0));
    read.location = trace.location("7");
    read.value = trace.expressions.new_value(32);
    return {{{turned, read}, true}};
  }
};

TEST(Figure1, PathsFindsTheRaceOnTheOtherSide) {
  OtherSideOfFigure1 provider;
  EXPECT_EQ(races(kFigure1, Model::Paths, &provider), (Races{{"1", "4"}, {"2", "5"}, {"2", "7"}, {"3", "4"}}));
}

const std::string kFigure2 = R"(
cell s1.f 32 = 0
cell s2.f 32 = 0
T1|write s1.f = 3:32 -> 3|1
T1|write s2.f = 1:32 -> 1|2
T1|write s1.f = 2:32 -> 2|3
T2|%z7 = 10:32 -> 10|7
T2|%y8 = read s1.f -> 2|8
T2|%x9 = (add %y8 %z7) -> 12|9
T2|branch (slt 11:32 %x9) -> 1|10
T2|write s2.f = %x9 -> 12|11
)";

TEST(Figure2, RelaxFindsTheRaceBehindTheSum) {
  const std::pair<std::string, std::string> behind{"11", "2"};
  EXPECT_FALSE(races(kFigure2, Model::Control).contains(behind));
  EXPECT_TRUE(races(kFigure2, Model::Relax).contains(behind));
  expect_ladder(kFigure2);
}

// o1 and o2 are the addresses 101 and 102. Line 7 reads o2.f because line 6 read o2.
const std::string kFigure3 = R"(
cell y 32 = 0
cell o1.f 32 = 0
cell o2.f 32 = 0
T1|write y = 101:32 -> 101|3
T1|write y = 102:32 -> 102|4
T1|write o2.f = 5:32 -> 5|5
T2|%z6 = read y -> 102|6
T2|fix %z6 -> 102|7b
T2|%w7 = read o2.f -> 5|7
)";

TEST(Figure3, TheBaseKeepsItsAddress) {
  for (const Model model : {Model::Value, Model::Control, Model::Relax}) {
    // Line 7 can come before line 5, but only after line 4.
    EXPECT_TRUE(races(kFigure3, model).contains({"5", "7"})) << name(model);
  }
  const std::string early = R"(
cell y 32 = 0
cell o2.f 32 = 0
T1|write o2.f = 5:32 -> 5|2
T1|write y = 101:32 -> 101|3
T1|write y = 102:32 -> 102|4
T2|%z6 = read y -> 102|6
T2|fix %z6 -> 102|7b
T2|%w7 = read o2.f -> 5|7
)";
  // Line 6 would have to read something other than 102 for line 7 to come before line 2.
  for (const Model model : kModels) EXPECT_FALSE(races(early, model).contains({"2", "7"})) << name(model);
  expect_ladder(kFigure3);
  expect_ladder(early);
}

TEST(Ladder, ValueAdmitsAnotherWriterOfTheSameValue) {
  const std::string text = R"(
cell x 32 = 0
cell y 32 = 0
T1|write y = 1:32 -> 1|1
T1|write x = 9:32 -> 9|2
T1|write y = 1:32 -> 1|3
T2|%a = read y -> 1|4
T2|branch (eq %a 1:32) -> 1|5
T2|write x = 8:32 -> 8|6
)";
  EXPECT_FALSE(races(text, Model::Lw).contains({"2", "6"}));
  EXPECT_TRUE(races(text, Model::Value).contains({"2", "6"}));
  expect_ladder(text);
}

TEST(Ladder, ControlAdmitsAnyValueWhereNothingDependsOnIt) {
  const std::string text = R"(
cell x 32 = 0
cell y 32 = 0
T1|write x = 9:32 -> 9|2
T1|write y = 1:32 -> 1|3
T2|%a = read y -> 1|4
T2|write x = %a -> 1|6
)";
  EXPECT_FALSE(races(text, Model::Value).contains({"2", "6"}));
  EXPECT_TRUE(races(text, Model::Control).contains({"2", "6"}));
  expect_ladder(text);
}

TEST(Ladder, ArtificialBranchesBindWhatTheBaseDoesNotDependOn) {
  const std::string text = R"(
cell x 32 = 0
cell y 32 = 0
cell i 32 = 4
T1|write x = 9:32 -> 9|2
T1|write y = 1:32 -> 1|3
T2|%a = read y -> 1|4
T2|%i = read i -> 4|5
T2|fix %i -> 4|6b
T2|write x = %a -> 1|6
)";
  EXPECT_FALSE(races(text, Model::Control, nullptr, /*artificial=*/true).contains({"2", "6"}));
  EXPECT_TRUE(races(text, Model::Control).contains({"2", "6"}));
  expect_ladder(text);
}

TEST(Ladder, LocksForksAndJoinsHoldInEveryModel) {
  const std::string text = R"(
cell x 32 = 0
cell y 32 = 0
main|write x = 1:32 -> 1|1
main|fork(T1)|2
T1|begin|3
T1|acq(m)|4
T1|write y = 1:32 -> 1|5
T1|rel(m)|6
main|acq(m)|7
main|write y = 2:32 -> 2|8
main|rel(m)|9
T1|write x = 2:32 -> 2|10
T1|end|11
main|join(T1)|12
main|write x = 3:32 -> 3|13
)";
  for (const Model model : kModels) EXPECT_EQ(races(text, model), Races{}) << name(model);
}

TEST(Ladder, AThreadThatIsNotInThePairMayStopAnywhere) {
  // T3 must give y the value 7 and stop before it overwrites it.
  const std::string text = R"(
cell x 32 = 0
cell y 32 = 0
T1|write x = 1:32 -> 1|1
T3|write y = 7:32 -> 7|2
T3|write y = 8:32 -> 8|3
T1|write y = 9:32 -> 9|4
T2|%a = read y -> 9|5
T2|branch (ule 7:32 %a) -> 1|6
T2|write x = 2:32 -> 2|7
)";
  EXPECT_FALSE(races(text, Model::Control).contains({"1", "7"}));
  EXPECT_TRUE(races(text, Model::Relax).contains({"1", "7"}));
}

TEST(Windows, ARaceIsFoundInItsWindowAndANoSaysWhatItIsGoodFor) {
  std::string text = "cell x 32 = 0\ncell y 32 = 0\ncell z 32 = 0\n";
  for (int i = 0; i < 30; ++i) {
    text += "T1|write z = " + std::to_string(i) + ":32 -> " + std::to_string(i) + "|z\n";
    if (i == 15) text += kFigure1.substr(kFigure1.find("T1|"));
  }
  values::ValueTrace trace = trace_of(text);
  const Subject subject{.values = &trace};
  Settings settings;
  settings.model = Model::Relax;
  settings.window = settings.whole = 14;
  bool found = false;
  for (const Verdict& v : predict(subject, settings)) {
    EXPECT_FALSE(v.whole);
    EXPECT_EQ(v.window.end - v.window.begin, 14U);
    found |= v.answer == Answer::Race && trace.names.text(v.first_location) == "2";
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace omen::relax
