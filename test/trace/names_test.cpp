/// \file
/// Names, quoting and counting: the small parts of trace/.
#include "trace/names.hpp"

#include <gtest/gtest.h>

#include <string>

#include "trace/counts.hpp"
#include "trace/formats/format.hpp"
#include "trace/quote.hpp"
#include "trace/trace.hpp"

namespace omen {
namespace {

TEST(NameTable, IdentifiersAreGivenInOrder) {
  NameTable table;
  EXPECT_EQ(table.find("0"), std::nullopt);
  for (std::uint32_t i = 0; i < 10'000; ++i) EXPECT_EQ(table.intern(std::to_string(i)), i);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(table.intern(std::to_string(i)), i);
    EXPECT_EQ(table.find(std::to_string(i)), i);
    EXPECT_EQ(table[i], std::to_string(i));
  }
  EXPECT_EQ(table.size(), 10'000U);
  EXPECT_EQ(table.find("x"), std::nullopt);
}

TEST(NameTable, TextsStayInPlace) {
  NameTable table;
  const std::string& first = table[table.intern("first")];
  for (int i = 0; i < 1000; ++i) table.intern(std::to_string(i));
  EXPECT_EQ(&first, &table[0]);
}

TEST(Quote, ShortAndPrintable) {
  EXPECT_EQ(quoted("a b"), "'a b'");
  EXPECT_EQ(quoted("a\nb\t\x01\x7f\r"), "'a\\nb\\t\\x01\\x7f\\r'");
  EXPECT_EQ(quoted("abcdef", 3), "'abc…'");
  EXPECT_EQ(quoted("ab\xc3\xa9", 3), "'ab…'");
}

TEST(Quote, NothingCommandsATerminalOrTurnsText) {
  EXPECT_EQ(on_one_line("a\x1b[31m"), "a\\x1b[31m");
  EXPECT_EQ(on_one_line("\u009b31m"), "\\u009b31m");  // the same escape sequence in one character
  EXPECT_EQ(on_one_line("\x9b"
                        "31m"),
            "\\x9b31m");  // and in one byte
  EXPECT_EQ(on_one_line("\u202eb\u2066c\u2028"), "\\u202eb\\u2066c\\u2028");
  EXPECT_EQ(on_one_line("\xe2\x80"), "\\xe2\\x80");                             // truncated
  EXPECT_EQ(on_one_line("\xc0\x80\xed\xa0\x80"), "\\xc0\\x80\\xed\\xa0\\x80");  // overlong, a surrogate
  EXPECT_EQ(on_one_line(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(on_one_line("gr\u00fc\u00df, \u65e5\u672c, \U0001f600"), "gr\u00fc\u00df, \u65e5\u672c, \U0001f600");
}

TEST(Counts, OfASmallTrace) {
  const auto trace =
      load(read_std("A|fork(B)|1\nA|acq(m)|2\nA|acq(m)|3\nA|acq(n)|4\nA|w(x)|4\nA|wait(n)|here\nB|begin|70000\n"
                    "B|r(x)|1\nB|rel.x(q)|1\n"));
  EXPECT_FALSE(trace);  // the last line
  const auto good =
      load(read_std("A|fork(B)|1\nA|acq(m)|2\nA|acq(m)|3\nA|acq(n)|4\nA|w(x)|4\nA|wait(n)|here\nB|begin|70000\n"
                    "B|r(x)|1\nA|wake(n)|1\nA|free(x)|2147483647\n"));
  ASSERT_TRUE(good) << good.error().text();
  Counts counts;
  counts.add(good->events);
  EXPECT_EQ(counts.events(), 10U);
  EXPECT_EQ(counts.accesses(), 3U);
  EXPECT_EQ(counts.synchronisation(), 6U);
  EXPECT_EQ(counts.of(Op::Acquire), 3U);
  EXPECT_EQ(counts.most_held_locks(), 2U);
  EXPECT_EQ(counts.accesses_by_held_locks(), (std::array<std::uint64_t, 5>{1, 0, 2, 0, 0}));
  EXPECT_EQ(counts.numeric_locations(), 6U);
}

}  // namespace
}  // namespace omen
