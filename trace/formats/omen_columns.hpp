/// \file
/// Events as columns: the payload of an Events section of `.omen`.
/// Invariant: the decoder returns only valid operations with fitting memory orders, and identifiers that have names. It
/// checks them in bulk, without a branch per event.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "trace/event.hpp"
#include "trace/formats/omen_layout.hpp"
#include "trace/names.hpp"

namespace omen {

/// Appends the payload for `events` to `out`.
void encode_events(std::span<const Event> events, std::vector<char>& out);

class EventDecoder {
 public:
  /// Starts on a payload, which must stay in place until the last event is decoded. On rejection: why.
  std::expected<void, std::string> start(std::span<const char> payload, std::uint32_t count, const Names& names);

  std::uint32_t left() const { return count_ - done_; }

  /// Decodes the next `out.size()` (at most `left`) events. On rejection: which of them, counted from the payload's
  /// first, and why.
  struct Refusal {
    std::uint32_t event;
    std::string why;
  };
  std::expected<void, Refusal> decode(std::span<Event> out);

 private:
  struct ColumnState {
    layout::Column column;
    const char* planes = nullptr;
    std::uint32_t previous = 0;
  };
  static constexpr std::size_t kChunk =
      1024;  ///< events decoded at a time: their columns stay in the first-level cache
  using Values = std::array<std::uint32_t, kChunk>;

  void widen(ColumnState& state, std::size_t n, Values& out) const;
  Refusal refusal(std::size_t n) const;

  const char* codes_ = nullptr;
  ColumnState thread_;
  ColumnState operand_;
  ColumnState location_;
  std::uint32_t count_ = 0;
  std::uint32_t done_ = 0;

  std::array<std::uint32_t, 256> operand_limit_{};  ///< per code: operands below it are valid; 0: no operand is
  std::uint32_t threads_ = 0;
  std::uint32_t locations_ = 0;

  Values thread_values_;
  Values operand_values_;
  Values location_values_;
};

}  // namespace omen
