/// \file
/// Reads an online log while it is written: takes bytes as they arrive, and yields messages as they complete. An
/// incomplete line waits for its rest; if the process was killed, it is never seen. Any other text that is not a
/// message is an error with its line, and ends the reading.
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
  /// The maximal length of a line; a longer one means a damaged file.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 22;

  /// `file`: the name of the log in error messages.
  explicit LogReader(std::string file) : file_(std::move(file)) {}

  /// Adds the messages that `bytes` complete; those before an error too.
  std::expected<void, InputError> read(std::string_view bytes, std::vector<Message>& messages);

 private:
  std::expected<void, InputError> line(std::string_view text, std::vector<Message>& messages);

  std::string file_;
  std::string rest_;           ///< the incomplete line
  std::uint64_t number_ = 0;   ///< of the line
  std::optional<Race> race_;   ///< the incomplete race
  std::uint8_t accesses_ = 0;  ///< those of it that were read: 1 now, 2 earlier
  std::optional<InputError> failed_;
};

}  // namespace omen::online
