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
#include "cli/turned_witness.hpp"
#include "cli/value_origins.hpp"
#include "relax/predict.hpp"
#include "report/whole_file.hpp"
#include "symbolize/instrumented.hpp"
#include "trace/values/value_format.hpp"

namespace omen::cli {
namespace {

namespace fs = std::filesystem;

/// A temporary file of this process.
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

namespace {

/// Collects the races that each model finds in turn.
class ValueModels {
 public:
  ValueModels(const Trace& trace, const CaptureInfo& info, RunValues& run, const ValueSearch& search)
      : trace_(trace),
        info_(info),
        run_(run),
        search_(search),
        origins_(std::make_shared<const ValueOrigins>(trace, run.trace, run.origin)),
        vptr_writes_(info.vptr_writes.begin(), info.vptr_writes.end()) {}

  FoundByValues ask(const std::vector<report::Candidate>& found) {
    for (const report::Candidate& candidate : found) {
      if (candidate.withheld) continue;
      known_.insert(places(candidate.pair[0], candidate.pair[1]));
      known_texts_.insert(texts(origins_->text(candidate.pair[0]), origins_->text(candidate.pair[1])));
    }
    for (const relax::Model model : {Model::Value, Model::Control, Model::Relax, Model::Paths}) {
      if (model <= search_.last) ask(model);
    }
    return std::move(result_);
  }

 private:
  using Model = relax::Model;
  using Places = std::pair<std::uint64_t, std::uint64_t>;
  using Texts = std::pair<std::string, std::string>;

  std::uint32_t node(std::uint64_t event) const {
    return static_cast<std::uint32_t>(trace_.events[event].location) & ~kNumericLocation;
  }
  std::uint64_t pc(std::uint64_t event) const {
    return node(event) < info_.stacks.size() ? info_.stacks[node(event)].pc : 0;
  }
  Places places(std::uint64_t one, std::uint64_t other) const { return std::minmax({pc(one), pc(other)}); }
  static Texts texts(std::string one, std::string other) {
    if (other < one) std::swap(one, other);
    return {std::move(one), std::move(other)};
  }

  void ask(Model model) {
    relax::Settings settings = relax::Settings::of_budget(search_.budget);
    settings.jobs = static_cast<std::size_t>(search_.jobs);
    settings.leave_out = [&](std::uint32_t first, std::uint32_t second) {
      const std::uint32_t one = origins_->of(first);
      return known_.contains(places(one, origins_->of(second))) || is_benign(trace_, one, info_);
    };
    settings.model = model;
    settings.recorded_ways = model != Model::Paths;  // `relax` has found these
    report::ValueModel asked{.name = std::string(relax::name(model)), .budget = search_.budget};
    Progress progress(fmt::format("asking the model {}", asked.name));
    settings.progress = [&](double part) { progress.update(run_.trace.size(), part); };
    values::CarriedPaths paths;
    const relax::Subject subject{.values = &run_.trace, .paths = &paths};
    for (relax::Verdict& verdict : relax::predict(subject, settings)) {
      ++asked.candidates;
      asked.undecided += verdict.answer == relax::Answer::OutOfBudget ? 1 : 0;
      if (verdict.answer != relax::Answer::Race) continue;
      auto candidate = model == Model::Paths ? turned(verdict) : recorded(verdict);
      if (!candidate) continue;
      ++asked.races;
      candidate->found_by = candidate->model = asked.name;
      candidate->method = "replay";
      candidate->count = verdict.pairs;
      result_.races.push_back(std::move(*candidate));
    }
    result_.models.push_back(std::move(asked));
  }

  /// Nothing if an earlier model has found the race.
  std::optional<report::Candidate> recorded(relax::Verdict& verdict) {
    const std::array<std::uint32_t, 2> pair{origins_->of(verdict.first), origins_->of(verdict.second)};
    known_texts_.insert(texts(origins_->text(pair[0]), origins_->text(pair[1])));
    if (!known_.insert(places(pair[0], pair[1])).second) return std::nullopt;
    report::Candidate candidate;
    candidate.pair = {pair[0], pair[1]};
    for (std::size_t side = 0; side < 2; ++side) {
      candidate.vptr |= vptr_writes_.contains(node(pair[side]));
      candidate.atomic[side] = is_atomic(trace_, pair[side]);
    }
    const auto kept = std::make_shared<const relax::Verdict>(std::move(verdict));
    candidate.witness = [origins = origins_, kept] {
      return origins->witness(kept->schedule, {kept->first, kept->second});
    };
    candidate.changed = [origins = origins_, kept] { return origins->changes(kept->accesses); };
    return candidate;
  }

  /// A race with one access on a path. A race of two recorded accesses after a path is left out, because no plan leads
  /// there.
  std::optional<report::Candidate> turned(relax::Verdict& verdict) {
    const auto size = static_cast<std::uint32_t>(run_.trace.size());
    if (verdict.first < size && verdict.second < size) return std::nullopt;
    const relax::Turn turn = verdict.turned.turn();
    const std::uint32_t other = std::min(verdict.first, verdict.second);
    const values::ValueEvent& access = relax::event_at(run_.trace, turn, std::max(verdict.first, verdict.second));
    const values::ValueEvent& branch = run_.trace.events[verdict.turned.branch];
    const std::uint32_t met = origins_->of(other);
    const std::string& place = run_.trace.names.text(access.location);
    if (is_benign(trace_, met, info_) || !known_texts_.insert(texts(place, origins_->text(met))).second) {
      return std::nullopt;
    }
    const DepartingOrder order = departing_order(run_.trace, verdict);
    report::Candidate candidate;
    add_locks(verdict);
    candidate.pair = {met, trace_.size() + result_.unrecorded.size()};
    candidate.vptr = vptr_writes_.contains(node(met));
    candidate.atomic[0] = is_atomic(trace_, met);
    candidate.turned = {.thread = static_cast<std::uint32_t>(branch.thread),
                        .place = run_.trace.names.text(branch.location),
                        .taken = branch.recorded != 0,
                        .departs_at = 0,
                        .no_replay = order.why_not};
    Event event = trace_.events[met];
    event.op = access.act == values::Act::Read ? Op::Read : Op::Write;
    event.thread = access.thread;
    result_.unrecorded.push_back({event, place});
    std::vector<std::uint32_t> witness = origins_->events_of(order.before);
    candidate.turned->departs_at = witness.size();
    witness = origins_->witness(order.whole(), {other});
    witness.push_back(static_cast<std::uint32_t>(candidate.pair[1]));
    candidate.witness = [witness = std::move(witness)] { return witness; };
    candidate.changed = [changes = origins_->changes(verdict.accesses)] { return changes; };
    return candidate;
  }

  /// Appends acquires for the locks that the thread on the path holds at its access, after the run's own events.
  void add_locks(const relax::Verdict& verdict) {
    const relax::Turn turn = verdict.turned.turn();
    const ThreadId thread = run_.trace.events[verdict.turned.branch].thread;
    std::vector<const values::ValueEvent*> held;
    for (const std::uint32_t number : verdict.schedule) {
      const values::ValueEvent& e = relax::event_at(run_.trace, turn, number);
      if (e.thread != thread) continue;
      if (e.act == values::Act::Acquire) held.push_back(&e);
      if (e.act != values::Act::Release) continue;
      std::erase_if(held, [&](const values::ValueEvent* one) { return one->operand == e.operand; });
    }
    for (const values::ValueEvent* const acquired : held) {
      const auto lock = trace_.names.of(OperandKind::Lock).find(run_.trace.names.of(acquired->lock()));
      if (!lock) continue;
      const Event event{.thread = thread, .operand = *lock, .op = Op::Acquire};
      result_.unrecorded.push_back({event, run_.trace.names.text(acquired->location)});
    }
  }

  const Trace& trace_;
  const CaptureInfo& info_;
  RunValues& run_;
  const ValueSearch& search_;
  std::shared_ptr<const ValueOrigins> origins_;
  std::unordered_set<std::uint32_t> vptr_writes_;
  std::set<Places> known_;
  std::set<Texts> known_texts_;
  FoundByValues result_;
};

}  // namespace

FoundByValues find_by_values(const Trace& trace, const CaptureInfo& info, RunValues& run,
                             const std::vector<report::Candidate>& found, const ValueSearch& search) {
  return ValueModels(trace, info, run, search).ask(found);
}

}  // namespace omen::cli
