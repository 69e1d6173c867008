/// \file
/// A run whose races are found while it goes on: messages of its processes come in, each race is judged at once
/// (suppressed, known already, or new), new ones are printed, and at the end there is a report like any other.
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
  /// What the session needs from outside.
  struct Outside {
    /// The options of a run, from those that its program brings.
    std::function<std::expected<RunOptions, InputError>(const std::string&)> options_of;
    std::function<std::expected<void, InputError>(const std::string& text, const RunOptions&, std::uint64_t process)>
        print;
    /// Every race is judged once, after it was printed.
    std::function<void(std::uint64_t race, online::Judgement)> judge;
    OnlineProcess::IsRunning is_running;
    /// Whether an earlier report, or an earlier run, has it: then it is counted and not printed. Null: none has.
    std::function<bool(const Race&)> is_known = nullptr;
    /// How the text of a run with these options looks; null: plainly.
    std::function<TextStyle(const RunOptions&)> style = nullptr;
  };

  /// A program that ran: a process, or what it was until it replaced itself by another program.
  struct Ran {
    RunReport report;         ///< without how it ended
    std::vector<Race> known;  ///< those that `Outside::is_known` said to be
    RunOptions options;
    std::vector<std::string> modules;  ///< the files that it loaded
  };

  OnlineSession(Suppressions& suppressions, Outside outside)
      : suppressions_(suppressions), outside_(std::move(outside)) {}

  /// The next message of the process whose log bears this number.
  std::expected<void, InputError> take(std::uint64_t process, const online::Message& message);

  bool empty() const { return images_.empty(); }

  /// All that ran, in the order in which they began, those of process `first` first.
  std::vector<Ran> all(std::uint64_t first) const;

  /// Counts the suppressed races for the suppressions that cover them; how many there were. Once, at the end.
  std::size_t count_suppressed();

 private:
  struct Image {
    Image(std::uint64_t id, std::string relation, OnlineProcess::IsRunning is_running)
        : process(id, std::move(relation), std::move(is_running)) {}

    OnlineProcess process;
    RunOptions options;
    std::vector<Race> races;
    std::unordered_map<std::string, std::size_t> known;  ///< by key, in `races`
    std::vector<Race> known_before;
    std::unordered_map<std::string, std::size_t> known_before_at;  ///< by key
    bool halted = false;
  };
  /// Where a numbered race is counted.
  struct Counted {
    std::vector<Race>* races = nullptr;
    std::size_t at = 0;
    std::uint64_t count = 0;
  };

  std::expected<void, InputError> begin(std::uint64_t process, const online::Begin& message);
  std::expected<void, InputError> race(Image& image, const online::Race& message);
  void set_aside(Image& image, std::uint64_t number, Race race);
  /// Whether it is new, and was printed.
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

/// The report of a run of which there is also a record: what was found while it ran, with what the analysis of the
/// record says about it (`Race::online` tells which), then what only that found. Predictions that the record excludes
/// are no races: they are among the unconfirmed.
RunReport with_record(RunReport online, RunReport recorded);

}  // namespace omen::report
