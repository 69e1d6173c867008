#include "trace/formats/omen_section.hpp"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/quote.hpp"

namespace omen {

using layout::Kind;
using layout::SectionHeader;

namespace {

/// Level 1 decodes as fast as any and costs a recorder least; higher levels gain a few per cent on columns.
constexpr int kZstdLevel = 1;

/// Memory is allocated as bytes arrive, so that a wrong size cannot take more than the file has.
constexpr std::size_t kPieceBytes = 1U << 20;

template <class Record>
std::span<char> as_bytes(Record& record) {
  return {reinterpret_cast<char*>(&record), sizeof record};
}

/// A checksum of the header, then of the payload, fed in pieces.
class Checksum {
 public:
  explicit Checksum(const SectionHeader& header) : state_(XXH64_createState()) {
    OMEN_CHECK(state_ != nullptr);
    XXH64_reset(state_, 0);
    XXH64_update(state_, &header, offsetof(SectionHeader, checksum));
  }
  ~Checksum() { XXH64_freeState(state_); }
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;

  void add(std::span<const char> bytes) { XXH64_update(state_, bytes.data(), bytes.size()); }
  std::uint64_t value() const { return XXH64_digest(state_); }

 private:
  XXH64_state_t* state_;
};

std::string_view noun(Kind kind) {
  switch (kind) {
    case Kind::Names:
      return "a block of names";
    case Kind::Events:
      return "a block of events";
    case Kind::Index:
      return "the index";
    case Kind::Process:
    case Kind::Stacks:
    case Kind::Blocks:
    case Kind::Outcome:
    case Kind::Points:
      return "what the recorder knew";
  }
  return "a section of unknown kind";
}

bool is_known(Kind kind) {
  return kind == Kind::Names || kind == Kind::Events || kind == Kind::Index;
}
bool is_optional(Kind kind) {
  return (static_cast<std::uint32_t>(kind) & layout::kOptionalKind) != 0;
}

/// Describes what is wrong with the sizes; empty if nothing is.
std::string wrong_size(const SectionHeader& header) {
  const std::uint32_t most_raw = header.kind == Kind::Index ? layout::kMaxIndexBytes : layout::kMaxRawBytes;
  const auto said = [](std::string_view what, std::uint32_t most, std::uint32_t found) {
    return "expected " + std::string(what) + " of at most " + std::to_string(most) + ", not " + std::to_string(found);
  };
  if (header.raw_bytes > most_raw) return said("a size", most_raw, header.raw_bytes);
  if (header.stored_bytes > most_raw + layout::kMaxOverheadBytes) {
    return said("a stored size", most_raw + layout::kMaxOverheadBytes, header.stored_bytes);
  }
  if (header.kind == Kind::Events && (header.count == 0 || header.count > layout::kMaxBlockEvents)) {
    return "expected between 1 and " + std::to_string(layout::kMaxBlockEvents) + " events, not " +
           std::to_string(header.count);
  }
  return {};
}

std::uint64_t checksum_of(const layout::Trailer& trailer) {
  return XXH64(&trailer, offsetof(layout::Trailer, checksum), 0);
}

}  // namespace

std::expected<std::size_t, InputError> OmenCursor::read(std::span<char> out) {
  auto count = by_offset_ ? read_fully_at(*bytes_, offset_, out) : read_fully(*bytes_, out);
  if (count) offset_ += *count;
  return count;
}

InputError OmenCursor::error(std::uint64_t offset, std::string message) const {
  return {bytes_->name(), "offset " + std::to_string(offset), std::move(message)};
}

InputError OmenCursor::truncated(std::string_view inside) const {
  return error(offset_, "expected " + std::string(inside) + ", but the file ends here, before its index; the " +
                            std::to_string(intact_events) + " events before are intact");
}

InputError OmenCursor::damaged(std::uint64_t offset, std::string message) const {
  return error(offset, std::move(message) + "; the " + std::to_string(intact_events) + " events before are intact");
}

std::expected<void, InputError> read_file_header(OmenCursor& cursor) {
  layout::FileHeader header;
  const auto count = cursor.read(as_bytes(header));
  if (!count) return std::unexpected(count.error());
  const std::size_t seen = std::min(*count, header.magic.size());
  if (seen == 0) return std::unexpected(cursor.error(0, "expected an .omen trace, not an empty file"));
  if (!std::equal(header.magic.begin(), header.magic.begin() + static_cast<std::ptrdiff_t>(seen),
                  layout::kMagic.begin())) {
    return std::unexpected(cursor.error(0, "expected an .omen trace, not a file that begins with " +
                                               quoted(std::string_view(header.magic.data(), seen))));
  }
  if (*count < sizeof header) return std::unexpected(cursor.truncated("the header"));
  if (header.version != layout::kVersion) {
    return std::unexpected(cursor.error(8, "expected version " + std::to_string(layout::kVersion) +
                                               " of the .omen format, not version " + std::to_string(header.version) +
                                               (header.version > layout::kVersion ? "; a newer omen reads it" : "")));
  }
  if (header.reserved != 0) return std::unexpected(cursor.error(12, "expected four zero bytes"));
  return {};
}

std::expected<layout::Trailer, InputError> read_trailer(OmenCursor& cursor) {
  layout::Trailer trailer;
  const std::uint64_t offset = cursor.offset();
  const auto count = cursor.read(as_bytes(trailer));
  if (!count) return std::unexpected(count.error());
  if (*count < sizeof trailer) return std::unexpected(cursor.truncated("the trailer"));
  if (trailer.magic != layout::kEndMagic || trailer.checksum != checksum_of(trailer)) {
    return std::unexpected(cursor.damaged(offset, "expected the trailer; it is damaged"));
  }
  return trailer;
}

layout::Trailer make_trailer(std::uint64_t index_offset, std::uint64_t events) {
  layout::Trailer trailer{.index_offset = index_offset, .events = events};
  trailer.checksum = checksum_of(trailer);
  return trailer;
}

void SectionReader::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}
void SectionWriter::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

SectionReader::SectionReader() : context_(ZSTD_createDCtx()) {
  OMEN_CHECK(context_ != nullptr);
}

std::expected<SectionHeader, InputError> SectionReader::read(OmenCursor& cursor, Optional optional) {
  payload_ = {};
  const std::uint64_t offset = cursor.offset();
  SectionHeader header;
  const auto count = cursor.read(as_bytes(header));
  if (!count) return std::unexpected(count.error());
  if (*count < sizeof header) return std::unexpected(cursor.truncated("a block"));

  const bool skip = is_optional(header.kind) && optional == Optional::ReadOver;
  if (is_known(header.kind) || (is_optional(header.kind) && !skip)) {
    if (auto wrong = wrong_size(header); !wrong.empty())
      return std::unexpected(cursor.damaged(offset, std::move(wrong)));
  } else if (!skip) {
    return std::unexpected(cursor.damaged(
        offset, "expected a kind of section that version " + std::to_string(layout::kVersion) +
                    " of the .omen format has, not kind " + std::to_string(static_cast<std::uint32_t>(header.kind))));
  }

  Checksum checksum(header);
  stored_.resize(std::min<std::size_t>(stored_.size(), kPieceBytes));
  std::size_t filled = 0;
  for (std::size_t left = header.stored_bytes; left != 0;) {
    const std::size_t piece = std::min(left, kPieceBytes);
    if (stored_.size() < filled + piece) stored_.resize(filled + piece);
    const std::span<char> target = std::span(stored_).subspan(filled, piece);
    const auto got = cursor.read(target);
    if (!got) return std::unexpected(got.error());
    if (*got < piece) return std::unexpected(cursor.truncated("the rest of " + std::string(noun(header.kind))));
    checksum.add(target);
    left -= piece;
    if (!skip) filled += piece;
  }
  if (checksum.value() != header.checksum) {
    return std::unexpected(cursor.damaged(
        offset, "expected " + std::string(noun(header.kind)) + " that fits its checksum; it is damaged"));
  }
  if (skip) return header;

  // The checksum is correct, so the following checks fail only on files that another writer made.
  if (ZSTD_getFrameContentSize(stored_.data(), filled) != header.raw_bytes) {
    return std::unexpected(
        cursor.damaged(offset, "expected a zstd frame of " + std::to_string(header.raw_bytes) + " bytes"));
  }
  if (raw_.size() < header.raw_bytes) raw_.resize(header.raw_bytes);
  const std::size_t got = ZSTD_decompressDCtx(context_.get(), raw_.data(), header.raw_bytes, stored_.data(), filled);
  if (ZSTD_isError(got) != 0 || got != header.raw_bytes) {
    return std::unexpected(
        cursor.damaged(offset, "expected a zstd frame of " + std::to_string(header.raw_bytes) + " bytes"));
  }
  payload_ = std::span(raw_).first(header.raw_bytes);
  return header;
}

SectionWriter::SectionWriter() : context_(ZSTD_createCCtx()) {
  OMEN_CHECK(context_ != nullptr);
}

std::span<const char> SectionWriter::make(SectionHeader header, std::span<const char> raw) {
  OMEN_CHECK(raw.size() <= (header.kind == Kind::Index ? layout::kMaxIndexBytes : layout::kMaxRawBytes));
  out_.resize(sizeof header + ZSTD_compressBound(raw.size()));
  const std::size_t stored = ZSTD_compressCCtx(context_.get(), out_.data() + sizeof header, out_.size() - sizeof header,
                                               raw.data(), raw.size(), kZstdLevel);
  OMEN_CHECK(ZSTD_isError(stored) == 0);
  header.raw_bytes = static_cast<std::uint32_t>(raw.size());
  header.stored_bytes = static_cast<std::uint32_t>(stored);
  Checksum checksum(header);
  checksum.add(std::span(out_).subspan(sizeof header, stored));
  header.checksum = checksum.value();
  std::memcpy(out_.data(), &header, sizeof header);
  return std::span(out_).first(sizeof header + stored);
}

}  // namespace omen
