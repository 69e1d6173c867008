/// \file
/// Conversion of a run's report to the store's findings.
#include "store/findings.hpp"

#include <gtest/gtest.h>

#include <array>

namespace omen::store {
namespace {

using report::Access;
using report::AccessKind;
using report::Frame;
using report::Race;
using report::RunReport;

Frame frame(const std::string& function, const std::string& file, std::uint32_t line) {
  Frame one;
  one.function = function;
  one.file = file;
  one.line = line;
  one.module = "/src/prog";
  return one;
}

/// A race as one compiler's build reports it; `lambda` is that compiler's name for a lambda.
Race race_of(const std::string& lambda) {
  Race race;
  race.observed = true;
  race.variable.kind = report::LocationKind::Global;
  race.variable.name = "total";
  Access& later = race.accesses[0];
  later.kind = AccessKind::Write;
  later.stack = {frame("std::vector<int>::operator[](unsigned long)", "/usr/include/c++/12/bits/stl_vector.h", 1123),
                 frame("add(int)", "/src/lib/add.cpp", 7),
                 frame("main::" + lambda + "::operator()() const", "/src/main.cpp", 30),
                 frame("void std::__invoke_impl<main::" + lambda + ">()", "/usr/include/c++/12/bits/invoke.h", 61)};
  Access& earlier = race.accesses[1];
  earlier.kind = AccessKind::Read;
  earlier.stack = {frame("main", "/src/main.cpp", 33)};
  race.fingerprint = report::fingerprint(race);
  return race;
}

Finding only(const Race& race, const std::string& root = "") {
  RunReport report;
  report.races = {race};
  return findings_of(report, root).at(0);
}

TEST(Findings, SayWhatAndWhere) {
  const Finding one = only(race_of("{lambda()#1}"), "/src");
  EXPECT_EQ(one.kind, "data-race");
  EXPECT_EQ(one.certainty, "observed");
  EXPECT_EQ(one.title, "'total' is written at add.cpp:7 and read at main.cpp:33");
  EXPECT_EQ(one.file, "lib/add.cpp");
  EXPECT_EQ(one.line, 7U);
  EXPECT_EQ(one.function, "add(int)");
  EXPECT_EQ(only(race_of("x"), "/elsewhere").file, "/src/lib/add.cpp");
}

TEST(Findings, PlacesDoNotDependOnNamesOfLambdas) {
  const Finding gcc = only(race_of("{lambda()#1}"));
  const Finding clang = only(race_of("$_0"));
  EXPECT_EQ(gcc.fingerprint, clang.fingerprint);
  EXPECT_EQ(gcc.places, clang.places);
  EXPECT_FALSE(gcc.places.empty());
  Race other = race_of("$_0");
  std::swap(other.accesses[0], other.accesses[1]);
  EXPECT_EQ(only(other).places, gcc.places) << "which one is later does not matter";
}

TEST(Findings, PlacesTellCallersApart) {
  const std::string places = only(race_of("a")).places;
  Race race = race_of("a");
  race.accesses[0].stack[2].line = 31;
  EXPECT_EQ(only(race).places, places) << "pairs of one race are called from several lines of a function";
  race.accesses[0].stack[2].function = "other()";
  EXPECT_NE(only(race).places, places);
  race = race_of("a");
  race.accesses[0].stack[1].line = 8;
  EXPECT_NE(only(race).places, places);
  race = race_of("a");
  race.accesses[1].kind = AccessKind::Write;
  EXPECT_EQ(only(race).places, places) << "of n++, a compiler may show the read or the write";
  race = race_of("a");
  race.accesses[1].stack[0].function = "helper()";
  EXPECT_NE(only(race).places, places);
  race = race_of("a");
  race.kind = report::RaceKind::UseAfterFree;
  EXPECT_NE(only(race).places, places);
  race = race_of("a");
  race.accesses[1].stack[0].file = "";
  EXPECT_EQ(only(race).places, "") << "a place without a line says nothing";
}

TEST(Findings, CompilersWriteTheLastPartOfANameAlike) {
  const auto places = [](const std::string& function) {
    Race race = race_of("a");
    race.accesses[1].stack[0].function = function;
    return only(race).places;
  };
  const std::array<std::vector<std::string>, 4> alike{
      std::vector<std::string>{"go", "void ns::go<int>(int)", "(anonymous namespace)::go",
                               "(anonymous namespace)::go()", "ns::S<(anonymous namespace)::T>::go(int) const",
                               "go(int) [clone .constprop.0]", "f(int)::Local::go(std::vector<int>&)",
                               "go<main()::<lambda()> >"},
      {"main::{unnamed}::operator()", "main::$_0::operator()() const", "operator<<(std::ostream&, S const&)",
       "S::operator->()", "auto main::{lambda(auto:1)#2}::operator()<int>(int) const"},
      {"", "()", "<>"},
      {"operators()", "ns::operators"}};
  for (std::size_t i = 0; i < alike.size(); ++i) {
    for (const std::string& name : alike[i]) EXPECT_EQ(places(name), places(alike[i][0])) << name;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(places(alike[i][0]), places(alike[j][0])) << i << " " << j;
  }
}

TEST(Findings, RacesWithOneFingerprintAreOne) {
  RunReport report;
  report.races = {race_of("a"), race_of("a"), race_of("b")};
  report.races[0].observed = false;
  report.races[0].count = 4;
  const auto found = findings_of(report, "");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].count, 5U);
  EXPECT_EQ(found[0].certainty, "observed");
}

TEST(Findings, DeadlocksAreAmongThem) {
  RunReport report;
  report::Deadlock& deadlock = report.deadlocks.emplace_back();
  deadlock.fingerprint = "dead";
  deadlock.waiting.resize(2);
  deadlock.waiting[0].stack = {frame("left()", "/src/a.cpp", 4)};
  deadlock.waiting[1].stack = {frame("right()", "/src/b.cpp", 9)};
  const auto found = findings_of(report, "/src/");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "deadlock");
  EXPECT_EQ(found[0].title, "threads wait for each other at a.cpp:4 and b.cpp:9");
  EXPECT_EQ(found[0].file, "a.cpp");
}

}  // namespace
}  // namespace omen::store
