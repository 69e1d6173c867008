/// \file
/// Reads and writes sections of a `.omen` file, one at a time: bounded, checked against their checksum, decompressed.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/error.hpp"
#include "trace/formats/byte_source.hpp"
#include "trace/formats/omen_layout.hpp"

struct ZSTD_DCtx_s;
struct ZSTD_CCtx_s;

namespace omen {

/// A position in a `.omen` file. Streams; or, after `seek`, reads by offset.
class OmenCursor {
 public:
  explicit OmenCursor(ByteSource& bytes) : bytes_(&bytes) {}

  void seek(std::uint64_t offset) {
    offset_ = offset;
    by_offset_ = true;
  }
  std::uint64_t offset() const { return offset_; }

  /// Reads until `out` is full or the file ends.
  std::expected<std::size_t, InputError> read(std::span<char> out);

  /// An error at `offset`, or without a position.
  InputError error(std::uint64_t offset, std::string message) const;

  /// How many events come before this position, for messages about damage.
  std::uint64_t intact_events = 0;
  InputError truncated(std::string_view inside) const;
  InputError damaged(std::uint64_t offset, std::string message) const;

 private:
  ByteSource* bytes_;
  std::uint64_t offset_ = 0;
  bool by_offset_ = false;
};

/// Checks that this version can read the file, by its header.
std::expected<void, InputError> read_file_header(OmenCursor& cursor);

std::expected<layout::Trailer, InputError> read_trailer(OmenCursor& cursor);
layout::Trailer make_trailer(std::uint64_t index_offset, std::uint64_t events);

class SectionReader {
 public:
  SectionReader();

  /// Reads the section at the cursor and moves past it. An unknown section is an error. An optional one is skipped,
  /// with an empty payload, unless it is wanted.
  enum class Optional : bool { ReadOver, Wanted };
  std::expected<layout::SectionHeader, InputError> read(OmenCursor& cursor, Optional optional = Optional::ReadOver);

  /// The payload of the last section; valid until the next.
  std::span<const char> payload() const { return payload_; }

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
  std::vector<char> stored_;
  std::vector<char> raw_;
  std::span<const char> payload_;
};

class SectionWriter {
 public:
  SectionWriter();

  /// The section as it is stored in the file; valid until the next call. Sets the sizes and checksum of `header`.
  std::span<const char> make(layout::SectionHeader header, std::span<const char> raw);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::vector<char> out_;
};

}  // namespace omen
