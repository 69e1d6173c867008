/// \file
/// A run whose races are found online. The session receives the messages of its processes, classifies each race at once
/// (suppressed, known, or new), prints new ones, and at the end returns a report like that of any other run.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/online_log/messages.hpp"
#include "report/online_process.hpp"
#include "report/options.hpp"
#include "report/race_report.hpp"
#include "report/suppressions.hpp"
#include "report/text_style.hpp"
#include "trace/error.hpp"

namespace omen::report {

class OnlineSession {
 public:
  /// Callbacks of the session.
  struct Outside {
    /// Combines the program's own options with the environment's.
    std::function<std::expected<RunOptions, InputError>(const std::string&)> options_of;
    std::function<std::expected<void, InputError>(const std::string& text, const RunOptions&, std::uint64_t process)>
        print;
    /// Called once for every race; for a new one after it was printed.
    std::function<void(std::uint64_t race, online::Judgement)> judge;
    OnlineProcess::IsRunning is_running;
    /// True if the baseline or an earlier run has the race: it is then counted and not printed. Null: nothing is known.
    std::function<bool(const Race&)> is_known = nullptr;
    /// The text style of a run with these options; null: plain text.
    std::function<TextStyle(const RunOptions&)> style = nullptr;
  };

  /// A program that ran: a process, or one of its images before an exec.
  struct Ran {
    RunReport report;         ///< without the exit
    std::vector<Race> known;  ///< races for which `Outside::is_known` is true
    RunOptions options;
    std::vector<std::string> modules;  ///< the files of its loaded modules
  };

  OnlineSession(Suppressions& suppressions, Outside outside)
      : suppressions_(suppressions), outside_(std::move(outside)) {}

  /// The next message from the log of this process.
  std::expected<void, InputError> take(std::uint64_t process, const online::Message& message);

  bool empty() const { return images_.empty(); }

  /// All images in the order in which they began, those of process `first` first.
  std::vector<Ran> all(std::uint64_t first) const;

  /// Adds the suppressed races to their suppressions' hit counts, and returns their number. Call once, at the end.
  std::size_t count_suppressed();

 private:
  struct Image {
    Image(std::uint64_t id, std::string relation, OnlineProcess::IsRunning is_running)
        : process(id, std::move(relation), std::move(is_running)) {}

    OnlineProcess process;
    RunOptions options;
    std::vector<Race> races;
    std::unordered_map<std::string, std::size_t> known;  ///< key → index in `races`
    std::vector<Race> known_before;
    std::unordered_map<std::string, std::size_t> known_before_at;  ///< key → index in `known_before`
    bool halted = false;
  };
  /// The list and index at which a numbered race is counted.
  struct Counted {
    std::vector<Race>* races = nullptr;
    std::size_t at = 0;
    std::uint64_t count = 0;
  };

  std::expected<void, InputError> begin(std::uint64_t process, const online::Begin& message);
  std::expected<void, InputError> race(Image& image, const online::Race& message);
  void set_aside(Image& image, std::uint64_t number, Race race);
  /// True if the race is new; then it was printed.
  std::expected<bool, InputError> report(Image& image, std::uint64_t number, Race race);
  void repeat(const online::Repeat& message);
  TextStyle style_of(const RunOptions& options) const;
  static bool is_of_uninstrumented(const Race& race);

  Suppressions& suppressions_;
  Outside outside_;
  std::vector<std::unique_ptr<Image>> images_;
  std::map<std::uint64_t, Image*> current_;  ///< by process
  std::vector<Race> suppressed_;
  std::unordered_map<std::uint64_t, Counted> numbers_;
};

/// Combines an online run with the record of the same run. Races of both get the result of the record's analysis, and
/// `Race::online` marks them; races that only the record shows follow. Predictions that the record excludes become
/// unconfirmed entries.
RunReport with_record(RunReport online, RunReport recorded);

}  // namespace omen::report
