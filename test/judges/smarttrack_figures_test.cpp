/// \file
/// The executions of SmartTrack's figures, and the paper's statements about each. sync(o) is acq(o) r(oVar) w(oVar)
/// rel(o).
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "test/judges/relation_oracle.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"

namespace omen::judges {
namespace {

/// STD text in which `T1|sync(o)` stands for its four events.
Trace with_syncs(std::string_view text) {
  std::string expanded;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto at = line.find("|sync(");
    if (at == std::string_view::npos) {
      expanded += std::string(line) + '\n';
      continue;
    }
    const std::string thread(line.substr(0, at));
    const std::string o(line.substr(at + 6, line.find(')') - at - 6));
    expanded += thread + "|acq(" + o + ")\n" + thread + "|r(" + o + "Var)\n";
    expanded += thread + "|w(" + o + "Var)\n" + thread + "|rel(" + o + ")\n";
  }
  return trace_of(expanded);
}

/// Exactly these relations have a race.
void expect_racy(const Trace& trace, std::initializer_list<Relation> racy) {
  const RelationOracle oracle(trace);
  for (const Relation relation : {Relation::Hb, Relation::Wcp, Relation::Dc, Relation::Wdc}) {
    const bool expected = std::ranges::find(racy, relation) != racy.end();
    EXPECT_EQ(oracle.races(relation).first.has_value(), expected) << "relation " << static_cast<int>(relation);
  }
}

bool has_predictable_race(const Trace& trace) {
  return !ReorderingSearch(trace, Notion::Lw).pairs().empty();
}

constexpr const char* kFigure1 = R"(
  T1|r(x)
  T1|acq(m)
  T1|w(y)
  T1|rel(m)
  T2|acq(m)
  T2|r(z)
  T2|rel(m)
  T2|w(x)
)";

TEST(SmartTrackFigure1, HasAPredictableRaceThatHbMisses) {
  const Trace trace = trace_of(kFigure1);
  expect_racy(trace, {Relation::Wcp, Relation::Dc, Relation::Wdc});
  EXPECT_EQ(ReorderingSearch(trace, Notion::Lw).pairs(), (std::vector<Pair>{{0, 7}}));
}

TEST(SmartTrackFigure1, PredictedTraceIsAccepted) {
  const Trace trace = trace_of(kFigure1);
  std::string why;
  EXPECT_TRUE(accepts_witness(trace, std::vector<std::size_t>{4, 5, 6, 0, 7}, Notion::Lw, &why)) << why;
}

/// "If we replaced rd(z) with rd(y), the execution would not have a predictable race."
TEST(SmartTrackFigure1, HasNoRaceWithReadOfY) {
  std::string text = kFigure1;
  text.replace(text.find("r(z)"), 4, "r(y)");
  const Trace trace = trace_of(text);
  expect_racy(trace, {});
  EXPECT_FALSE(has_predictable_race(trace));
}

TEST(SmartTrackFigure2, HasADcRaceButNoWcpRace) {
  const Trace trace = trace_of(R"(
    T1|r(x)
    T1|acq(m)
    T1|w(y)
    T1|rel(m)
    T2|acq(m)
    T2|r(y)
    T2|rel(m)
    T2|acq(n)
    T2|rel(n)
    T3|acq(n)
    T3|rel(n)
    T3|w(x)
  )");
  expect_racy(trace, {Relation::Dc, Relation::Wdc});
  EXPECT_EQ(ReorderingSearch(trace, Notion::Ca).pairs(), (std::vector<Pair>{{0, 11}}));
  EXPECT_TRUE(accepts_witness(trace, std::vector<std::size_t>{9, 10, 0, 11}, Notion::Lw));
}

/// The arrows of the figure: rel(m) of T1 to rd(x) of T2, sync(o) to sync(o), rel(p) of T1 to wr(x) of T3.
TEST(SmartTrackFigure3, IsOrderedByConflictingSections) {
  const Trace trace = with_syncs(R"(
    T1|acq(p)
    T1|acq(m)
    T1|w(x)
    T1|rel(m)
    T2|acq(m)
    T2|r(x)
    T1|rel(p)
    T2|rel(m)
    T2|sync(o)
    T3|sync(o)
    T3|acq(p)
    T3|w(x)
    T3|rel(p)
  )");
  expect_racy(trace, {});
  const RelationOracle oracle(trace);
  EXPECT_TRUE(oracle.ordered(Relation::Dc, 3, 5));
  EXPECT_TRUE(oracle.ordered(Relation::Dc, 6, 17));
  EXPECT_FALSE(oracle.ordered(Relation::Dc, 6, 16));
}

TEST(SmartTrackFigure4, HasAWdcRaceButNoDcRace) {
  const Trace trace = with_syncs(R"(
    T1|acq(m)
    T1|sync(o)
    T1|r(x)
    T1|rel(m)
    T2|sync(o)
    T2|sync(p)
    T3|acq(m)
    T3|sync(p)
    T3|rel(m)
    T3|w(x)
  )");
  expect_racy(trace, {Relation::Wdc});
  EXPECT_FALSE(has_predictable_race(trace));
  const RelationOracle oracle(trace);
  EXPECT_TRUE(oracle.ordered(Relation::Dc, 6, 20)) << "rule (b) orders the releases of m";
  EXPECT_FALSE(oracle.ordered(Relation::Wdc, 6, 20));
}

/// Figures 5(a) to 5(c): T1's section on m outlives its access to x, which is ordered before T2's. The dashed arrow,
/// from T1's release of m to T3's access, is the order that SmartTrack must not lose.
void expect_figure_5(const char* first, const char* second, const char* third) {
  const Trace trace = with_syncs(std::string("T1|acq(m)\nT1|") + first + "\nT1|sync(o)\nT2|sync(o)\nT2|" + second +
                                 "\nT2|sync(p)\nT1|rel(m)\nT3|sync(p)\nT3|acq(m)\nT3|" + third + "\nT3|rel(m)\n");
  expect_racy(trace, {});
  const RelationOracle oracle(trace);
  const std::size_t release = 15;
  const std::size_t access = 21;
  ASSERT_EQ(trace.events[release].op, Op::Release);
  ASSERT_TRUE(is_access(trace.events[access].op));
  for (const Relation relation : {Relation::Wcp, Relation::Dc, Relation::Wdc}) {
    EXPECT_TRUE(oracle.ordered(relation, release, access));
    EXPECT_FALSE(relation != Relation::Wcp && oracle.ordered(relation, release, access - 1));
  }
}

TEST(SmartTrackFigure5, aReadShare) {
  expect_figure_5("r(x)", "r(x)", "w(x)");
}
TEST(SmartTrackFigure5, bAncillaryForAWrite) {
  expect_figure_5("r(x)", "w(x)", "w(x)");
}
TEST(SmartTrackFigure5, cAncillaryForARead) {
  expect_figure_5("w(x)", "w(x)", "r(x)");
}

}  // namespace
}  // namespace omen::judges
