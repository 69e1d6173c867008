/// \file
/// The messages of one running process so far (capture/online_log), and its races in source terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "capture/online_log/messages.hpp"
#include "report/race_report.hpp"
#include "symbolize/symbolizer.hpp"

namespace omen::report {

class OnlineProcess {
 public:
  /// True if this thread of the process still runs; both are system ids.
  using IsRunning = std::function<bool(std::uint64_t process, std::uint64_t thread)>;

  /// `relation` names the relation that predicts races: "wdc".
  OnlineProcess(std::uint64_t id, std::string relation, IsRunning is_running)
      : relation_(std::move(relation)), is_running_(std::move(is_running)), symbolizer_({}) {
    facts_.process = id;
  }

  void take(const online::Process& message) { facts_.process = message.id; }
  void take(const online::Argument& message) { facts_.command.push_back(message.text); }
  void take(const online::Options& message) { options_ = message.text; }
  void take(const online::OwnSuppressions& /*message*/) {}
  void take(const Module& message) {
    symbolizer_.add(message);
    modules_.push_back(message.path);
    highest_module_ = std::max(highest_module_, message.end);
  }
  void take(const online::ThreadBegin& message);
  void take(const online::ThreadName& message) { names_[message.id] = message.text; }
  void take(const online::Counter& message);
  void take(const online::Note& message) {
    facts_.notes.push_back(message.text);
    if (!message.complete) facts_.complete = false;
  }
  void take(const online::Exit& /*message*/) { exited_ = true; }

  /// The race, with its fingerprint.
  Race race(const online::Race& message);

  /// Two races with the same key are duplicates, as in build_report.hpp: the same two source positions in the same
  /// functions.
  static std::string key(const Race& race);

  std::uint64_t id() const { return facts_.process; }
  const std::vector<std::string>& modules() const { return modules_; }
  bool exited() const { return exited_; }
  /// The options that the program itself defines.
  const std::string& options() const { return options_; }

  /// A report without races and without the program's exit.
  RunReport facts() const;

 private:
  struct KnownThread {
    std::uint64_t system_id = 0;
    std::optional<std::uint32_t> creator;
    online::Addresses created;
  };

  Stack stack(const online::Addresses& addresses);
  Access access(const online::Access& message);
  Variable variable(const online::Race& message);
  std::string lock_label(std::uint64_t address);
  bool is_main(std::uint32_t id, const KnownThread& thread) const;
  std::vector<Thread> threads(std::vector<std::uint32_t> ids);

  std::string relation_;
  IsRunning is_running_;
  symbolize::Symbolizer symbolizer_;
  std::vector<std::string> modules_;
  std::uint64_t highest_module_ = 0;  ///< the first address after all modules
  RunReport facts_;
  std::string options_;
  std::map<std::uint32_t, KnownThread> threads_;
  std::map<std::uint32_t, std::string> names_;
  std::map<std::uint64_t, std::size_t> locks_;  ///< locks by address, numbered in the order in which races mention them
  bool exited_ = false;
};

}  // namespace omen::report
