/// \file
/// A `.omen` file, accessed by its index: any block of events alone, without the events before it.
/// Invariant: names are read from the file's own blocks of names, in order, up to the last block requested.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trace/capture_info.hpp"
#include "trace/event.hpp"
#include "trace/formats/byte_source.hpp"
#include "trace/formats/omen_columns.hpp"
#include "trace/formats/omen_section.hpp"
#include "trace/names.hpp"

namespace omen {

class OmenFile {
 public:
  static std::expected<OmenFile, InputError> open(const std::string& path);
  /// `bytes` must have a size.
  static std::expected<OmenFile, InputError> open(std::unique_ptr<ByteSource> bytes);

  std::uint64_t events() const { return events_; }
  std::size_t blocks() const { return blocks_.size(); }
  std::uint64_t first_event(std::size_t block) const { return entries_[blocks_[block]].first; }
  /// The block that has `event`, which must be below `events()`.
  std::size_t block_of(std::uint64_t event) const;

  /// The events of one block.
  std::expected<std::vector<Event>, InputError> read_block(std::size_t block);

  /// The recorder's data; nothing if no recorder wrote the file.
  std::expected<std::optional<CaptureInfo>, InputError> read_capture_info();

  /// Contains every name that the blocks read so far use.
  const Names& names() const { return names_; }

 private:
  explicit OmenFile(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}

  std::expected<void, InputError> read_index();
  std::expected<void, InputError> take_index(std::uint64_t index_offset, std::span<const char> payload);
  std::expected<void, InputError> read_section(OmenCursor& cursor, const layout::IndexEntry& entry,
                                               SectionReader::Optional optional = SectionReader::Optional::ReadOver);

  std::unique_ptr<ByteSource> bytes_;
  SectionReader section_;
  EventDecoder decoder_;
  Names names_;
  std::vector<layout::IndexEntry> entries_;
  std::vector<std::size_t> blocks_;  ///< the entries of events
  std::uint64_t events_ = 0;
  std::size_t names_until_ = 0;  ///< the names of entries before this one are in `names_`
};

}  // namespace omen
