#include "cli/replay_run.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "cli/preload.hpp"
#include "cli/stuck_program.hpp"
#include "symbolize/symbolizer.hpp"

namespace omen::cli {
namespace {

using report::ReplayPlan;

/// docs/formats.md, "The plan of a replay".
std::string plan_text(const ReplayRequest& request, const std::string& log) {
  const ReplayPlan& plan = request.plan;
  std::string text = fmt::format("omen-replay 1\nlog {}\nfirst {}\nhold {}\npatience {}\ncounts {} {} {} {} {}\n", log,
                                 request.first, request.hold ? 1 : 0, request.patience, plan.modules.size(),
                                 plan.places.size(), plan.threads.size(), plan.steps.size(), plan.waits.size());
  auto out = std::back_inserter(text);
  for (const auto& module : plan.modules) fmt::format_to(out, "module {}\n", module.path);
  for (std::size_t i = 1; i < plan.places.size(); ++i) {
    fmt::format_to(out, "place {} {}\n", plan.places[i].module, plan.places[i].offset);
  }
  for (const auto& thread : plan.threads) fmt::format_to(out, "thread {} {}\n", thread.creator, thread.nth);
  for (const auto& step : plan.steps) {
    fmt::format_to(out, "step {} {} {}\n", step.thread, step.place, static_cast<unsigned>(step.kind));
  }
  for (const auto& wait : plan.waits) fmt::format_to(out, "wait {} {}\n", wait.thread, wait.place);
  if (!plan.waits.empty()) return text;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto& target = plan.targets[side];
    const auto& memory = target.memory;
    fmt::format_to(out, "target {} {} {} {} {} {} {} {} {} {} {}\n", side, target.thread, target.place,
                   target.at_point ? 1 : 0, target.passes ? 1 : 0, static_cast<unsigned>(memory.kind), memory.owner,
                   memory.place, memory.nth, memory.offset, memory.bytes);
  }
  return text;
}

PointKind kind_of(unsigned number) {
  return number < kPointNames.size() ? static_cast<PointKind>(number) : PointKind::None;
}

/// docs/formats.md, "The log of a replay".
struct ReplayLog {
  ReplayOutcome outcome;
  int process = 0;       ///< the process that follows the plan; 0: none yet
  bool is_over = false;  ///< the program runs uncontrolled

  void read(const std::string& path);
};

void ReplayLog::read(const std::string& path) {
  using End = ReplayOutcome::End;
  std::ifstream file(path);
  std::vector<ReplayFrame>* stack = nullptr;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "claimed") {
      outcome.end = End::Silent;
      words >> process;
    } else if (key == "waiting") {
      std::size_t number = 0;
      ReplayedWait wait;
      words >> number >> wait.thread >> wait.system_id;
      stack = &outcome.waits.emplace_back(std::move(wait)).stack;
    } else if (key == "deadlock") {
      outcome.end = End::NotStuck;  // until the program is found to be stuck
    } else if (key == "done") {
      is_over = true;
    } else if (key == "reached") {
      outcome.end = End::Reached;
    } else if (key == "access") {
      std::size_t side = 0;
      ReplayedAccess access;
      words >> side >> access.thread >> access.system_id >> access.write >> access.bytes >> std::hex >> access.address;
      if (side > 1) continue;
      outcome.accesses[side] = std::move(access);
      stack = &outcome.accesses[side].stack;
    } else if (key == "frame" && stack != nullptr) {
      std::uint64_t offset = 0;
      words >> offset >> std::ws;
      std::string module;
      std::getline(words, module);
      stack->emplace_back(std::move(module), offset);
    } else if (key == "before") {
      std::size_t side = 0;
      words >> side >> outcome.before;
    } else if (key == "after") {
      std::size_t side = 0;
      std::string value;
      words >> side >> value;
      if (side > 1) continue;
      if (outcome.after[1 - side].empty()) outcome.first = static_cast<std::uint32_t>(side);
      outcome.after[side] = value;
    } else if (key == "diverged") {
      unsigned kind = 0;
      words >> outcome.step >> outcome.thread >> kind;
      outcome.did = kind_of(kind);
      outcome.end = End::Diverged;
      is_over = true;
      stack = &outcome.stack;
    } else if (key == "stalled") {
      words >> outcome.step >> outcome.thread >> outcome.reason;
      outcome.end = End::Stalled;
      is_over = true;
    }
  }
}

std::string_view words_of(PointKind kind) {
  switch (kind) {
    case PointKind::Load:
      return "loads an atomic";
    case PointKind::Store:
      return "stores to an atomic";
    case PointKind::Rmw:
      return "changes an atomic";
    case PointKind::Lock:
    case PointKind::LockShared:
      return "takes a lock";
    case PointKind::Unlock:
      return "gives a lock back";
    case PointKind::Refused:
      return "is refused a lock";
    case PointKind::Wait:
      return "begins to wait for a condition";
    case PointKind::Wake:
    case PointKind::TimedOut:
      return "ends its wait for a condition";
    case PointKind::Arrive:
      return "comes to a barrier";
    case PointKind::Leave:
      return "leaves a barrier";
    case PointKind::Release:
      return "posts or writes";
    case PointKind::Acquire:
      return "receives, or runs a signal handler";
    case PointKind::Take:
      return "takes a token or data";
    case PointKind::TakeRefused:
      return "finds no token or data";
    case PointKind::Both:
      return "synchronises";
    case PointKind::Fork:
      return "creates a thread";
    case PointKind::Join:
      return "joins a thread";
    case PointKind::Begin:
      return "begins";
    case PointKind::End:
      return "ends";
    case PointKind::None:
      break;
  }
  return "goes on";
}

std::string place_text(const std::vector<ReplayFrame>& stack) {
  const auto lines = frame_lines(stack);
  return lines.empty() ? "" : " at " + lines.front();
}

std::string planned_text(const ReplayGoal& goal, std::uint64_t step) {
  const ReplayPlan& plan = goal.plan;
  if (step >= plan.steps.size()) return goal.name;
  const auto& next = plan.steps[step];
  std::vector<ReplayFrame> place;
  if (next.place != 0 && next.place < plan.places.size()) {
    const auto& planned = plan.places[next.place];
    if (planned.module < plan.modules.size()) place.emplace_back(plan.modules[planned.module].path, planned.offset);
  }
  return fmt::format("{} {}{}", goal.label(next.thread), words_of(next.kind), place_text(place));
}

/// Waits for the program to end. Kills it if no thread can ever continue after control was released, as after a race
/// that loses a wake-up, or if all threads of the deadlock are stuck. True: it was killed.
bool end_if_stuck(RunningProgram& program, const std::string& log) {
  std::optional<StuckWatch> watch;
  int process = 0;
  while (!program.end()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(watch ? StuckWatch::kPauseMilliseconds : 10));
    ReplayLog said;
    if (!watch) said.read(log);
    const bool deadlock = said.outcome.end == ReplayOutcome::End::NotStuck;
    if (!watch && said.process != 0 && (said.is_over || deadlock)) {
      std::vector<int> threads;
      for (const ReplayedWait& wait : said.outcome.waits) threads.push_back(static_cast<int>(wait.system_id));
      watch.emplace(said.process, std::move(threads));
      process = said.process;
    }
    if (watch && watch->is_stuck()) {
      kill(process, SIGKILL);
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> frame_lines(const std::vector<ReplayFrame>& stack) {
  // The address range reserved for each module; larger than any.
  constexpr std::uint64_t kRoom = std::uint64_t{1} << 40;
  std::vector<Module> modules;
  std::vector<std::uint64_t> places;
  for (const auto& [path, offset] : stack) {
    auto known = std::ranges::find(modules, path, &Module::path);
    if (known == modules.end()) {
      const std::uint64_t begin = (modules.size() + 1) * kRoom;
      modules.push_back({.begin = begin, .end = begin + kRoom, .bias = begin, .path = path, .build_id = ""});
      known = std::prev(modules.end());
    }
    places.push_back(known->bias + offset);
  }
  symbolize::Symbolizer symbolizer(modules);
  std::vector<std::string> lines;
  for (const std::uint64_t place : places) {
    for (const auto& frame : symbolizer.frames(place)) {
      if (frame.function == "__omen_call_main") continue;
      std::string line = frame.function.empty() ? "<null>" : frame.function;
      if (frame.has_source()) {
        line += fmt::format(" {}:{}", frame.file, frame.line);
        if (frame.column != 0) line += fmt::format(":{}", frame.column);
      } else {
        line += fmt::format(" ({}+{:#x})", report::base_name(frame.module), frame.offset);
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::expected<ReplayOutcome, InputError> replay_once(const ReplayRequest& request) {
  const auto folder = TemporaryFolder::create("");
  if (!folder) return std::unexpected(folder.error());
  const std::string plan = folder->path() + "/plan";
  const std::string log = folder->path() + "/log";
  std::ofstream(plan) << plan_text(request, log);
  auto program = RunningProgram::start(
      request.command,
      {{"OMEN_REPLAY", plan}, {"OMEN_RECORD", std::nullopt}, {"OMEN_ONLINE", std::nullopt}, preload_variable()},
      request.quiet ? RunningProgram::Streams::None : RunningProgram::Streams::Ours);
  if (!program) return std::unexpected(std::move(program.error()));
  const bool ended_stuck = !request.hold && end_if_stuck(*program, log);
  ReplayLog said;
  said.outcome.first = request.first;
  said.outcome.program = program->wait();
  said.read(log);
  ReplayOutcome& outcome = said.outcome;
  outcome.ended_stuck = ended_stuck;
  if (ended_stuck && outcome.end == ReplayOutcome::End::NotStuck) outcome.end = ReplayOutcome::End::Reached;
  return std::move(outcome);
}

ReplayGoal::ReplayGoal(const report::Race& race)
    : plan(*race.replay), threads(race.threads), name("the racing accesses") {
  if (!race.turned) return;
  const report::Frame* const place = report::Race::place(race.accesses[0].stack);
  if (place != nullptr) places[0] = fmt::format("{}:{}", report::base_name(place->file), place->line);
}

std::string ReplayGoal::label(std::uint32_t thread) const {
  const auto known = std::ranges::find(threads, thread, &report::Thread::id);
  if (known != threads.end()) return known->label;
  return thread == 0 ? "main" : fmt::format("T{}", thread);
}

std::string divergence_text(const ReplayOutcome& outcome, const ReplayGoal& goal) {
  const ReplayPlan& plan = goal.plan;
  const std::string expected = planned_text(goal, outcome.step);
  const std::string at = fmt::format("step {} of {}", std::min(outcome.step + 1, plan.steps.size()), plan.steps.size());
  switch (outcome.end) {
    case ReplayOutcome::End::Unclaimed:
      return "no process of the report's program took the order";
    case ReplayOutcome::End::Silent:
      if (outcome.program.signal != 0) {
        return fmt::format("was ended by {} before it came to {}", report::signal_name(outcome.program.signal),
                           goal.name);
      }
      return fmt::format("ended before it came to {}", goal.name);
    case ReplayOutcome::End::Diverged:
      return fmt::format("left the order at {}: {} {}{}; in the order, {}", at, goal.label(outcome.thread),
                         words_of(outcome.did), place_text(outcome.stack), expected);
    case ReplayOutcome::End::Stalled: {
      const std::string_view why = outcome.reason == "blocked"     ? "is blocked outside of the order"
                                   : outcome.reason == "not-begun" ? "has not begun"
                                   : outcome.reason == "ended"     ? "has ended"
                                                                   : "runs and does not come to it";
      return fmt::format("stopped at {}: {} {}; in the order, {}", at, goal.label(outcome.thread), why, expected);
    }
    case ReplayOutcome::End::NotStuck:
      return "made all requests of the deadlock, and went on";
    case ReplayOutcome::End::Reached:
      break;
  }
  return "";
}

namespace {

/// True if the departed thread is at the location of the race's access.
bool is_the_access(const ReplayOutcome& outcome, const ReplayGoal& goal) {
  for (std::size_t side = 0; side < goal.places.size(); ++side) {
    if (goal.places[side].empty()) continue;
    const auto lines = frame_lines(outcome.accesses[side].stack);
    if (lines.empty()) return false;
    std::string_view line = lines.front();
    line.remove_prefix(line.find_last_of(" /") + 1);
    if (line != goal.places[side] && !line.starts_with(goal.places[side] + ":")) return false;
  }
  return true;
}

}  // namespace

report::Replays count_replays(const ReplayGoal& goal, const std::vector<std::string>& command, std::uint32_t runs) {
  report::Replays result;
  for (; result.runs < runs; ++result.runs) {
    const auto outcome =
        replay_once({.plan = goal.plan, .command = command, .first = 1 - result.runs % 2, .quiet = true});
    if (!outcome) {
      result.diverged = outcome.error().text();
    } else if (outcome->end == ReplayOutcome::End::Reached && is_the_access(*outcome, goal)) {
      ++result.reached;
    } else if (outcome->end == ReplayOutcome::End::Reached) {
      result.diverged = "came to another access of the same memory";
    } else {
      result.diverged = divergence_text(*outcome, goal);
    }
  }
  return result;
}

}  // namespace omen::cli
