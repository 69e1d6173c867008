/// \file
/// Reads an online log while it is written: bytes go in as they come, messages come out as they are complete. A line
/// that is not complete yet waits for the rest; at the end of a process that was killed it is simply never seen.
/// Everything else that is no message is an error with its line, and nothing is read after it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/online_log/messages.hpp"
#include "trace/error.hpp"

namespace omen::online {

class LogReader {
 public:
  /// No line is longer; a longer one is damage.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 22;

  /// `file` is what messages call the log.
  explicit LogReader(std::string file) : file_(std::move(file)) {}

  /// The messages that `bytes` complete. Those before an error are in `messages` all the same.
  std::expected<void, InputError> read(std::string_view bytes, std::vector<Message>& messages);

 private:
  std::expected<void, InputError> line(std::string_view text, std::vector<Message>& messages);

  std::string file_;
  std::string rest_;           ///< the line that is not complete yet
  std::uint64_t number_ = 0;   ///< of the line
  std::optional<Race> race_;   ///< that is not complete yet
  std::uint8_t accesses_ = 0;  ///< of it: 1 now, 2 earlier
  std::optional<InputError> failed_;
};

}  // namespace omen::online
