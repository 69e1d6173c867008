#include "cli/value_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <unordered_set>
#include <utility>

#include "capture/abi/values.hpp"
#include "cli/accessed_memory.hpp"
#include "cli/progress.hpp"
#include "cli/recorded_run.hpp"
#include "relax/predict.hpp"
#include "report/whole_file.hpp"
#include "symbolize/instrumented.hpp"
#include "trace/values/value_format.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

/// A file that this process made for itself.
struct Scratch {
  explicit Scratch(std::string name) : path(std::move(name)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }

  std::string path;
};

/// Schedules of a value trace as schedules of the run's trace, which has the accesses to threads' own memory too.
class Origins {
 public:
  Origins(const Trace& trace, const RunValues& run) : trace_(trace), run_(run), events_(trace.threads()) {
    for (std::uint32_t i = 0; i < trace.size(); ++i) events_[index(trace.events[i].thread)].push_back(i);
  }

  std::uint32_t of(std::uint32_t event) const { return run_.origin[event]; }

  /// The pair last.
  std::vector<std::uint32_t> witness(const relax::Verdict& race) const {
    std::vector<std::uint32_t> witness;
    std::vector<std::size_t> next(events_.size(), 0);
    const auto advance = [&](std::uint32_t end, bool inclusive) {
      const std::size_t thread = index(trace_.events[end].thread);
      const auto& own = events_[thread];
      for (; next[thread] < own.size() && own[next[thread]] < end + (inclusive ? 1U : 0U); ++next[thread]) {
        witness.push_back(own[next[thread]]);
      }
    };
    for (const std::uint32_t event : race.schedule) advance(of(event), true);
    for (const std::uint32_t event : {race.first, race.second}) advance(of(event), false);
    witness.push_back(of(race.first));
    witness.push_back(of(race.second));
    return witness;
  }

  std::vector<report::ReadChange> changes(const relax::Verdict& race) const {
    std::vector<report::ReadChange> changes;
    for (const relax::Observed& access : race.accesses) {
      const values::ValueEvent& event = run_.trace.events[access.event];
      if (!values::reads_memory(event.act) || event.recorded == access.value) continue;
      changes.push_back({.event = of(access.event), .recorded = event.recorded, .now = access.value});
    }
    return changes;
  }

 private:
  const Trace& trace_;
  const RunValues& run_;
  std::vector<std::vector<std::uint32_t>> events_;  ///< of each thread
};

}  // namespace

bool records_values(const std::vector<Module>& modules) {
  return std::ranges::any_of(modules, [](const Module& module) {
    std::error_code ignored;
    return fs::is_regular_file(module.path, ignored) && symbolize::has_section(module.path, abi::kBitcodeSection);
  });
}

std::expected<int, InputError> interpret_values(const std::string& raw, const std::string& values,
                                                const std::string& origins) {
  std::error_code error;
  const auto self = fs::read_symlink("/proc/self/exe", error);
  const fs::path interpreter = self.parent_path() / "omen-values";
  if (!fs::exists(interpreter, error)) {
    return std::unexpected(InputError{interpreter.string(), "",
                                      "expected the interpreter of recorded programs; it is built where LLVM 19 is "
                                      "(llvm-19-dev)"});
  }
  std::vector<std::string> command{interpreter.string(), raw, values};
  if (!origins.empty()) command.push_back(origins);
  auto started = RunningProgram::start(command, {});
  if (!started) return std::unexpected(std::move(started.error()));
  return started->wait().exit_code();
}

std::expected<RunValues, InputError> values_of(const std::string& raw) {
  const Scratch values(raw + ".values");
  const Scratch origins(raw + ".origins");
  const auto code = interpret_values(raw, values.path, origins.path);
  if (!code) return std::unexpected(code.error());
  if (*code != 0) return std::unexpected(InputError{raw, "", "there is no value trace of this run"});
  const auto text = report::whole_file(values.path);
  if (!text) return std::unexpected(text.error());
  auto trace = values::parse_values(*text, values.path);
  if (!trace) return std::unexpected(std::move(trace.error()));
  const auto numbers = report::whole_file(origins.path);
  if (!numbers) return std::unexpected(numbers.error());
  RunValues run{.trace = std::move(*trace), .origin = {}};
  run.origin.resize(numbers->size() / sizeof(std::uint32_t));
  std::memcpy(run.origin.data(), numbers->data(), run.origin.size() * sizeof(std::uint32_t));
  OMEN_CHECK(run.origin.size() == run.trace.size());
  return run;
}

FoundByValues find_by_values(const Trace& trace, const CaptureInfo& info, RunValues& run,
                             const std::vector<report::Candidate>& found, const ValueSearch& search) {
  FoundByValues result;
  const auto origins = std::make_shared<const Origins>(trace, run);
  const std::unordered_set<std::uint32_t> vptr_writes(info.vptr_writes.begin(), info.vptr_writes.end());
  const auto node = [&](std::uint64_t event) {
    return static_cast<std::uint32_t>(trace.events[event].location) & ~kNumericLocation;
  };
  const auto pc = [&](std::uint64_t event) -> std::uint64_t {
    return node(event) < info.stacks.size() ? info.stacks[node(event)].pc : 0;
  };
  std::set<std::pair<std::uint64_t, std::uint64_t>> known;
  const auto places = [&](std::uint64_t one, std::uint64_t other) -> std::pair<std::uint64_t, std::uint64_t> {
    return std::minmax({pc(one), pc(other)});
  };
  for (const report::Candidate& candidate : found) {
    if (!candidate.withheld) known.insert(places(candidate.pair[0], candidate.pair[1]));
  }

  relax::Settings settings = relax::Settings::of_budget(search.budget);
  settings.jobs = static_cast<std::size_t>(search.jobs);
  settings.leave_out = [&](std::uint32_t first, std::uint32_t second) {
    const std::uint32_t one = origins->of(first);
    const std::uint32_t other = origins->of(second);
    return known.contains(places(one, other)) || is_benign(trace, one, info);
  };
  const relax::Subject subject{.values = &run.trace};
  for (const relax::Model model : {relax::Model::Value, relax::Model::Control, relax::Model::Relax}) {
    settings.model = model;
    report::ValueModel asked{.name = std::string(relax::name(model)), .budget = search.budget};
    Progress progress(fmt::format("asking the model {}", asked.name));
    settings.progress = [&](double part) { progress.update(run.trace.size(), part); };
    for (relax::Verdict& verdict : relax::predict(subject, settings)) {
      ++asked.candidates;
      asked.undecided += verdict.answer == relax::Answer::OutOfBudget ? 1 : 0;
      if (verdict.answer != relax::Answer::Race) continue;
      const std::array<std::uint32_t, 2> pair{origins->of(verdict.first), origins->of(verdict.second)};
      if (!known.insert(places(pair[0], pair[1])).second) continue;
      ++asked.races;
      report::Candidate candidate;
      candidate.pair = {pair[0], pair[1]};
      candidate.found_by = candidate.model = asked.name;
      candidate.method = "replay";
      candidate.count = verdict.pairs;
      for (std::size_t side = 0; side < 2; ++side) {
        candidate.vptr |= vptr_writes.contains(node(pair[side]));
        candidate.atomic[side] = is_atomic(trace, pair[side]);
      }
      const auto kept = std::make_shared<const relax::Verdict>(std::move(verdict));
      candidate.witness = [origins, kept] { return origins->witness(*kept); };
      candidate.changed = [origins, kept] { return origins->changes(*kept); };
      result.races.push_back(std::move(candidate));
    }
    result.models.push_back(std::move(asked));
  }
  return result;
}

}  // namespace omen::cli
