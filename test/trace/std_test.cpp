/// \file
/// STD: what the reader accepts, the positions and texts of its errors, and what the writer rejects.
#include <gtest/gtest.h>

#include <string>

#include "test/trace/trace_text.hpp"
#include "trace/formats/std_reader.hpp"
#include "trace/trace.hpp"

namespace omen {
namespace {

using test::to_std;

std::string reread(const std::string& text) {
  auto out = to_std(read_std(text, "t.std"));
  return out ? *out : out.error().text();
}

TEST(Std, EveryOperationReadsBack) {
  std::string text;
  for (const std::string& operation : test::all_operations()) text += "T|" + operation + "|here\n";
  EXPECT_EQ(reread(text), text);
}

TEST(Std, AnEmptyFileIsAnEmptyTrace) {
  EXPECT_EQ(reread(""), "");
  EXPECT_EQ(reread("\n\n# nothing\n   \n\t# still nothing\n"), "");
}

TEST(Std, LineEnds) {
  const std::string wanted = "A|r(x)|1\nA|w(x)|2\n";
  EXPECT_EQ(reread("A|r(x)|1\r\nA|w(x)|2\r\n"), wanted);
  EXPECT_EQ(reread("A|r(x)|1\nA|w(x)|2"), wanted);
  EXPECT_EQ(reread("A|r(x)|1\r\n\r\nA|w(x)|2\r"), wanted);
  EXPECT_EQ(reread("A|r(x)|1\r\r\nA|w(x)|2\n\r\r\n"), wanted);
}

TEST(Std, BeginAndEndMayHaveEmptyParentheses) {
  EXPECT_EQ(reread("A|begin()|1\nA|fence.seq_cst()|2\nA|end()|3\n"), "A|begin|1\nA|fence.seq_cst|2\nA|end|3\n");
}

TEST(Std, LocationsAreAnyTextWithoutABar) {
  const std::string text =
      "A|r(x)|f(int, char) a.c:3\nA|r(x)|\nA|r(x)|007\nA|r(x)|0\nA|r(x)|2147483647\nA|r(x)|2147483648\n"
      "A|r(x)|99999999999\nA|r(x)| 5\nA|r(x)|-5\n";
  EXPECT_EQ(reread(text), text);
}

TEST(Std, NumericLocationsTakeNoName) {
  const auto trace = load(read_std("A|r(x)|1\nA|r(x)|2147483647\nA|r(x)|2147483648\nA|r(x)|01\n"));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->names.locations().size(), 2U);
}

TEST(Std, NamesMayHaveBlanksAndBytesOfAnyKind) {
  const std::string text = "main thread|w(a[3].x y)|1\n\xc3\xa9|r(\x01\xff)|2\n";
  EXPECT_EQ(reread(text), text);
}

TEST(Std, ALineMayBeLongerThanTheBuffer) {
  const std::string name(60'000, 'n');
  const std::string text = name + "|r(" + name + ")|" + name + "\n";
  EXPECT_EQ(reread(text + "# " + std::string(900'000, 'c') + "\n" + text), text + text);
}

TEST(Std, ManyBlocks) {
  const std::string text = test::random_std(1, 50'000);
  EXPECT_EQ(reread(text), text);
}

struct Bad {
  std::string text;
  std::string message;
};

class StdRefuses : public testing::TestWithParam<Bad> {};

TEST_P(StdRefuses, WithPositionAndReason) {
  EXPECT_EQ(reread(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, StdRefuses,
    testing::Values(
        Bad{"A|r(x)|1\nnonsense\n", "t.std:2: expected THREAD|OP(OPERAND)|LOCATION, not 'nonsense'"},
        Bad{"A(b)|r(x)|1\n", "t.std:1: expected THREAD|OP(OPERAND)|LOCATION, not 'A(b)|r(x)|1'"},
        Bad{"|r(x)|1\n", "t.std:1: expected the name of a thread before '|r(x)|1'"},
        Bad{"A|q(x)|1\n", "t.std:1: expected an operation (r, w, acq, rel, fork, join, begin, end, …), not 'q'"},
        Bad{"A||1\n", "t.std:1: expected an operation (r, w, acq, rel, fork, join, begin, end, …), not ''"},
        Bad{"A|R(x)|1\n", "t.std:1: expected an operation (r, w, acq, rel, fork, join, begin, end, …), not 'R'"},
        Bad{"A|releases(x)|1\n",
            "t.std:1: expected an operation (r, w, acq, rel, fork, join, begin, end, …), not 'releases'"},
        Bad{"A|r|1\n", "t.std:1: expected the variable of r in parentheses, not '|1'"},
        Bad{"A|acq\n", "t.std:1: expected the lock of acq in parentheses, not the end of the line"},
        Bad{"A|r()|1\n", "t.std:1: expected the name of a variable before ')|1'"},
        Bad{"A|r(x|1\n", "t.std:1: expected ')' after 'x', not '|1'"},
        Bad{"A|r(f(x))|1\n", "t.std:1: expected ')' after 'f', not '(x))|1'"},
        Bad{"A|r(x\n", "t.std:1: expected ')' after 'x', not the end of the line"},
        Bad{"A|r(x)\n", "t.std:1: expected '|' and a location after the operation, not the end of the line"},
        Bad{"A|r(x)y|1\n", "t.std:1: expected '|' and a location after the operation, not 'y|1'"},
        Bad{"A|r(x)|1|2\n", "t.std:1: expected the line to end after the location '1', not '|2'"},
        Bad{"A|fork(#1)|1\n", "t.std:1: expected a thread whose own lines are not comments, not '#1'"},
        Bad{"A|begin(x)|1\n", "t.std:1: expected no operand after begin, not '(x)|1'"},
        Bad{"A|r.relaxed(x)|1\n", "t.std:1: expected no memory order after r, not '.relaxed'"},
        Bad{"A|load(x)|1\n", "t.std:1: expected a memory order for load (relaxed, acquire, seq_cst), not 'load'"},
        Bad{"A|load.release(x)|1\n",
            "t.std:1: expected a memory order for load (relaxed, acquire, seq_cst), not 'load.release'"},
        Bad{"A|store.acquire(x)|1\n",
            "t.std:1: expected a memory order for store (relaxed, release, seq_cst), not 'store.acquire'"},
        Bad{"A|fence.relaxed|1\n",
            "t.std:1: expected a memory order for fence (acquire, release, acq_rel, seq_cst), not 'fence.relaxed'"},
        Bad{"A|rmw.strong(x)|1\n",
            "t.std:1: expected a memory order for rmw (relaxed, acquire, release, acq_rel, seq_cst), not 'rmw.strong'"},
        Bad{"\x1b[2J\n", "t.std:1: expected THREAD|OP(OPERAND)|LOCATION, not '\\x1b[2J'"}));

TEST(StdRefuses, LinesWithoutEnd) {
  const std::string said = reread("A|r(x)|1\n" + std::string(3'000'000, 'x'));
  EXPECT_TRUE(said.starts_with("t.std:2: expected a line of less than 1 MiB, not one that begins 'xxx")) << said;
  EXPECT_LT(said.size(), 200U);
}

TEST(StdRefuses, LongNames) {
  const std::string name(kMaxNameBytes + 1, 'n');
  for (const std::string& line : {name + "|r(x)|1\n", "A|r(" + name + ")|1\n", "A|r(x)|" + name + "\n"}) {
    const std::string said = reread(line);
    EXPECT_NE(said.find("of at most 65535 bytes, not 'nnn"), std::string::npos) << said;
  }
}

// ---- the writer ----------------------------------------------------------------------------------------------------

/// One read of `variable` by `thread` at `location`, as STD.
std::string written(const std::string& thread, const std::string& variable, const std::string& location,
                    StdNames policy = StdNames::Refuse) {
  Names names;
  Event event;
  event.thread = ThreadId{names.of(OperandKind::Thread).intern(thread)};
  event.operand = names.of(OperandKind::Variable).intern(variable);
  event.location = names.intern_location(location);
  std::string out;
  StdWriter writer(bytes_to_memory(out, "out.std"), policy);
  if (auto ok = writer.write({&event, 1}, names); !ok) return ok.error().text();
  EXPECT_TRUE(writer.finish(names));
  return out;
}

TEST(StdWriterNames, WhatStdCannotHoldIsRefused) {
  EXPECT_EQ(written("A", "f(x)", "1"), "out.std: the name 'f(x)' cannot be written as STD: it has '('");
  EXPECT_EQ(written("A", "a|b", "1"), "out.std: the name 'a|b' cannot be written as STD: it has '|'");
  EXPECT_EQ(written("A\nB", "x", "1"), "out.std: the name 'A\\nB' cannot be written as STD: it has '\\n'");
  EXPECT_EQ(written("A", "x", "a|b"), "out.std: the name 'a|b' cannot be written as STD: it has '|'");
  EXPECT_EQ(written(" #A", "x", "1"), "out.std: the name ' #A' cannot be written as STD: it has '#'");
  EXPECT_EQ(written("A", "x", "a\r"), "out.std: the name 'a\\r' cannot be written as STD: it has '\\r'");
}

TEST(StdWriterNames, WhatStdCanHoldIsNot) {
  EXPECT_EQ(written("A#", "#x\r", "f(int)\ra.c"), "A#|r(#x\r)|f(int)\ra.c\n");
}

TEST(StdWriterNames, EscapesOnRequest) {
  // A thread has the same spelling as an operand.
  Names names;
  Event fork;
  fork.op = Op::Fork;
  fork.thread = ThreadId{names.of(OperandKind::Thread).intern("A")};
  fork.operand = names.of(OperandKind::Thread).intern("#B");
  fork.location = names.intern_location("1");
  std::string out;
  StdWriter writer(bytes_to_memory(out, "out.std"), StdNames::Escape);
  ASSERT_TRUE(writer.write({&fork, 1}, names));
  ASSERT_TRUE(writer.finish(names));
  EXPECT_EQ(out, "A|fork(%23B)|1\n");
  EXPECT_EQ(written("#A", "f(x)|%", "f(int)|\r", StdNames::Escape), "%23A|r(f%28x%29%7C%25)|f(int)%7C%0D\n");
}

}  // namespace
}  // namespace omen
