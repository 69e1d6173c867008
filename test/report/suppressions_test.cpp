/// \file
/// ThreadSanitizer's suppression syntax, with its edge cases.
#include "report/suppressions.hpp"

#include <gtest/gtest.h>

#include "test/symbolize/compiled_program.hpp"

namespace omen::report {
namespace {

Frame frame(std::string function, std::string file = "", std::string module = "/opt/app") {
  Frame frame;
  frame.function = std::move(function);
  frame.file = std::move(file);
  frame.module = std::move(module);
  return frame;
}

/// memcpy called by `Cache::fill()` on one side, `Cache::drop(int)` on the other.
Race race() {
  Race race;
  race.accesses[0].stack = {frame("memcpy", "", "/lib/libc.so.6"), frame("Cache::fill()", "/src/cache/cache.cpp"),
                            frame("main", "/src/main.cpp")};
  race.accesses[1].stack = {frame("Cache::drop(int)", "/src/cache/cache.hpp"), frame("worker", "/src/worker.cpp")};
  race.variable.kind = LocationKind::Global;
  race.variable.name = "app::the_cache";
  return race;
}

bool suppressed(const std::string& line) {
  Suppressions suppressions;
  EXPECT_TRUE(suppressions.add_text(line, "s.txt")) << line;
  return suppressions.match(race()) != nullptr;
}

TEST(Patterns, MatchAnywhereUnlessTied) {
  EXPECT_TRUE(pattern_matches("fill", "Cache::fill()"));
  EXPECT_FALSE(pattern_matches("Fill", "Cache::fill()"));
  EXPECT_TRUE(pattern_matches("^Cache", "Cache::fill()"));
  EXPECT_FALSE(pattern_matches("^fill", "Cache::fill()"));
  EXPECT_TRUE(pattern_matches("fill()$", "Cache::fill()"));
  EXPECT_FALSE(pattern_matches("fill$", "Cache::fill()"));
  EXPECT_TRUE(pattern_matches("^Cache::fill()$", "Cache::fill()"));
  EXPECT_FALSE(pattern_matches("^Cache$", "Cache::fill()"));
}

TEST(Patterns, StarsStandForAnything) {
  EXPECT_TRUE(pattern_matches("*", "x"));
  EXPECT_TRUE(pattern_matches("C*fill", "Cache::fill()"));
  EXPECT_TRUE(pattern_matches("^*fill()$", "Cache::fill()"));
  EXPECT_TRUE(pattern_matches("^C*h*f*)$", "Cache::fill()"));
  EXPECT_FALSE(pattern_matches("^C*z*$", "Cache::fill()"));
  EXPECT_TRUE(pattern_matches("a**b", "ab"));
  EXPECT_TRUE(pattern_matches("^a*", "a"));
  EXPECT_TRUE(pattern_matches("a$", "aba"));  // not the first `a`
  EXPECT_TRUE(pattern_matches("ab*c$", "abcabc"));
}

TEST(Suppressions, OneFindingByItsFingerprint) {
  Race known = race();
  known.fingerprint = "0a1b2c";
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add_text("fingerprint:0a1b2c", "s.txt"));
  EXPECT_TRUE(suppressions.covers(known));
  known.fingerprint = "0a1b2c3";  // not a part of it
  EXPECT_FALSE(suppressions.covers(known));
  known.fingerprint = "";
  EXPECT_FALSE(suppressions.covers(known));
  RunReport report;
  report.deadlocks.resize(2);
  report.deadlocks[0].fingerprint = "0a1b2c";
  report.deadlocks[1].fingerprint = "ff";
  EXPECT_EQ(suppressions.apply(report), 1U);
  ASSERT_EQ(report.deadlocks.size(), 1U);
  EXPECT_EQ(report.deadlocks[0].fingerprint, "ff");
}

TEST(Suppressions, WhatIsKnownOfTheLibraryCanBeShown) {
  Race known = race();
  known.accesses[0].stack = {frame("std::ctype<char>::narrow(char, char) const")};
  known.accesses[1].stack = {frame("std::ctype<char>::_M_narrow_init() const")};
  Suppressions suppressions;
  EXPECT_TRUE(suppressions.covers(known));
  suppressions.set_builtin(false);
  EXPECT_FALSE(suppressions.covers(known));
  EXPECT_EQ(suppressions.match(known), nullptr);
}

TEST(Patterns, EdgeCases) {
  EXPECT_FALSE(pattern_matches("*", ""));
  EXPECT_FALSE(pattern_matches("", ""));
  EXPECT_TRUE(pattern_matches("^", "x"));
  EXPECT_TRUE(pattern_matches("$", "x"));
  EXPECT_FALSE(pattern_matches("^$", "x"));
  EXPECT_TRUE(pattern_matches("a$b", "xa$bx"));  // anchored only at the ends
  EXPECT_TRUE(pattern_matches("a^b", "a^b"));
  const std::string many(3000, 'a');
  EXPECT_FALSE(pattern_matches("^*a*a*a*a*a*a*a*a*b$", many));  // no exponential time
}

TEST(Suppressions, LookAtEveryFrameAndAtTheGlobal) {
  EXPECT_TRUE(suppressed("race:Cache::fill"));
  EXPECT_TRUE(suppressed("race:memcpy"));
  EXPECT_TRUE(suppressed("race:^worker$"));
  EXPECT_TRUE(suppressed("race:src/cache/*.hpp$"));
  EXPECT_TRUE(suppressed("race:libc.so"));
  EXPECT_TRUE(suppressed("race:the_cache"));
  EXPECT_FALSE(suppressed("race:other"));
}

TEST(KnownRaces, AreCoveredIfNoAccessIsElsewhere) {
  Race known = race();
  known.accesses[0].stack = {frame("std::ctype<char>::narrow(char, char) const"), frame("parse()")};
  known.accesses[1].stack = {frame("std::ctype<char>::_M_widen_init() const"), frame("parse()")};
  Suppressions suppressions;
  EXPECT_TRUE(suppressions.covers(known));
  EXPECT_NE(suppressions.match(known), nullptr);
  EXPECT_EQ(suppressions.hits_text(), "");  // not enabled
  EXPECT_EQ(suppressions.unused_text(), "");
  known.accesses[1].stack.front().function = "forget_locale()";
  EXPECT_FALSE(suppressions.covers(known));
  EXPECT_EQ(suppressions.match(known), nullptr);
  known.accesses[1].stack.clear();  // lost
  EXPECT_NE(suppressions.match(known), nullptr);
  known.accesses[0].stack.clear();
  EXPECT_EQ(suppressions.match(known), nullptr);
}

TEST(Suppressions, TopFramesOnly) {
  EXPECT_TRUE(suppressed("race_top:memcpy"));
  EXPECT_TRUE(suppressed("race_top:Cache::drop"));
  EXPECT_FALSE(suppressed("race_top:Cache::fill"));
  EXPECT_FALSE(suppressed("race_top:worker"));
  EXPECT_FALSE(suppressed("race_top:the_cache"));
}

TEST(Suppressions, OtherTypesAreAcceptedWithoutEffect) {
  for (const char* type : {"thread", "mutex", "signal", "none"}) {
    EXPECT_FALSE(suppressed(std::string(type) + ":*")) << type;
  }
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add_text("signal:x\nmutex:y\n", "s.txt"));
  EXPECT_EQ(suppressions.unused_text(), "");
}

TEST(Suppressions, DeadlockLooksAtDeadlocksAlone) {
  Deadlock deadlock;
  deadlock.waiting.resize(2);
  deadlock.waiting[0].stack = {frame("transfer", "/src/bank.cpp")};
  deadlock.waiting[1].holds.emplace().acquired = {frame("audit", "/src/audit.cpp")};
  const auto left = [&](const char* line) {
    Suppressions suppressions;
    EXPECT_TRUE(suppressions.add_text(line, "s.txt"));
    RunReport report;
    report.races = {race()};
    report.deadlocks = {deadlock};
    const std::size_t gone = suppressions.apply(report);
    EXPECT_EQ(gone + report.races.size() + report.deadlocks.size(), 2U);
    return std::pair(report.races.size(), report.deadlocks.size());
  };
  EXPECT_EQ(left("deadlock:transfer"), std::pair(1UL, 0UL));    // where a thread waits
  EXPECT_EQ(left("deadlock:audit.cpp$"), std::pair(1UL, 0UL));  // where a lock was taken
  EXPECT_EQ(left("deadlock:Cache"), std::pair(1UL, 1UL));       // a frame of the race
  EXPECT_EQ(left("race:transfer"), std::pair(1UL, 1UL));
}

TEST(Suppressions, CommentsBlanksAndLineEnds) {
  Suppressions suppressions;
  ASSERT_TRUE(
      suppressions.add_text("\xEF\xBB\xBF# a comment\n\n  \t\n  race:foo bar \t\r\n\t# race:x\nrace:a:b", "s.txt"));
  ASSERT_EQ(suppressions.all().size(), 2U);
  EXPECT_EQ(suppressions.all()[0].pattern, "foo bar");
  EXPECT_EQ(suppressions.all()[0].line, 4U);
  EXPECT_EQ(suppressions.all()[1].pattern, "a:b");
  EXPECT_EQ(suppressions.all()[1].line, 6U);
}

TEST(Suppressions, BadLinesAreNamed) {
  const auto error = [](std::string_view text) {
    Suppressions suppressions;
    const auto ok = suppressions.add_text(text, "s.txt");
    return ok ? std::string() : ok.error().text();
  };
  EXPECT_EQ(error("race:x\n\nraces:y\n").substr(0, 9), "s.txt:3: ");
  EXPECT_NE(error("races:y").find("'races:y'"), std::string::npos);
  EXPECT_NE(error("foo"), "");
  EXPECT_NE(error("race"), "");
  EXPECT_NE(error("race:"), "");
  EXPECT_NE(error("race:  "), "");
  EXPECT_NE(error("Race:x"), "");
  EXPECT_NE(error(":x"), "");
  EXPECT_EQ(error(""), "");
  Suppressions suppressions;
  const auto missing = suppressions.add_file("/nonexistent/suppressions");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().file, "/nonexistent/suppressions");
  EXPECT_FALSE(suppressions.add_file("/"));
}

TEST(Suppressions, CountHitsAndListTheUnused) {
  const test::Scratch scratch;
  const std::string path = scratch.file("s.txt");
  std::ofstream(path) << "race:nothing\nrace:worker\nrace:main\n";
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add_file(path));
  RunReport report;
  report.races = {race(), race(), Race{}};
  report.races[1].count = 4;
  EXPECT_EQ(suppressions.apply(report), 2U);
  EXPECT_EQ(report.races.size(), 1U);
  EXPECT_EQ(suppressions.all()[1].hits, 5U);
  EXPECT_NE(suppressions.hits_text().find("\n5 race:worker\n"), std::string::npos);
  EXPECT_EQ(suppressions.unused_text(),
            path + ":1: unused suppression race:nothing\n" + path + ":3: unused suppression race:main\n");
}

}  // namespace
}  // namespace omen::report
