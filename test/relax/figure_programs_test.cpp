/// \file
/// RECIPE's figures and case study as programs. Each is recorded under the schedule that the paper describes, one
/// thread after the other; `control` misses the races that the paper says it misses, `relax` and `paths` find those
/// that it says they find.
#include <gtest/gtest.h>

#include "test/relax/ladder.hpp"

namespace omen::relax {
namespace {

LocationPairs races(const std::string& name, Model model, const std::vector<Verdict>** verdicts = nullptr) {
  for (const auto& [found, source] : programs_in(std::string(OMEN_TEST_DATA) + "/mini/programs")) {
    if (found != name) continue;
    mini::FixedScheduler in_order({});
    auto program = RecordedProgram::run(source, "f", in_order);
    EXPECT_TRUE(program) << program.error();
    Settings settings;
    settings.model = model;
    static std::vector<Verdict> last;
    last = predict(program->subject(), settings);
    if (verdicts != nullptr) *verdicts = &last;
    return program->races(last);
  }
  ADD_FAILURE() << "there is no program " << name;
  return {};
}

const std::pair<std::string, std::string> kFigure1Behind{"f:12:15", "f:7:3"};
const std::pair<std::string, std::string> kFigure1OtherSide{"f:14:15", "f:7:3"};

TEST(FigurePrograms, Figure1) {
  EXPECT_FALSE(races("figure1", Model::Control).contains(kFigure1Behind));
  EXPECT_TRUE(races("figure1", Model::Relax).contains(kFigure1Behind));
  EXPECT_FALSE(races("figure1", Model::Relax).contains(kFigure1OtherSide));
  const std::vector<Verdict>* verdicts = nullptr;
  const LocationPairs all = races("figure1", Model::Paths, &verdicts);
  EXPECT_TRUE(all.contains(kFigure1Behind));
  EXPECT_TRUE(all.contains(kFigure1OtherSide));
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(std::ranges::count_if(*verdicts, [](const Verdict& v) { return v.turned.branch != kNone; }), 1);
}

TEST(FigurePrograms, Figure2) {
  const std::pair<std::string, std::string> behind{"f:10:5", "f:20:7"};
  EXPECT_FALSE(races("figure2", Model::Control).contains(behind));
  EXPECT_TRUE(races("figure2", Model::Relax).contains(behind));
}

TEST(FigurePrograms, Figure3) {
  // The base that line 14 read stays fixed: the race inside the object is found by keeping the value read.
  const std::pair<std::string, std::string> inside{"f:11:5", "f:15:12"};
  for (const Model model : {Model::Lw, Model::Control, Model::Relax, Model::Paths}) {
    EXPECT_TRUE(races("figure3", model).contains(inside)) << name(model);
  }
}

TEST(FigurePrograms, BoundedBufferCaseStudy) {
  const std::pair<std::string, std::string> behind{"f:11:13", "f:7:3"};
  EXPECT_FALSE(races("case_buffer", Model::Control).contains(behind));
  EXPECT_TRUE(races("case_buffer", Model::Relax).contains(behind));
}

}  // namespace
}  // namespace omen::relax
