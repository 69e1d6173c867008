/// \file
/// The folder that a program under `omen run --online` shares with omen: the file `control`, and a log per process.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/online_log/format.hpp"
#include "capture/online_log/log_reader.hpp"
#include "capture/online_log/messages.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// The file `control`: the runtime numbers its races in it, and reads omen's judgements from it.
class OnlineControl {
 public:
  static std::expected<OnlineControl, InputError> create(const std::string& folder);
  OnlineControl(OnlineControl&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  OnlineControl& operator=(OnlineControl&&) = delete;
  OnlineControl(const OnlineControl&) = delete;
  ~OnlineControl();

  void judge(std::uint64_t race, online::Judgement judgement);
  /// The process that announced its end with this number ends with `code`; 0: with its own exit code.
  void end(std::uint64_t number, int code);
  /// Releases every thread that waits for a judgement, now or soon. No more judgements follow.
  void let_all_go_on();

 private:
  explicit OnlineControl(online_log::ControlPage* page) : page_(page) {}

  online_log::ControlPage* page_;
};

/// Reads the logs in a folder as they grow.
class OnlineLogs {
 public:
  /// Receives the number of the log's process, and the message.
  using Take = std::function<std::expected<void, InputError>(std::uint64_t, const online::Message&)>;

  explicit OnlineLogs(std::string folder);
  OnlineLogs(const OnlineLogs&) = delete;
  OnlineLogs& operator=(const OnlineLogs&) = delete;
  ~OnlineLogs();

  /// Waits until a log changes, the process ends, or some time has passed.
  void wait(int process_descriptor) const;

  /// Passes on all new messages. After an error in a log, or of `take`, that log is not read any further; others are.
  /// Stores the first error.
  void read(const Take& take);

  const std::optional<InputError>& error() const { return error_; }

 private:
  struct Log {
    std::uint64_t process = 0;
    int descriptor = -1;
    online::LogReader reader;
    bool failed = false;
  };

  void find_new();
  std::expected<void, InputError> read(Log& log, const Take& take);

  std::string folder_;
  int changes_ = -1;  ///< an inotify descriptor; -1: the logs are polled at short intervals
  std::map<std::string, Log> logs_;
  std::optional<InputError> error_;
};

}  // namespace omen::cli
