/// \file
/// `.omen` files that are incomplete, or that another writer made: an error or the right events, never anything else.
#include <gtest/gtest.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "test/trace/trace_text.hpp"
#include "trace/formats/omen_columns.hpp"
#include "trace/formats/omen_file.hpp"
#include "trace/formats/omen_names.hpp"
#include "trace/formats/omen_section.hpp"
#include "trace/trace.hpp"

namespace omen {
namespace {

using layout::Kind;
using test::to_omen;
using test::to_std;

/// All events as STD, or the error.
std::expected<std::string, InputError> stream(const std::string& omen) {
  return to_std(read_omen(omen, "t.omen"));
}

std::expected<std::string, InputError> by_blocks(const std::string& omen) {
  auto file = OmenFile::open(bytes_in_memory(omen, "t.omen"));
  if (!file) return std::unexpected(file.error());
  std::string text;
  for (std::size_t block = file->blocks(); block-- > 0;) {  // the last first: names of all blocks are needed at once
    const auto events = file->read_block(block);
    if (!events) return std::unexpected(events.error());
    std::string lines;
    for (const Event& event : *events) lines += to_text(event, file->names()) + "\n";
    text = lines.append(text);
  }
  return text;
}

class Damage : public testing::Test {
 protected:
  const std::string text = test::random_std(1, 60);
  const std::string whole = *to_omen(read_std(text), 16);
};

TEST_F(Damage, TheWholeFileIsFine) {
  ASSERT_EQ(stream(whole), text);
  ASSERT_EQ(by_blocks(whole), text);
}

TEST_F(Damage, EveryTruncationIsAnErrorThatSaysWhatIsIntact) {
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = stream(whole.substr(0, size));
    ASSERT_FALSE(read) << size;
    const std::string said = read.error().text();
    if (size > 0) {
      EXPECT_TRUE(said.starts_with("t.omen:offset " + std::to_string(size) + ": expected ")) << said;
      EXPECT_NE(said.find("the file ends here, before its index; the "), std::string::npos) << said;
    } else {
      EXPECT_EQ(said, "t.omen:offset 0: expected an .omen trace, not an empty file");
    }
    const auto blocks = by_blocks(whole.substr(0, size));
    ASSERT_FALSE(blocks) << size;
    EXPECT_EQ(blocks.error().text(), said) << "both ways to read explain a truncation alike";
  }
}

TEST_F(Damage, ATruncationSaysHowManyEventsAreIntact) {
  // The index is the last section: without its last byte all events are still read.
  const auto all = stream(whole.substr(0, whole.size() - sizeof(layout::Trailer) - 1));
  ASSERT_FALSE(all);
  EXPECT_NE(all.error().message.find("the 60 events before are intact"), std::string::npos) << all.error().text();
  auto file = OmenFile::open(bytes_in_memory(whole, "t.omen"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->blocks(), 4U);
}

TEST_F(Damage, EveryFlippedBitIsAnErrorOrHarmless) {
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    for (const auto& read : {stream(flipped), by_blocks(flipped)}) {
      if (!read) continue;
      ++harmless;
      ASSERT_EQ(*read, text) << "bit " << bit;
    }
  }
  EXPECT_EQ(harmless, 0U) << "every bit of a file is checked";
}

TEST_F(Damage, BytesBehindTheEnd) {
  const auto read = stream(whole + "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "t.omen:offset " + std::to_string(whole.size()) +
                                     ": expected the end of the file; the 60 events before are intact");
  EXPECT_FALSE(by_blocks(whole + "x"));
}

TEST_F(Damage, AnotherKindOfFile) {
  const auto read = stream("T|r(x)|1\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "t.omen:offset 0: expected an .omen trace, not a file that begins with 'T|r(x)|1'");
}

TEST_F(Damage, ANewerVersion) {
  std::string newer = whole;
  newer[8] = 2;
  const auto read = stream(newer);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(),
            "t.omen:offset 8: expected version 1 of the .omen format, not version 2; a newer omen reads it");
}

// ---- files made by hand, with correct checksums
// ------------------------------------------------------------------------

class FileBuilder {
 public:
  FileBuilder() {
    const layout::FileHeader header;
    append(&header, sizeof header);
  }

  FileBuilder& section(Kind kind, std::uint32_t count, std::uint64_t first, std::span<const char> raw) {
    if (kind != Kind::Index) index_.push_back({.offset = out_.size(), .first = first, .kind = kind, .count = count});
    const auto bytes = writer_.make({.kind = kind, .count = count, .first = first}, raw);
    append(bytes.data(), bytes.size());
    return *this;
  }

  /// A section with the given payload and sizes, and a correct checksum.
  FileBuilder& stored(layout::SectionHeader header, std::string payload) {
    if (header.kind != Kind::Index) {
      index_.push_back({.offset = out_.size(), .first = header.first, .kind = header.kind, .count = header.count});
    }
    std::string hashed(reinterpret_cast<const char*>(&header), offsetof(layout::SectionHeader, checksum));
    hashed += payload;
    header.checksum = XXH64(hashed.data(), hashed.size(), 0);
    append(&header, sizeof header);
    append(payload.data(), payload.size());
    return *this;
  }

  /// One thread `T`, one variable `x`, one lock `m`.
  FileBuilder& names() {
    std::vector<char> raw;
    encode_name(static_cast<std::uint8_t>(OperandKind::Thread), "T", raw);
    encode_name(static_cast<std::uint8_t>(OperandKind::Variable), "x", raw);
    encode_name(static_cast<std::uint8_t>(OperandKind::Lock), "m", raw);
    return section(Kind::Names, 3, 0, raw);
  }

  FileBuilder& events(std::vector<Event> events, std::uint64_t first = 0) {
    std::vector<char> raw;
    encode_events(events, raw);
    events_ = first + events.size();
    return section(Kind::Events, static_cast<std::uint32_t>(events.size()), first, raw);
  }

  std::string finish() {
    const std::uint64_t offset = out_.size();
    const std::span entries(reinterpret_cast<const char*>(index_.data()), index_.size() * sizeof(layout::IndexEntry));
    section(Kind::Index, static_cast<std::uint32_t>(index_.size()), 0, entries);
    const layout::Trailer trailer = make_trailer(offset, events_);
    append(&trailer, sizeof trailer);
    return out_;
  }

  std::size_t offset() const { return out_.size(); }
  std::vector<layout::IndexEntry>& index() { return index_; }

 private:
  void append(const void* bytes, std::size_t count) { out_.append(static_cast<const char*>(bytes), count); }

  SectionWriter writer_;
  std::string out_;
  std::vector<layout::IndexEntry> index_;
  std::uint64_t events_ = 0;
};

Event read_of_x() {
  Event event;
  event.location = LocationId{kNumericLocation | 5};
  return event;
}

Event changed(const std::function<void(Event&)>& change) {
  Event event = read_of_x();
  change(event);
  return event;
}

std::string complaint(const std::string& omen) {
  const auto streamed = stream(omen);
  const auto blocks = by_blocks(omen);
  EXPECT_EQ(streamed.has_value(), blocks.has_value());
  return streamed ? std::string("fine: ").append(*streamed) : streamed.error().message;
}

TEST(OmenByHand, Fine) {
  EXPECT_EQ(complaint(FileBuilder().names().events({read_of_x(), read_of_x()}).finish()), "fine: T|r(x)|5\nT|r(x)|5\n");
}

TEST(OmenByHand, BadEvents) {
  const auto second = [](const std::function<void(Event&)>& change) {
    return complaint(FileBuilder().names().events({read_of_x(), changed(change)}).finish());
  };
  EXPECT_EQ(second([](Event& e) { e.op = static_cast<Op>(kOpCount); }), "expected an operation, not 20");
  EXPECT_EQ(second([](Event& e) { e.op = static_cast<Op>(31); }), "expected an operation, not 31");
  EXPECT_EQ(second([](Event& e) { e.order = MemoryOrder::SeqCst; }), "expected a memory order that fits r, not 4");
  EXPECT_EQ(second([](Event& e) { e.order = static_cast<MemoryOrder>(7); }),
            "expected a memory order that fits r, not 7");
  EXPECT_EQ(second([](Event& e) { e.operand = 1; }), "expected an operand of r below 1, not 1");
  EXPECT_EQ(second([](Event& e) { e.operand = 0xffff'ffffU; }), "expected an operand of r below 1, not 4294967295");
  EXPECT_EQ(second([](Event& e) { e.op = Op::End, e.operand = 1; }), "expected an operand of end below 1, not 1");
  EXPECT_EQ(second([](Event& e) { e.op = Op::BarrierArrive; }), "expected an operand of arrive below 0, not 0");
  EXPECT_EQ(second([](Event& e) { e.thread = ThreadId{1}; }), "expected a thread below 1, not 1");
  EXPECT_EQ(second([](Event& e) { e.location = LocationId{0}; }), "expected a location below 0, not 0");
}

TEST(OmenByHand, ABadEventIsNamedByItsIndex) {
  std::vector<Event> events(3000, read_of_x());
  events[2500].operand = 9;
  const auto read = stream(FileBuilder().names().events({read_of_x()}).events(events, 1).finish());
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().position.ends_with(", event 2501")) << read.error().text();
}

TEST(OmenByHand, TheFirstErrorOfAFileIsReported) {
  // The second event is ill formed, the third is not an event.
  const Event release = changed([](Event& e) { e.op = Op::Release; });
  const Event nonsense = changed([](Event& e) { e.operand = 9; });
  const auto trace = load(read_omen(FileBuilder().names().events({read_of_x(), release, nonsense}).finish()));
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message, "expected a lock that thread 'T' holds; it does not hold 'm'");
}

TEST(OmenByHand, NamesBeforeUse) {
  EXPECT_EQ(complaint(FileBuilder().events({read_of_x()}).finish()), "expected an operand of r below 0, not 0");
}

TEST(OmenByHand, BadNames) {
  const auto names = [](std::uint32_t count, std::uint64_t first, std::string raw) {
    return complaint(FileBuilder().section(Kind::Names, count, first, raw).events({read_of_x()}).finish());
  };
  const std::string tail = "; the 0 events before are intact";
  using namespace std::string_literals;
  EXPECT_EQ(names(1, 0, "\3\1"s), "expected 1 names" + tail);
  EXPECT_EQ(names(1, 0, "\3\2\0T"s), "expected a name of 2 bytes" + tail);
  EXPECT_EQ(names(1, 0, "\3\0\0"s), "expected a name, not an empty one" + tail);
  EXPECT_EQ(names(1, 0, "\0\1\0T"s), "expected the number of a table of names, not 0" + tail);
  EXPECT_EQ(names(1, 0, "\6\1\0T"s), "expected the number of a table of names, not 6" + tail);
  EXPECT_EQ(names(2, 0, "\3\1\0T\3\1\0T"s), "expected a new name, not 'T' again" + tail);
  EXPECT_EQ(names(1, 0, "\3\1\0T\3\1\0U"s), "expected no more than 1 names" + tail);
  EXPECT_EQ(names(0xffff'ffffU, 0, "\3\1\0T"s), "expected 4294967295 names" + tail);
}

TEST(OmenByHand, BlocksOutOfOrder) {
  EXPECT_EQ(complaint(FileBuilder().names().events({read_of_x()}, 1).finish()),
            "expected the events from the 0th on, not from the 1th; the 0 events before are intact");
}

TEST(OmenByHand, BadColumns) {
  const auto columns = [](const std::function<void(layout::EventsHeader&)>& change) {
    std::vector<char> raw;
    const Event event = read_of_x();
    encode_events({&event, 1}, raw);
    layout::EventsHeader header;
    std::memcpy(&header, raw.data(), sizeof header);
    change(header);
    std::memcpy(raw.data(), &header, sizeof header);
    FileBuilder builder;
    builder.names().events({event}).section(Kind::Events, 1, 1, raw);
    return complaint(builder.finish());
  };
  const std::string tail = "; the 1 events before are intact";
  EXPECT_EQ(columns([](auto& h) { h.thread.planes = 5; }),
            "expected a column of at most 4 planes, as values or differences" + tail);
  EXPECT_EQ(columns([](auto& h) { h.operand.delta = 2; }),
            "expected a column of at most 4 planes, as values or differences" + tail);
  EXPECT_EQ(columns([](auto& h) { h.location.reserved = 1; }),
            "expected a column of at most 4 planes, as values or differences" + tail);
  EXPECT_EQ(columns([](auto& h) { h.location.planes = 4; }), "expected 41 bytes of columns, not 37" + tail);
}

TEST(OmenByHand, HugeSizesAreRefusedBeforeAnythingIsAllocated) {
  const auto said = [](layout::SectionHeader header, std::string payload) {
    return stream(FileBuilder().stored(header, std::move(payload)).finish()).error().message;
  };
  const std::string tail = "; the 0 events before are intact";
  const std::uint32_t most = 0xffff'ffffU;
  EXPECT_EQ(said({.kind = Kind::Events, .raw_bytes = most, .count = 1}, "x"),
            "expected a size of at most 4194304, not 4294967295" + tail);
  EXPECT_EQ(said({.kind = Kind::Index, .raw_bytes = most, .count = 1}, "x"),
            "expected a size of at most 67108864, not 4294967295" + tail);
  EXPECT_EQ(said({.kind = Kind::Names, .stored_bytes = most, .count = 1}, "x"),
            "expected a stored size of at most 5242880, not 4294967295" + tail);
  EXPECT_EQ(said({.kind = Kind::Events, .stored_bytes = 1, .raw_bytes = 1, .count = most}, "x"),
            "expected between 1 and 262144 events, not 4294967295" + tail);
  EXPECT_EQ(said({.kind = Kind::Events, .stored_bytes = 1, .raw_bytes = 1, .count = 0}, "x"),
            "expected between 1 and 262144 events, not 0" + tail);
}

TEST(OmenByHand, AFrameThatIsLargerThanItSays) {
  // 16 MiB of zeros in a small frame, in a section that claims 100 bytes.
  const std::string zeros(16U << 20, '\0');
  std::string frame(ZSTD_compressBound(zeros.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), zeros.size(), 1));
  const layout::SectionHeader header{
      .kind = Kind::Names, .stored_bytes = static_cast<std::uint32_t>(frame.size()), .raw_bytes = 100, .count = 1};
  FileBuilder builder;
  builder.stored(header, frame).events({read_of_x()});
  EXPECT_EQ(complaint(builder.finish()), "expected a zstd frame of 100 bytes; the 0 events before are intact");
}

TEST(OmenByHand, UnknownSections) {
  const std::string more(100'000, 'x');
  const auto optional = static_cast<Kind>(layout::kOptionalKind | 77);
  EXPECT_EQ(complaint(FileBuilder().names().section(optional, 3, 9, more).events({read_of_x()}).finish()),
            "fine: T|r(x)|5\n");
  const auto required = static_cast<Kind>(77);
  FileBuilder builder;
  builder.names().events({read_of_x()}).section(required, 3, 9, more).events({read_of_x()}, 1);
  EXPECT_FALSE(stream(builder.finish()));
  EXPECT_EQ(
      stream(builder.finish()).error().message,
      "expected a kind of section that version 1 of the .omen format has, not kind 77; the 1 events before are intact");
}

TEST(OmenByHand, AnIndexThatDoesNotFit) {
  const auto indexed = [](const std::function<void(std::vector<layout::IndexEntry>&)>& change) {
    FileBuilder builder;
    builder.names().events({read_of_x()}).events({read_of_x()}, 1);
    change(builder.index());
    return complaint(builder.finish());
  };
  const std::string refused = "expected an index of the sections before it; the 2 events before are intact";
  EXPECT_EQ(indexed([](auto& index) { index.pop_back(); }), refused);
  EXPECT_EQ(indexed([](auto& index) { index[1].offset += 1; }), refused);
  EXPECT_EQ(indexed([](auto& index) { index[1].first += 1; }), refused);
  EXPECT_EQ(indexed([](auto& index) { index[1].count += 1; }), refused);
  EXPECT_EQ(indexed([](auto& index) { std::swap(index[0], index[1]); }), refused);
  EXPECT_EQ(indexed([](auto& index) { index[2].offset = ~std::uint64_t{0}; }), refused);
}

}  // namespace
}  // namespace omen
