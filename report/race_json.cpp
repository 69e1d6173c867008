#include "report/race_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace omen::report {
namespace {

using Json = nlohmann::ordered_json;

/// As text, because many readers store JSON numbers as doubles, which lose bits of an address.
std::string hexadecimal(std::uint64_t value) {
  return fmt::format("{:#x}", value);
}

template <class Id>
Json or_null(const std::optional<Id>& id) {
  return id ? Json(*id) : Json(nullptr);
}

template <class Item, class Function>
Json array_of(const Item& items, Function function) {
  Json array = Json::array();
  for (const auto& item : items) array.push_back(function(item));
  return array;
}

Json frame_json(const Frame& frame) {
  return {{"function", frame.function}, {"file", frame.file},      {"line", frame.line},
          {"column", frame.column},     {"module", frame.module},  {"offset", hexadecimal(frame.offset)},
          {"build_id", frame.build_id}, {"inlined", frame.inlined}};
}

Json stack_json(const Stack& stack) {
  return array_of(stack, frame_json);
}

Json lock_json(const HeldLock& lock) {
  return {{"mutex", lock.label},
          {"name", lock.name},
          {"address", hexadecimal(lock.address)},
          {"mode", lock.shared ? "read" : "write"},
          {"stack", stack_json(lock.acquired)}};
}

Json access_json(const Access& access) {
  return {{"event", access.event},
          {"access", name_in(kAccessKindNames, access.kind)},
          {"atomic", access.atomic},
          {"size", access.size},
          {"address", hexadecimal(access.address)},
          {"thread", access.thread},
          {"stack", stack_json(access.stack)},
          {"locks", array_of(access.locks, lock_json)}};
}

Json variable_json(const Variable& variable) {
  return {{"kind", name_in(kLocationKindNames, variable.kind)},
          {"name", variable.name},
          {"address", hexadecimal(variable.address)},
          {"size", variable.size},
          {"module", variable.module},
          {"offset", hexadecimal(variable.offset)},
          {"thread", or_null(variable.thread)},
          {"stack", stack_json(variable.allocated)}};
}

Json thread_json(const Thread& thread) {
  return {{"id", thread.id},
          {"label", thread.label},
          {"name", thread.name},
          {"tid", thread.system_id},
          {"main", thread.main},
          {"finished", thread.finished},
          {"creator", or_null(thread.creator)},
          {"stack", stack_json(thread.creation)}};
}

Json step_json(const ScheduleStep& step) {
  Json one{{"step", name_in(kStepKindNames, step.kind)},
           {"thread", or_null(step.thread)},
           {"text", step.text},
           {"file", step.file},
           {"line", step.line},
           {"function", step.function},
           {"first", step.first},
           {"last", step.last}};
  if (step.recorded) {
    one["recorded"] = *step.recorded;
    one["holds"] = step.holds;
    one["keeps"] = step.keeps;
  }
  return one;
}

Json plain_race_json(const Race& race) {
  return {{"kind", name_in(kRaceKindNames, race.kind)},
          {"headline", race.headline()},
          {"found_by", race.found_by},
          {"observed", race.observed},
          {"online", race.online},
          {"verdict", race.confirmed  ? "race"
                      : race.excluded ? "no-race"
                                      : "unknown"},
          {"method", race.method},
          {"model", race.model},
          {"count", race.count},
          {"fingerprint", race.fingerprint},
          {"variable", variable_json(race.variable)},
          {"accesses", array_of(race.accesses, access_json)},
          {"threads", array_of(race.threads, thread_json)},
          {"witness_events", race.witness_size},
          {"witness", race.witness},
          {"schedule", array_of(race.schedule, step_json)},
          {"hidden_by", array_of(race.hidden_by, step_json)}};
}

Json changed_json(const ChangedRead& read) {
  Json one{{"event", read.event},
           {"thread", read.thread},
           {"variable", read.variable},
           {"place", frame_json(read.place)},
           {"count", read.count}};
  if (read.recorded) one["recorded"] = *read.recorded;
  if (read.now) one["now"] = *read.now;
  return one;
}

Json turned_json(const TurnedBranch& branch) {
  return {{"thread", branch.thread}, {"place", frame_json(branch.place)}, {"taken", branch.taken}};
}

Json models_json(const Models& models) {
  Json one{{"witnesses", models.witnesses}};
  if (!models.without_pass.empty()) one["without_pass"] = models.without_pass;
  if (models.values.empty()) return one;
  one["values"] = array_of(models.values, [](const ValueModel& model) {
    return Json{{"model", model.name},
                {"budget", model.budget},
                {"candidates", model.candidates},
                {"races", model.races},
                {"undecided", model.undecided}};
  });
  return one;
}

Json memory_json(const ReplayPlan::Memory& memory) {
  return {{"kind", name_in(kMemoryKindNames, memory.kind)},
          {"owner", memory.owner},
          {"place", memory.place},
          {"nth", memory.nth},
          {"offset", hexadecimal(memory.offset)},
          {"bytes", memory.bytes}};
}

Json plan_json(const ReplayPlan& plan) {
  Json one{
      {"modules",
       array_of(plan.modules,
                [](const auto& module) { return Json{{"path", module.path}, {"build_id", module.build_id}}; })},
      {"places",
       array_of(plan.places, [](const auto& place) { return Json::array({place.module, hexadecimal(place.offset)}); })},
      {"threads", array_of(plan.threads, [](const auto& thread) { return Json::array({thread.creator, thread.nth}); })},
      {"steps",
       array_of(plan.steps, [](const auto& step) { return Json::array({step.thread, step.place, name(step.kind)}); })},
      {"accesses", array_of(plan.targets, [](const auto& target) {
         return Json{{"thread", target.thread},
                     {"place", target.place},
                     {"at_point", target.at_point},
                     {"passes", target.passes},
                     {"memory", memory_json(target.memory)}};
       })}};
  if (plan.waits.empty()) return one;
  one.erase("accesses");
  one["waits"] = array_of(plan.waits, [](const auto& wait) { return Json::array({wait.thread, wait.place}); });
  return one;
}

Json replays_json(const Replays& replays) {
  return {{"runs", replays.runs}, {"reached", replays.reached}, {"diverged", replays.diverged}};
}

Json shown_json(const Shown& shown) {
  Json one{{"seed", shown.seed}, {"run", shown.run}, {"runs", shown.runs}};
  if (shown.steps != 0) one["steps"] = shown.steps;
  return one;
}

Json failed_thread_json(const FailedThread& thread) {
  return {{"id", thread.id},
          {"label", thread.label},
          {"waits_for", thread.waits_for},
          {"object", hexadecimal(thread.object)},
          {"held_by", or_null(thread.held_by)},
          {"stack", stack_json(thread.stack)}};
}

Json failure_json(const Failure& failure) {
  Json one{{"kind", name_in(kFailureKindNames, failure.kind)},
           {"headline", name_in(kFailureHeadlines, failure.kind)},
           {"what", failure.what},
           {"fingerprint", failure.fingerprint},
           {"threads", array_of(failure.threads, failed_thread_json)}};
  if (failure.shown) one["shown"] = shown_json(*failure.shown);
  return one;
}

Json exploration_json(const Exploration& exploration) {
  return {{"strategy", exploration.strategy}, {"depth", exploration.depth},         {"seed", exploration.seed},
          {"runs", exploration.runs},         {"schedules", exploration.schedules}, {"points", exploration.points},
          {"released", exploration.released}};
}

/// The model leaves the origin empty if it is the report's own; JSON always has it.
void add_origin(Json& one, const Origin& origin, const RunReport& report) {
  one["pid"] = origin.process == 0 ? report.process : origin.process;
  one["command"] = origin.command.empty() ? report.command : origin.command;
  if (report.runs > 1) one["seen_in"] = origin.runs;
}

Json race_json(const Race& race, const RunReport& report) {
  Json one = plain_race_json(race);
  add_origin(one, race.origin, report);
  if (race.turned) one["turned"] = turned_json(*race.turned);
  if (!race.changed_reads.empty()) one["changed_reads"] = array_of(race.changed_reads, changed_json);
  if (race.replay) one["replay"] = plan_json(*race.replay);
  if (!race.no_replay.empty()) one["no_replay"] = race.no_replay;
  if (race.replays) one["replayed"] = replays_json(*race.replays);
  if (race.demonstration) {
    one["demonstrated"] = {{"met", race.demonstration->met}, {"runs", race.demonstration->runs}};
  }
  if (race.shown) one["shown"] = shown_json(*race.shown);
  return one;
}

Json unconfirmed_json(const Race& race, const RunReport& report) {
  Json one = race_json(race, report);
  one["decided"] = race.decided;
  one["why"] = race.why;
  return one;
}

Json waiting_json(const WaitingThread& one) {
  return {{"event", one.event},
          {"thread", one.thread},
          {"waits", name_in(kWaitsForNames, one.waits)},
          {"wants", one.wants ? lock_json(*one.wants) : Json(nullptr)},
          {"holds", one.holds ? lock_json(*one.holds) : Json(nullptr)},
          {"stack", stack_json(one.stack)}};
}

Json deadlock_json(const Deadlock& deadlock, const RunReport& report) {
  Json one{{"kind", "deadlock"},
           {"verdict", "deadlock"},
           {"method", deadlock.method},
           {"model", deadlock.model},
           {"count", deadlock.count},
           {"fingerprint", deadlock.fingerprint},
           {"requests", array_of(deadlock.waiting, [](const WaitingThread& waiting) { return Json(waiting.event); })},
           {"waiting", array_of(deadlock.waiting, waiting_json)},
           {"threads", array_of(deadlock.threads, thread_json)},
           {"witness_events", deadlock.witness_size},
           {"witness", deadlock.witness},
           {"schedule", array_of(deadlock.schedule, step_json)}};
  if (deadlock.replay) one["replay"] = plan_json(*deadlock.replay);
  if (!deadlock.no_replay.empty()) one["no_replay"] = deadlock.no_replay;
  if (deadlock.replays) one["replayed"] = replays_json(*deadlock.replays);
  add_origin(one, deadlock.origin, report);
  return one;
}

}  // namespace

Json as_json(const RunReport& report) {
  const auto races = [&](const std::vector<Race>& all) {
    return array_of(all, [&](const Race& one) { return race_json(one, report); });
  };
  const auto deadlocks = [&](const std::vector<Deadlock>& all) {
    return array_of(all, [&](const Deadlock& one) { return deadlock_json(one, report); });
  };
  Json exit = Json::object();
  if (report.exit.signal.empty()) {
    exit["code"] = report.exit.code;
  } else {
    exit["signal"] = report.exit.signal;
  }
  Json document{{"omen", kReportVersion},
                {"command", report.command},
                {"pid", report.process},
                {"exit", exit},
                {"threads", report.threads},
                {"events", report.events},
                {"synchronisations", report.synchronisations},
                {"complete", report.complete},
                {"notes", report.notes},
                {"races", races(report.races)},
                {"deadlocks", deadlocks(report.deadlocks)},
                {"excluded", report.excluded},
                {"unknown", report.unknown}};
  if (!report.unconfirmed.empty()) {
    document["unconfirmed"] =
        array_of(report.unconfirmed, [&](const Race& one) { return unconfirmed_json(one, report); });
  }
  if (!report.models.witnesses.empty()) document["models"] = models_json(report.models);
  if (report.runs > 1) document["runs"] = report.runs;
  if (report.baseline) {
    document["baseline"] = {{"known", races(report.baseline->known)},
                            {"gone", races(report.baseline->gone)},
                            {"known_deadlocks", deadlocks(report.baseline->known_deadlocks)},
                            {"gone_deadlocks", deadlocks(report.baseline->gone_deadlocks)}};
  }
  if (report.exploration) {
    document["exploration"] = exploration_json(*report.exploration);
    document["failures"] = array_of(report.failures, failure_json);
  }
  for (const auto& [name, value] : report.counters) document["counters"][name] = value;
  return document;
}

}  // namespace omen::report
