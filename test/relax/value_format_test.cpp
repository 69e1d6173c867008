/// \file
/// The text format of value traces: the output reads back; errors are rejected with their line.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "test/judges/random.hpp"
#include "trace/values/value_format.hpp"
#include "trace/values/values_check.hpp"

namespace omen::values {
namespace {

constexpr const char* kGood = R"(omen-values 1
# every act
cell x 32 = 7
cell a[3] 8 = -1
cell flag 1 = 0
cell o opaque
cell q 8 = ?
atomic n 16 = 3
atomic p opaque

main|fork(T1)|p:1
T1|begin|p:2
T1|acq(m)|p:3
T1|%r = read x -> 7|p:4
T1|%s = (add %r 0x10:32) -> 23|p:5
T1|branch (slt %r %s) -> 1|p:6
T1|fix (trunc8 %s) -> 23|p:7
T1|write a[3] = (trunc8 (ite (eq %r 7:32) %s -1:32)) -> 23|p:8
T1|write flag = (not (ult %r 3:32)) -> 1|p:9
T1|rel(m)|p:10
T1|end|p:11
main|join(T1)|p:12
main|store n = 4:16 -> 4|p:14
main|%u = load n -> 4|p:15
main|%w = rmw n -> 4 = (add %w %u) -> 8|p:16
main|write o|p:17
main|read o|p:18
main|load p|p:19
main|alloc(o)|p:20
main|free(o)|p:21
main|racq(l)|p:22
main|rrel(l)|p:23
main|arrive(b)|p:24
main|leave(b)|p:25
main|fence|p:26
main|%t = (sext64 (ashr (neg 4:8) 1:8)) -> -2|13
)";

constexpr const char* kPaths = R"(omen-values 1
cell x 32 = 7
cell y 32 = 0
T1|%a = read x -> 7|p:1
T1|branch (eq %a 7:32) -> 1|p:2
T1|%b = read y -> 0|p:3
paths 2
path 1
T1|branch (eq %a 7:32) -> 0|p:2
T1|%c = read x -> 0|p:5
T1|write y = (add %a %c) -> 0|p:6
path 1 ends
T1|branch (eq %a 7:32) -> 0|p:2
)";

TEST(ValueFormat, PathsAreCarried) {
  const auto trace = parse_values(kPaths, "paths");
  ASSERT_TRUE(trace) << trace.error().text();
  ASSERT_EQ(trace->paths.size(), 2U);
  EXPECT_EQ(trace->paths[0].branch, 1U);
  EXPECT_EQ(trace->paths[0].path.events.size(), 3U);
  EXPECT_FALSE(trace->paths[0].path.complete);
  EXPECT_TRUE(trace->paths[1].path.complete);
  const auto text = write_values(*trace, "out");
  ASSERT_TRUE(text);
  const auto again = parse_values(*text, "again");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(write_values(*again, "out").value(), *text);
}

TEST(ValueFormat, WrongPathsAreRefusedWithTheirLine) {
  const auto refused = [](const std::string& from, const std::string& to) {
    std::string text = kPaths;
    text.replace(text.find(from), from.size(), to);
    const auto trace = parse_values(text, "paths");
    return trace ? std::string() : trace.error().text();
  };
  EXPECT_EQ(refused("paths 2", "paths 3"), "paths:13: expected 3 paths, not 2");
  EXPECT_NE(refused("path 1\n", "path 0\n").find("expected a path to begin with its branch"), std::string::npos);
  EXPECT_NE(refused("path 1\n", "path 9\n").find("paths:8: expected 'path EVENT'"), std::string::npos);
  EXPECT_NE(refused("(add %a %c)", "(add %a %b)").find("to be defined before it is used"), std::string::npos);
  EXPECT_NE(refused("7:32) -> 0|p:2\nT1|%c", "7:32) -> 1|p:2\nT1|%c").find("turned"), std::string::npos);
  EXPECT_NE(refused("T1|%c", "T2|%c").find("in one thread"), std::string::npos);
}

TEST(ValueFormat, WhatIsWrittenReadsBack) {
  const auto trace = parse_values(kGood, "good");
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->size(), 26U);
  const auto text = write_values(*trace, "out");
  ASSERT_TRUE(text) << text.error().text();
  const auto again = parse_values(*text, "again");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(write_values(*again, "out").value(), *text);
  EXPECT_EQ(again->cells[1].initial, 255U);
  EXPECT_EQ(again->events.back().recorded, ~std::uint64_t{0} - 1);
}

TEST(ValueFormat, BadLinesAreRefusedWithTheirPosition) {
  const std::string head = "omen-values 1\ncell x 32 = 0\ncell b 1 = 0\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"cell x 32 = 0\n", "4"},                                   // twice
      {"cell y 7 = 0\n", "4"},                                    // no such width
      {"cell y 8 = 256\n", "4"},                                  // too large
      {"nonsense\n", "4"},                                        //
      {"cell o opaque 7\n", "4"},                                 // an opaque cell has no initial value
      {"cell o opaque\nT|%a = read o -> 1|a\n", "5"},             // it has no values
      {"cell o opaque\nT|write o = 1:32 -> 1|a\n", "5"},          // an opaque cell has no values
      {"T|read x|a\n", "4"},                                      // x has values
      {"atomic n 8 = 0\nT|rmw n|a\n", "5"},                       // n has values
      {"atomic n 8 = 0\nT|%a = rmw n -> 0 = 1:8|a\n", "5"},       // the written value is missing
      {"atomic n 8 = 0\nT|%a = rmw x -> 0 = 1:8 -> 1|a\n", "5"},  // x is not an atomic
      {"cell q 8 = ?\nT|%a = read q -> 0|a\n", "5"},              // its initial value is unknown
      {"T|alloc(y)|a\n", "4"},                                    // not declared
      {"T|write x = 1:32\n", "4"},                                // one bar
      {"T|write x = 1:32|a\n", "4"},                              // no recorded value
      {"T|write x = 1:8 -> 1|a\n", "4"},                          // width of the cell
      {"T|write y = 1:32 -> 1|a\n", "4"},                         // no such cell
      {"T|write x = (add 1:32 1:32) -> 3|a\n", "4"},              // wrong sum
      {"T|write x = (add 1:32 1:8) -> 2|a\n", "4"},               // widths differ
      {"T|write x = (foo 1:32) -> 2|a\n", "4"},                   //
      {"T|write x = %q -> 2|a\n", "4"},                           // not defined
      {"T|%q = read x -> 1|a\n", "4"},                            // memory holds 0
      {"T|%q = read x -> 0|a\nT|%q = read x -> 0|a\n", "5"},      // defined twice
      {"T|%q = read x -> 0|a\nU|write x = %q -> 0|a\n", "5"},     // another thread's
      {"T|branch 1:32 -> 1|a\n", "4"},                            // not one bit
      {"T|branch 1:1 -> 0|a\n", "4"},                             // went the other way
      {"T|rel(m)|a\n", "4"},                                      // not held
      {"T|acq(m)|a\nU|acq(m)|b\n", "5"},                          // held
      {"T|acq|a\n", "4"},                                         //
      {"T|begin|a|b\n", "4"},                                     //
      {"|begin|a\n", "4"},                                        //
      {"T|write x = (zext33 1:1) -> 1|a\n", "4"},                 //
      {"T|write x = 99999999999999999999:32 -> 1|a\n", "4"},      //
      {"T|write x = " + std::string(2000, '(') + "|a\n", "4"},    // deep
  };
  for (const auto& [line, position] : cases) {
    const auto trace = parse_values(head + line, "bad");
    ASSERT_FALSE(trace) << line;
    EXPECT_EQ(trace.error().position, position) << line << trace.error().text();
    EXPECT_NE(trace.error().message.find("expected"), std::string::npos) << trace.error().text();
  }
  EXPECT_FALSE(parse_values("", "empty"));
  EXPECT_FALSE(parse_values("omen-values 2\n", "newer"));
}

TEST(ValueFormat, DamagedTextIsReadOrRefused) {
  judges::Random random(3);
  std::size_t read = 0;
  for (int n = 0; n < 20'000; ++n) {
    std::string text = kGood;
    for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      switch (random.below(3)) {
        case 0:
          text[at] = "()%|:=->0x19 a\n#"[random.below(17)];
          break;
        case 1:
          text.erase(at, 1 + random.below(4));
          break;
        default: {
          const std::size_t from = random.below(text.size());
          text.insert(at, text.substr(from, random.below(12)));
        }
      }
    }
    const auto trace = parse_values(text, "damaged");
    if (!trace) continue;
    ++read;
    const auto written = write_values(*trace, "out");
    if (written) {
      ASSERT_TRUE(parse_values(*written, "again")) << *written;
    }
  }
  std::printf("20000 damaged texts, %zu of them still value traces (seed 3)\n", read);
}

TEST(ValueFormat, NamesThatDoNotFitAreRefused) {
  ValueTrace trace;
  trace.cell("a b", 8, 0);
  EXPECT_FALSE(write_values(trace, "out"));
}

}  // namespace
}  // namespace omen::values
