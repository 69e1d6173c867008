/// \file
/// Writes `.omen`, the binary format (docs/formats.md).
/// Invariant: a block's names precede it in the file; the index and the trailer come last, so a file without them is
/// incomplete.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/capture_info.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/formats/omen_layout.hpp"
#include "trace/formats/omen_section.hpp"
#include "trace/sink.hpp"

namespace omen {

class OmenWriter final : public EventSink {
 public:
  static constexpr std::uint32_t kDefaultBlockEvents = 1U << 16;

  /// `block_events`: from 1 to `layout::kMaxBlockEvents`.
  explicit OmenWriter(std::unique_ptr<ByteSink> bytes, std::uint32_t block_events = kDefaultBlockEvents);

  std::expected<void, InputError> write(std::span<const Event> events, const Names& names) override;
  std::expected<void, InputError> attach(const CaptureInfo& info, const Names& names) override;
  std::expected<void, InputError> finish(const Names& names) override;

 private:
  using Result = std::expected<void, InputError>;

  Result put(std::span<const char> bytes);
  Result put_section(layout::Kind kind, std::uint32_t count, std::uint64_t first);  ///< of `raw_`, which it clears
  Result put_new_names(const Names& names);
  Result put_new_names(std::uint8_t number, const NameTable& table, std::size_t& written);
  Result put_names_section();
  Result put_events(const Names& names);

  std::unique_ptr<ByteSink> bytes_;
  SectionWriter section_;
  std::uint64_t offset_ = 0;
  std::vector<layout::IndexEntry> index_;

  std::vector<Event> pending_;
  std::uint32_t block_events_;
  std::uint64_t events_written_ = 0;

  std::array<std::size_t, kOperandKindCount + 1>
      names_seen_{};  ///< per table, locations last: how many names are written or in `raw_`
  std::uint64_t names_written_ = 0;
  std::uint32_t names_in_raw_ = 0;
  std::vector<char> raw_;
};

}  // namespace omen
