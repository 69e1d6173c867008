/// \file
/// Reads `.omen`, the binary format (docs/formats.md), from its start to its end, also from a pipe. `OmenFile` reads
/// any block. Invariant: memory is one block, its events' slice, the names, and 24 bytes per block to compare with the
/// index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trace/formats/byte_source.hpp"
#include "trace/formats/omen_columns.hpp"
#include "trace/formats/omen_section.hpp"
#include "trace/source.hpp"

namespace omen {

class OmenReader final : public EventSource {
 public:
  explicit OmenReader(std::unique_ptr<ByteSource> bytes);

  std::expected<std::span<Event>, InputError> next() override;
  InputError error_at(std::size_t i, std::string message) const override;
  const Names& names() const override { return names_; }
  double progress() const override;

 private:
  /// Reads sections until one with events is ready to decode (true) or the file is complete (false).
  std::expected<bool, InputError> next_block();
  std::expected<void, InputError> take_names(const layout::SectionHeader& header);
  std::expected<void, InputError> take_events(const layout::SectionHeader& header);
  std::expected<void, InputError> take_end(std::uint64_t index_offset);

  std::unique_ptr<ByteSource> bytes_;
  OmenCursor cursor_;
  SectionReader section_;
  EventDecoder decoder_;
  Names names_;
  std::vector<layout::IndexEntry> seen_;  ///< the expected index

  std::uint64_t names_read_ = 0;
  std::uint64_t block_offset_ = 0;  ///< of the Events section being decoded
  std::uint64_t block_first_ = 0;   ///< its first event
  std::uint64_t slice_first_ = 0;   ///< the first event of the last returned slice
  std::uint64_t events_ = 0;        ///< returned so far
  bool started_ = false;
  bool ended_ = false;
  std::optional<InputError> pending_;  ///< an error after the events of the last returned slice
  std::vector<Event> slice_;
};

}  // namespace omen
