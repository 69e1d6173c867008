/// \file
/// `.omen`: everything reads back, from the start and block by block.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/trace/trace_text.hpp"
#include "trace/formats/omen_file.hpp"
#include "trace/trace.hpp"

namespace omen {
namespace {

using test::to_omen;
using test::to_std;

std::string through_omen(const std::string& text, std::uint32_t block_events) {
  auto omen = to_omen(read_std(text), block_events);
  if (!omen) return omen.error().text();
  auto back = to_std(read_omen(*omen));
  return back ? *back : back.error().text();
}

std::vector<std::string> lines_of(const std::vector<Event>& events, const Names& names) {
  std::vector<std::string> lines;
  for (const Event& event : events) lines.push_back(to_text(event, names));
  return lines;
}

TEST(Omen, EveryOperationReadsBack) {
  std::string text;
  for (const std::string& operation : test::all_operations()) text += "T|" + operation + "|here\n";
  EXPECT_EQ(through_omen(text, 1), text);
  EXPECT_EQ(through_omen(text, 1000), text);
}

TEST(Omen, AnEmptyTraceReadsBack) {
  EXPECT_EQ(through_omen("", 10), "");
}

TEST(Omen, RandomTracesReadBack) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = test::random_std(seed, seed * 37);
    EXPECT_EQ(through_omen(text, 1 + seed * seed), text) << "seed " << seed;
  }
}

TEST(Omen, BlocksLargerThanWhatIsHandedOut) {
  const std::string text = test::random_std(7, 70'000);
  EXPECT_EQ(through_omen(text, OmenWriter::kDefaultBlockEvents), text);
}

TEST(Omen, ExtremeLocationsReadBack) {
  // Differences of every size and sign, among numbers and names.
  const std::string text = "T|r(x)|0\nT|r(x)|2147483647\nT|r(x)|a\nT|r(x)|2147483647\nT|r(x)|1\nT|r(x)|b\nT|r(x)|a\n";
  for (const std::uint32_t block : {1U, 2U, 3U, 100U}) EXPECT_EQ(through_omen(text, block), text);
}

TEST(Omen, RisingLocationsTakeNoSpace) {
  std::string rising;
  std::string constant;
  for (int i = 0; i < 10'000; ++i) {
    rising.append("T|r(x)|").append(std::to_string(i)).append("\n");
    constant += "T|r(x)|5\n";
  }
  EXPECT_NEAR(static_cast<double>(to_omen(read_std(rising))->size()),
              static_cast<double>(to_omen(read_std(constant))->size()), 16);
}

TEST(Omen, ManyLongNames) {
  std::string text;
  for (int i = 0; i < 40; ++i) text.append("T|r(").append(60'000, 'x').append(std::to_string(i)).append(")|1\n");
  EXPECT_EQ(through_omen(text, 1000), text);
}

TEST(Omen, NamesThatOnlyOmenCanHold) {
  Names names;
  Event event;
  event.thread = ThreadId{names.of(OperandKind::Thread).intern("a|b\n")};
  event.operand = names.of(OperandKind::Variable).intern("f(x)");
  event.location = names.intern_location("|");
  std::string out;
  OmenWriter writer(bytes_to_memory(out, "out.omen"));
  ASSERT_TRUE(writer.write({&event, 1}, names));
  ASSERT_TRUE(writer.finish(names));
  const auto trace = load(read_omen(out));
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ(trace->names.of(ThreadId{0}), "a|b\n");
  EXPECT_EQ(trace->names.of(VariableId{0}), "f(x)");
  EXPECT_EQ(trace->names.text(trace->events[0].location), "|");
}

TEST(Omen, TheNestedFlagIsNotStored) {
  Names names;
  Event event;
  event.thread = ThreadId{names.of(OperandKind::Thread).intern("T")};
  event.operand = names.of(OperandKind::Lock).intern("m");
  event.location = names.intern_location("1");
  event.op = Op::Acquire;
  event.nested = true;
  std::string out;
  OmenWriter writer(bytes_to_memory(out, "out.omen"));
  ASSERT_TRUE(writer.write({&event, 1}, names));
  ASSERT_TRUE(writer.finish(names));
  auto source = read_omen(out);
  const auto block = source->next();
  ASSERT_TRUE(block);
  EXPECT_FALSE((*block)[0].nested);
}

TEST(OmenFile, AnyBlockAlone) {
  const std::string text = test::random_std(3, 1000);
  const auto trace_events = [&] {
    auto source = read_std(text);
    std::vector<std::string> all;
    while (true) {
      const auto block = source->next();
      if (block->empty()) return all;
      for (const Event& event : *block) all.push_back(to_text(event, source->names()));
    }
  }();
  const std::string omen = *to_omen(read_std(text), 64);
  for (std::size_t block = 0; block < 16; ++block) {
    // A new file object for each: nothing was read before this block.
    auto file = OmenFile::open(bytes_in_memory(omen, "t.omen"));
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->blocks(), 16U);
    ASSERT_EQ(file->events(), 1000U);
    ASSERT_EQ(file->first_event(block), block * 64);
    const auto events = file->read_block(block);
    ASSERT_TRUE(events) << events.error().text();
    const auto from = trace_events.begin() + static_cast<std::ptrdiff_t>(block * 64);
    const auto wanted = std::vector<std::string>(from, from + static_cast<std::ptrdiff_t>(events->size()));
    EXPECT_EQ(lines_of(*events, file->names()), wanted);
  }
}

TEST(OmenFile, BlocksInAnyOrder) {
  const std::string omen = *to_omen(read_std(test::random_std(4, 500)), 50);
  auto file = OmenFile::open(bytes_in_memory(omen, "t.omen"));
  ASSERT_TRUE(file);
  const auto late = file->read_block(9);
  const auto early = file->read_block(0);
  const auto again = file->read_block(9);
  ASSERT_TRUE(late && early && again);
  EXPECT_EQ(*late, *again);
}

TEST(OmenFile, BlockOfAnEvent) {
  const std::string omen = *to_omen(read_std(test::random_std(5, 100)), 30);
  const auto file = OmenFile::open(bytes_in_memory(omen, "t.omen"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->block_of(0), 0U);
  EXPECT_EQ(file->block_of(29), 0U);
  EXPECT_EQ(file->block_of(30), 1U);
  EXPECT_EQ(file->block_of(99), 3U);
}

TEST(OmenFile, AnEmptyTraceHasNoBlocks) {
  const auto file = OmenFile::open(bytes_in_memory(*to_omen(read_std("")), "t.omen"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->blocks(), 0U);
  EXPECT_EQ(file->events(), 0U);
}

TEST(Omen, IllFormedEventsAreReportedByOffsetAndIndex) {
  const std::string omen = *to_omen(read_std("A|r(x)|1\nA|r(x)|2\nA|rel(m)|3\n"));
  const auto trace = load(read_omen(omen, "t.omen"));
  ASSERT_FALSE(trace);
  EXPECT_TRUE(trace.error().text().ends_with(", event 2: expected a lock that thread 'A' holds; it does not hold 'm'"))
      << trace.error().text();
  EXPECT_TRUE(trace.error().text().starts_with("t.omen:offset ")) << trace.error().text();
}

}  // namespace
}  // namespace omen
