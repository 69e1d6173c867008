/// \file
/// The layout of a `.omen` file, byte by byte (docs/formats.md). Little-endian throughout.
///
///     FileHeader
///     { SectionHeader payload }…    names before the first events that use them; the index is the last section
///     Trailer
///
/// Invariant: every byte of a file is either compared with its only legal value or covered by a checksum.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace omen::layout {

static_assert(std::endian::native == std::endian::little, "records are read and written as they stand in memory");

/// The first byte is not text, and both kinds of line ends follow: a copy made in text mode is detected at once.
inline constexpr std::array<char, 8> kMagic{'\x89', 'O', 'M', 'E', 'N', '\r', '\n', '\x1a'};
inline constexpr std::array<char, 8> kEndMagic{'O', 'M', 'E', 'N', 'E', 'N', 'D', '\n'};
inline constexpr std::uint32_t kVersion = 1;

struct FileHeader {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FileHeader) == 16 && std::is_trivially_copyable_v<FileHeader>);

/// Kinds with the high bit are optional: a reader that does not know one skips it, and rejects other unknown kinds.
inline constexpr std::uint32_t kOptionalKind = 0x8000'0000U;
enum class Kind : std::uint32_t {
  Names = 1,
  Events = 2,
  Index = 3,
  // The recorder's data besides the events (trace/capture_info.hpp).
  Process = kOptionalKind + 1,
  Stacks = kOptionalKind + 2,
  Blocks = kOptionalKind + 3,
  Outcome = kOptionalKind + 4,
  Points = kOptionalKind + 5,
};

struct SectionHeader {
  Kind kind{};
  std::uint32_t stored_bytes = 0;  ///< of the payload that follows, a zstd frame
  std::uint32_t raw_bytes = 0;     ///< of the payload after decompression
  std::uint32_t count = 0;         ///< names, events or index entries in it
  std::uint64_t first = 0;         ///< how many names (all tables together) or events come before; 0 for the index
  std::uint64_t checksum = 0;      ///< xxHash64 of this header up to here, then of the stored payload
};
static_assert(sizeof(SectionHeader) == 32 && std::is_trivially_copyable_v<SectionHeader>);
static_assert(offsetof(SectionHeader, checksum) == 24);

/// Limits that no writer exceeds and every reader checks before it allocates.
inline constexpr std::uint32_t kMaxBlockEvents = 1U << 18;
inline constexpr std::uint32_t kMaxRawBytes = 4U << 20;       ///< of names and events
inline constexpr std::uint32_t kMaxIndexBytes = 64U << 20;    ///< of the index: 2.7 million sections
inline constexpr std::uint32_t kMaxOverheadBytes = 1U << 20;  ///< by which zstd may enlarge what it cannot compress

/// How a column of 32-bit values is stored. The values less `base` fit in `planes` bytes; the lowest bytes of all
/// values come first, then the second-lowest, and so on. With `delta`, each stored value is the difference to the one
/// before it (`previous` for the first). All arithmetic is modulo 2^32.
struct Column {
  std::uint32_t base = 0;
  std::uint32_t previous = 0;
  std::uint8_t delta = 0;   ///< 0 or 1
  std::uint8_t planes = 0;  ///< 0 to 4
  std::uint16_t reserved = 0;
};
static_assert(sizeof(Column) == 12 && std::is_trivially_copyable_v<Column>);

/// The raw payload of Events: this, one byte per event (operation + 32 × memory order), then the three columns' planes.
struct EventsHeader {
  Column thread;
  Column operand;
  Column location;
};
static_assert(sizeof(EventsHeader) == 36 && std::is_trivially_copyable_v<EventsHeader>);
static_assert(sizeof(EventsHeader) + std::size_t{kMaxBlockEvents} * 13 <= kMaxRawBytes);

/// The raw payload of Names is a sequence of: table (one byte: an OperandKind, or `kLocationTable`), length (two
/// bytes), text. A name's identifier is its rank in its table.
inline constexpr std::uint8_t kLocationTable = 255;

/// The raw payload of Index: one entry for each Names and Events section, and for each optional one, in file order.
struct IndexEntry {
  std::uint64_t offset = 0;  ///< of the section's header in the file
  std::uint64_t first = 0;   ///< as in the section's header
  Kind kind{};
  std::uint32_t count = 0;

  bool operator==(const IndexEntry&) const = default;
};
static_assert(sizeof(IndexEntry) == 24 && std::is_trivially_copyable_v<IndexEntry>);

struct Trailer {
  std::uint64_t index_offset = 0;
  std::uint64_t events = 0;    ///< in the whole file
  std::uint64_t checksum = 0;  ///< xxHash64 of the trailer up to here
  std::array<char, 8> magic = kEndMagic;
};
static_assert(sizeof(Trailer) == 32 && std::is_trivially_copyable_v<Trailer>);

}  // namespace omen::layout
