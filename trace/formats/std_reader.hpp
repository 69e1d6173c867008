/// \file
/// Reads STD, the text format of the RAPID family (docs/formats.md): `THREAD|OP(OPERAND)|LOCATION`, one event a line.
/// Invariant: memory is one buffer of at most `kMaxLineBytes`, one block of events, and the names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/formats/byte_source.hpp"
#include "trace/source.hpp"

namespace omen {

class StdReader final : public EventSource {
 public:
  static constexpr std::size_t kMaxLineBytes = 1024 * 1024;

  explicit StdReader(std::unique_ptr<ByteSource> bytes);

  std::expected<std::span<Event>, InputError> next() override;
  InputError error_at(std::size_t i, std::string message) const override;
  const Names& names() const override { return names_; }
  double progress() const override;

 private:
  enum class Line : std::uint8_t { Event, Nothing, Bad };

  /// Moves the unread rest to the front of the buffer and continues reading after it. False: the input has no more.
  std::expected<bool, InputError> refill();
  Line parse(const char* at, const char* end, Event& event);
  bool parse_operation(std::string_view text, Event& event);
  Line bad(std::string what);

  std::unique_ptr<ByteSource> bytes_;
  Names names_;
  ThreadId last_thread_{};  ///< thread of the previous line, and its name
  std::string_view last_thread_name_;

  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the unread bytes in `buffer_`
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t consumed_ = 0;  ///< bytes read from the input, for `progress`

  std::vector<Event> block_;
  std::vector<std::uint64_t> lines_;  ///< of each event in `block_`
  std::uint64_t line_ = 0;            ///< the line being read, from 1

  std::string complaint_;              ///< why `parse` returned Bad
  std::optional<InputError> pending_;  ///< an error after the events of the last returned block
};

}  // namespace omen
