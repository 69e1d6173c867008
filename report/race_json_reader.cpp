/// \file
/// The reader of race_json.hpp. It accesses every member through `Node`, which knows its position in the document. The
/// first error is stored; reads after it return empty values.
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/race_json.hpp"

namespace omen::report {
namespace {

using Json = nlohmann::ordered_json;

struct ReadError {
  std::string place;
  std::string message;
};

class Node {
 public:
  Node(const Json* json, std::string place, std::optional<ReadError>& failure)
      : json_(json), place_(std::move(place)), failure_(failure) {}

  /// A member of an object; a missing one acts like null.
  Node operator[](const char* name) const {
    if (json_ != nullptr && !json_->is_null() && !json_->is_object()) expected("an object");
    const Json* member = nullptr;
    if (json_ != nullptr && json_->is_object()) {
      if (const auto found = json_->find(name); found != json_->end()) member = &*found;
    }
    return {member, place_ + "/" + name, failure_};
  }

  bool missing() const { return json_ == nullptr || json_->is_null(); }

  void expected(std::string_view what) const {
    if (failure_) return;
    failure_ = ReadError{place_, fmt::format("expected {}{}", what, missing() ? ", which is missing" : "")};
  }

  std::string text() const {
    if (missing()) return {};
    if (json_->is_string()) return json_->get<std::string>();
    expected("a text");
    return {};
  }

  bool flag(bool otherwise = false) const {
    if (missing()) return otherwise;
    if (json_->is_boolean()) return json_->get<bool>();
    expected("true or false");
    return false;
  }

  template <class Number = std::uint64_t>
  Number number() const {
    if (missing()) return 0;
    if (json_->is_number_unsigned()) {
      const auto value = json_->get<std::uint64_t>();
      if (value <= std::numeric_limits<Number>::max()) return static_cast<Number>(value);
    }
    expected("a number from 0 on that fits");
    return 0;
  }

  std::optional<std::uint32_t> id() const {
    if (missing()) return std::nullopt;
    return number<std::uint32_t>();
  }

  /// "0x7f…".
  std::uint64_t address() const {
    if (missing()) return 0;
    std::uint64_t value = 0;
    if (json_->is_string()) {
      const auto& digits = json_->get_ref<const std::string&>();
      const char* const end = digits.data() + digits.size();
      if (digits.starts_with("0x")) {
        const auto [stop, error] = std::from_chars(digits.data() + 2, end, value, 16);
        if (error == std::errc{} && stop == end) return value;
      }
    }
    expected("an address such as \"0x1f\"");
    return 0;
  }

  template <class Enum, std::size_t N>
  Enum one_of(const std::array<std::string_view, N>& names) const {
    const std::string name = text();
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] == name) return static_cast<Enum>(i);
    }
    expected(fmt::format("one of {}", fmt::join(names, ", ")));
    return Enum{};
  }

  template <class Function>
  auto each(Function function) const {
    std::vector<decltype(function(*this))> items;
    if (missing()) return items;
    if (!json_->is_array()) {
      expected("an array");
      return items;
    }
    items.reserve(json_->size());
    for (std::size_t i = 0; i < json_->size() && !failure_; ++i) {
      items.push_back(function(Node(&(*json_)[i], fmt::format("{}/{}", place_, i), failure_)));
    }
    return items;
  }

  template <class Function>
  void each_member(Function function) const {
    if (missing()) return;
    if (!json_->is_object()) return expected("an object");
    for (const auto& [name, value] : json_->items()) function(name, Node(&value, place_ + "/" + name, failure_));
  }

 private:
  const Json* json_;
  std::string place_;
  std::optional<ReadError>& failure_;
};

Frame frame(const Node& node) {
  Frame frame;
  frame.function = node["function"].text();
  frame.file = node["file"].text();
  frame.line = node["line"].number<std::uint32_t>();
  frame.column = node["column"].number<std::uint32_t>();
  frame.module = node["module"].text();
  frame.offset = node["offset"].address();
  frame.build_id = node["build_id"].text();
  frame.inlined = node["inlined"].flag();
  return frame;
}

Stack stack(const Node& node) {
  return node.each(frame);
}

HeldLock lock(const Node& node) {
  HeldLock lock;
  lock.label = node["mutex"].text();
  lock.name = node["name"].text();
  lock.address = node["address"].address();
  lock.shared = node["mode"].text() == "read";
  lock.acquired = stack(node["stack"]);
  return lock;
}

Access access(const Node& node) {
  Access access;
  access.event = node["event"].number();
  access.kind = node["access"].one_of<AccessKind>(kAccessKindNames);
  access.atomic = node["atomic"].flag();
  access.size = node["size"].number();
  access.address = node["address"].address();
  access.thread = node["thread"].number<std::uint32_t>();
  access.stack = stack(node["stack"]);
  access.locks = node["locks"].each(lock);
  return access;
}

Variable variable(const Node& node) {
  Variable variable;
  if (node.missing()) return variable;
  variable.kind = node["kind"].one_of<LocationKind>(kLocationKindNames);
  variable.name = node["name"].text();
  variable.address = node["address"].address();
  variable.size = node["size"].number();
  variable.module = node["module"].text();
  variable.offset = node["offset"].address();
  variable.thread = node["thread"].id();
  variable.allocated = stack(node["stack"]);
  return variable;
}

Thread thread(const Node& node) {
  Thread thread;
  thread.id = node["id"].number<std::uint32_t>();
  thread.label = node["label"].text();
  thread.name = node["name"].text();
  thread.system_id = node["tid"].number();
  thread.main = node["main"].flag();
  thread.finished = node["finished"].flag();
  thread.creator = node["creator"].id();
  thread.creation = stack(node["stack"]);
  return thread;
}

std::vector<Node> items(const Node& node, std::size_t count) {
  auto all = node.each([](const Node& item) { return item; });
  if (all.size() != count) {
    node.expected(fmt::format("an array of {}", count));
    all.clear();
  }
  return all;
}

ScheduleStep step(const Node& node) {
  ScheduleStep step;
  step.kind = node["step"].one_of<StepKind>(kStepKindNames);
  step.thread = node["thread"].id();
  step.text = node["text"].text();
  step.file = node["file"].text();
  step.line = node["line"].number<std::uint32_t>();
  step.function = node["function"].text();
  step.first = node["first"].number();
  step.last = node["last"].number();
  if (const Node recorded = node["recorded"]; !recorded.missing()) {
    if (const auto ends = items(recorded, 2); !ends.empty()) step.recorded = {{ends[0].number(), ends[1].number()}};
  }
  const auto label = [](const Node& item) { return item.text(); };
  step.holds = node["holds"].each(label);
  step.keeps = node["keeps"].each(label);
  return step;
}

/// An index into a list of `count` elements.
std::uint32_t below(const Node& node, std::size_t count) {
  const auto number = node.number<std::uint32_t>();
  if (number >= count) node.expected(fmt::format("a number below {}", count));
  return number;
}

ReplayPlan::Target target(const Node& node, const ReplayPlan& plan) {
  ReplayPlan::Target target;
  target.thread = below(node["thread"], plan.threads.size());
  target.place = below(node["place"], plan.places.size());
  target.at_point = node["at_point"].flag();
  target.passes = node["passes"].flag();
  const Node memory = node["memory"];
  target.memory.kind = memory["kind"].one_of<ReplayPlan::MemoryKind>(kMemoryKindNames);
  target.memory.owner = memory["owner"].number<std::uint32_t>();
  target.memory.place = below(memory["place"], plan.places.size());
  target.memory.nth = memory["nth"].number<std::uint32_t>();
  target.memory.offset = memory["offset"].address();
  target.memory.bytes = memory["bytes"].number();
  return target;
}

ReplayPlan plan(const Node& node) {
  ReplayPlan plan;
  plan.modules = node["modules"].each(
      [](const Node& item) { return ReplayPlan::Module{item["path"].text(), item["build_id"].text()}; });
  plan.places = node["places"].each([](const Node& item) {
    const auto parts = items(item, 2);
    return parts.empty() ? ReplayPlan::Place{}
                         : ReplayPlan::Place{parts[0].number<std::uint32_t>(), parts[1].address()};
  });
  plan.threads = node["threads"].each([](const Node& item) {
    const auto parts = items(item, 2);
    return parts.empty() ? ReplayPlan::Thread{}
                         : ReplayPlan::Thread{parts[0].number<std::uint32_t>(), parts[1].number<std::uint32_t>()};
  });
  plan.steps = node["steps"].each([&](const Node& item) {
    const auto parts = items(item, 3);
    if (parts.empty()) return ReplayPlan::Step{};
    return ReplayPlan::Step{below(parts[0], plan.threads.size()), below(parts[1], plan.places.size()),
                            parts[2].one_of<PointKind>(kPointNames)};
  });
  plan.waits = node["waits"].each([&](const Node& item) {
    const auto parts = items(item, 2);
    if (parts.empty()) return ReplayPlan::Wait{};
    return ReplayPlan::Wait{below(parts[0], plan.threads.size()), below(parts[1], plan.places.size())};
  });
  if (!plan.waits.empty()) return plan;
  const auto targets = node["accesses"].each([&](const Node& item) { return target(item, plan); });
  if (targets.size() == 2) {
    plan.targets = {targets[0], targets[1]};
  } else {
    node["accesses"].expected("two accesses");
  }
  return plan;
}

Replays replays(const Node& node) {
  return {node["runs"].number<std::uint32_t>(), node["reached"].number<std::uint32_t>(), node["diverged"].text()};
}

Shown shown(const Node& node) {
  return {node["seed"].number(), node["run"].number(), node["runs"].number(), node["steps"].number()};
}

FailedThread failed_thread(const Node& node) {
  FailedThread thread;
  thread.id = node["id"].number<std::uint32_t>();
  thread.label = node["label"].text();
  thread.waits_for = node["waits_for"].text();
  thread.object = node["object"].address();
  thread.held_by = node["held_by"].id();
  thread.stack = stack(node["stack"]);
  return thread;
}

Failure failure(const Node& node) {
  Failure failure;
  failure.kind = node["kind"].one_of<FailureKind>(kFailureKindNames);
  failure.what = node["what"].text();
  failure.fingerprint = node["fingerprint"].text();
  failure.threads = node["threads"].each(failed_thread);
  if (!node["shown"].missing()) failure.shown = shown(node["shown"]);
  return failure;
}

Exploration exploration(const Node& node) {
  Exploration exploration;
  exploration.strategy = node["strategy"].text();
  exploration.depth = node["depth"].number();
  exploration.seed = node["seed"].number();
  exploration.runs = node["runs"].number();
  exploration.schedules = node["schedules"].number();
  exploration.points = node["points"].number();
  exploration.released = node["released"].number();
  return exploration;
}

Origin origin(const Node& node) {
  Origin origin;
  origin.process = node["pid"].number();
  origin.command = node["command"].each([](const Node& item) { return item.text(); });
  if (!node["seen_in"].missing()) origin.runs = node["seen_in"].number();
  return origin;
}

ChangedRead changed_read(const Node& node) {
  ChangedRead read;
  read.event = node["event"].number();
  read.thread = node["thread"].number<std::uint32_t>();
  read.variable = node["variable"].text();
  read.place = frame(node["place"]);
  read.count = node["count"].number();
  if (!node["recorded"].missing()) read.recorded = node["recorded"].number();
  if (!node["now"].missing()) read.now = node["now"].number();
  return read;
}

TurnedBranch turned_branch(const Node& node) {
  return {
      .thread = node["thread"].number<std::uint32_t>(), .place = frame(node["place"]), .taken = node["taken"].flag()};
}

Models models(const Node& node) {
  Models models;
  models.witnesses = node["witnesses"].text();
  models.without_pass = node["without_pass"].each([](const Node& item) { return item.text(); });
  models.values = node["values"].each([](const Node& item) {
    return ValueModel{.name = item["model"].text(),
                      .budget = item["budget"].number(),
                      .candidates = item["candidates"].number(),
                      .races = item["races"].number(),
                      .undecided = item["undecided"].number()};
  });
  return models;
}

Race race(const Node& node) {
  Race race;
  race.origin = origin(node);
  race.kind = node["kind"].one_of<RaceKind>(kRaceKindNames);
  race.found_by = node["found_by"].text();
  race.observed = node["observed"].flag();
  race.online = node["online"].flag();
  race.confirmed = node["verdict"].text() == "race";
  race.excluded = node["verdict"].text() == "no-race";
  race.decided = node["decided"].number();
  race.why = node["why"].text();
  race.method = node["method"].text();
  race.model = node["model"].text();
  race.count = node["count"].missing() ? 1 : node["count"].number();
  race.fingerprint = node["fingerprint"].text();
  race.variable = variable(node["variable"]);
  const auto accesses = node["accesses"].each(access);
  if (accesses.size() == 2) {
    race.accesses = {accesses[0], accesses[1]};
  } else {
    node["accesses"].expected("two accesses");
  }
  race.threads = node["threads"].each(thread);
  race.witness = node["witness"].each([](const Node& item) { return item.number<std::uint32_t>(); });
  race.witness_size = node["witness_events"].missing() ? race.witness.size() : node["witness_events"].number();
  race.schedule = node["schedule"].each(step);
  race.hidden_by = node["hidden_by"].each(step);
  race.changed_reads = node["changed_reads"].each(changed_read);
  if (!node["turned"].missing()) race.turned = turned_branch(node["turned"]);
  if (!node["replay"].missing()) race.replay = plan(node["replay"]);
  race.no_replay = node["no_replay"].text();
  if (!node["replayed"].missing()) race.replays = replays(node["replayed"]);
  if (const Node demonstrated = node["demonstrated"]; !demonstrated.missing()) {
    race.demonstration = {demonstrated["runs"].number<std::uint32_t>(), demonstrated["met"].flag()};
  }
  if (!node["shown"].missing()) race.shown = shown(node["shown"]);
  return race;
}

WaitingThread waiting(const Node& node) {
  WaitingThread one;
  one.event = node["event"].number();
  one.thread = node["thread"].number<std::uint32_t>();
  one.waits = node["waits"].one_of<WaitsFor>(kWaitsForNames);
  if (!node["wants"].missing()) one.wants = lock(node["wants"]);
  if (!node["holds"].missing()) one.holds = lock(node["holds"]);
  one.stack = stack(node["stack"]);
  return one;
}

Deadlock deadlock(const Node& node) {
  Deadlock deadlock;
  deadlock.origin = origin(node);
  deadlock.method = node["method"].text();
  deadlock.model = node["model"].text();
  deadlock.count = node["count"].missing() ? 1 : node["count"].number();
  deadlock.fingerprint = node["fingerprint"].text();
  deadlock.waiting = node["waiting"].each(waiting);
  if (deadlock.waiting.size() < 2) node["waiting"].expected("two threads or more");
  deadlock.threads = node["threads"].each(thread);
  deadlock.witness = node["witness"].each([](const Node& item) { return item.number<std::uint32_t>(); });
  deadlock.witness_size = node["witness_events"].missing() ? deadlock.witness.size() : node["witness_events"].number();
  deadlock.schedule = node["schedule"].each(step);
  if (!node["replay"].missing()) deadlock.replay = plan(node["replay"]);
  deadlock.no_replay = node["no_replay"].text();
  if (!node["replayed"].missing()) deadlock.replays = replays(node["replayed"]);
  return deadlock;
}

/// Clears the origins that are the report's own.
void forget_own_origins(RunReport& report) {
  const auto forget = [&](auto& findings) {
    for (auto& finding : findings) {
      Origin& origin = finding.origin;
      if (origin.process == report.process) origin.process = 0;
      if (origin.command == report.command) origin.command.clear();
    }
  };
  forget(report.races);
  forget(report.deadlocks);
  forget(report.unconfirmed);
  if (!report.baseline) return;
  forget(report.baseline->known);
  forget(report.baseline->gone);
  forget(report.baseline->known_deadlocks);
  forget(report.baseline->gone_deadlocks);
}

RunReport report(const Node& node) {
  RunReport report;
  const auto text = [](const Node& item) { return item.text(); };
  if (node["omen"].number() != kReportVersion) node["omen"].expected(fmt::format("version {}", kReportVersion));
  report.command = node["command"].each(text);
  report.process = node["pid"].number();
  report.exit.code = node["exit"]["code"].number<int>();
  report.exit.signal = node["exit"]["signal"].text();
  report.threads = node["threads"].number();
  report.events = node["events"].number();
  report.synchronisations = node["synchronisations"].number();
  report.complete = node["complete"].flag(true);
  report.notes = node["notes"].each(text);
  if (!node["models"].missing()) report.models = models(node["models"]);
  node["counters"].each_member(
      [&](const std::string& name, const Node& value) { report.counters.emplace_back(name, value.number()); });
  if (node["races"].missing()) node["races"].expected("an array of races");
  report.races = node["races"].each(race);
  report.deadlocks = node["deadlocks"].each(deadlock);
  report.excluded = node["excluded"].number();
  report.unknown = node["unknown"].number();
  report.unconfirmed = node["unconfirmed"].each(race);
  if (!node["runs"].missing()) report.runs = node["runs"].number();
  if (const Node baseline = node["baseline"]; !baseline.missing()) {
    report.baseline = AgainstBaseline{.known = baseline["known"].each(race),
                                      .gone = baseline["gone"].each(race),
                                      .known_deadlocks = baseline["known_deadlocks"].each(deadlock),
                                      .gone_deadlocks = baseline["gone_deadlocks"].each(deadlock)};
  }
  forget_own_origins(report);
  report.failures = node["failures"].each(failure);
  if (!node["exploration"].missing()) report.exploration = exploration(node["exploration"]);
  return report;
}

}  // namespace

std::expected<RunReport, InputError> report_from_json(std::string_view text, const std::string& file) {
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return std::unexpected(InputError{file, "offset " + std::to_string(error.byte), "expected JSON"});
  }
  std::optional<ReadError> failure;
  RunReport result = report(Node(&document, "", failure));
  if (failure) return std::unexpected(InputError{file, failure->place, failure->message});
  return result;
}

}  // namespace omen::report
