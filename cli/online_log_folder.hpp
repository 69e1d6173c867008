/// \file
/// The folder that a program under `omen run --online` and we share: `control`, and a log for each process.
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

/// The file `control`: where the runtime takes the numbers of its races, and where it finds our judgement.
class OnlineControl {
 public:
  static std::expected<OnlineControl, InputError> create(const std::string& folder);
  OnlineControl(OnlineControl&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  OnlineControl& operator=(OnlineControl&&) = delete;
  OnlineControl(const OnlineControl&) = delete;
  ~OnlineControl();

  void judge(std::uint64_t race, online::Judgement judgement);
  /// The process that said its end with this number ends with `code`; 0: with its own.
  void end(std::uint64_t number, int code);
  /// Whoever waits, or will soon, goes on: nobody judges any more.
  void let_all_go_on();

 private:
  explicit OnlineControl(online_log::ControlPage* page) : page_(page) {}

  online_log::ControlPage* page_;
};

/// Follows the logs in a folder.
class OnlineLogs {
 public:
  /// The process whose log it is, the message.
  using Take = std::function<std::expected<void, InputError>(std::uint64_t, const online::Message&)>;

  explicit OnlineLogs(std::string folder);
  OnlineLogs(const OnlineLogs&) = delete;
  OnlineLogs& operator=(const OnlineLogs&) = delete;
  ~OnlineLogs();

  /// Returns when something was written, the process has ended, or some time has passed.
  void wait(int process_descriptor) const;

  /// Hands out all that was written since. What is wrong with a log, or `take` fails, ends the reading of that log;
  /// others go on. The first error of all is kept.
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
  int changes_ = -1;  ///< inotify; without it the logs are looked at often
  std::map<std::string, Log> logs_;
  std::optional<InputError> error_;
};

}  // namespace omen::cli
