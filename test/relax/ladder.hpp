/// \file
/// Runs a program once and predicts from the recording with all models: shared by the random test and the benchmark.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mini/checker.hpp"
#include "mini/code.hpp"
#include "mini/explore.hpp"
#include "mini/paths.hpp"
#include "mini/recorder.hpp"
#include "mini/reexecute.hpp"
#include "relax/predict.hpp"
#include "trace/values/values_check.hpp"

namespace omen::relax {

/// Pairs of source locations, the smaller text first.
using LocationPairs = std::set<std::pair<std::string, std::string>>;

/// The models, and `control` with artificial branches, each containing the previous one.
struct Rung {
  Model model;
  bool artificial;
  const char* name;
};
inline constexpr std::array<Rung, 7> kRungs{{{Model::Ca, false, "ca"},
                                             {Model::Lw, false, "lw"},
                                             {Model::Value, false, "value"},
                                             {Model::Control, true, "control*"},
                                             {Model::Control, false, "control"},
                                             {Model::Relax, false, "relax"},
                                             {Model::Paths, false, "paths"}}};

/// Path and content of each file of a folder that ends in `.mini`, sorted by name.
inline std::vector<std::pair<std::string, std::string>> programs_in(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> programs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mini") continue;
    std::ifstream file(entry.path());
    programs.emplace_back(entry.path().stem().string(), std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::ranges::sort(programs);
  return programs;
}

class RecordedProgram {
 public:
  static std::expected<RecordedProgram, std::string> run(const std::string& source, const std::string& name,
                                                         std::uint64_t seed) {
    mini::RandomScheduler scheduler(seed);
    return run(source, name, scheduler);
  }

  static std::expected<RecordedProgram, std::string> run(const std::string& source, const std::string& name,
                                                         mini::Scheduler& scheduler) {
    auto program = mini::load(source, name);
    if (!program) return std::unexpected(program.error().text());
    RecordedProgram result;
    result.code_ = std::make_unique<mini::Code>(mini::compile(*program));
    mini::Recording recording = mini::record(*result.code_, scheduler);
    result.trace_ = std::make_unique<values::ValueTrace>(std::move(recording.trace));
    if (const auto good = values::check(*result.trace_); !good) {
      return std::unexpected("event " + std::to_string(good.error().event) + ": " + good.error().message);
    }
    result.paths_ = mini::path_provider(*result.code_, std::move(recording.run.schedule));
    result.reexecutor_ = mini::reexecutor(*result.code_);
    return result;
  }

  /// By exploring all schedules; false: too many states.
  bool explore(LocationPairs& races, std::uint64_t max_states) const {
    const mini::Exploration found = mini::explore_states(*code_, {.states = max_states});
    const auto text = [&](const mini::Position& at) { return mini::location_text(*code_, at); };
    for (const auto& [sites, example] : found.races) {
      std::string one = text(sites.first.at);
      std::string two = text(sites.second.at);
      if (two < one) std::swap(one, two);
      races.emplace(std::move(one), std::move(two));
    }
    return found.exhaustive;
  }

  values::ValueTrace& trace() { return *trace_; }
  Subject subject() { return {.values = trace_.get(), .paths = paths_.get(), .reexecutor = reexecutor_.get()}; }

  LocationPairs races(const std::vector<Verdict>& verdicts) const {
    LocationPairs found;
    for (const Verdict& v : verdicts) {
      if (v.answer != Answer::Race) continue;
      std::string one = trace_->names.text(v.first_location);
      std::string two = trace_->names.text(v.second_location);
      if (two < one) std::swap(one, two);
      found.emplace(std::move(one), std::move(two));
    }
    return found;
  }

 private:
  std::unique_ptr<mini::Code> code_;
  std::unique_ptr<values::ValueTrace> trace_;
  std::unique_ptr<values::PathProvider> paths_;
  std::unique_ptr<values::Reexecutor> reexecutor_;
};

}  // namespace omen::relax
