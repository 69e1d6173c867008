#include "report/race_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace omen::report {
namespace {

using Json = nlohmann::ordered_json;

/// Addresses are text: a JSON number does not hold them exactly everywhere.
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
  return {{"step", name_in(kStepKindNames, step.kind)},
          {"thread", or_null(step.thread)},
          {"text", step.text},
          {"file", step.file},
          {"line", step.line},
          {"function", step.function},
          {"first", step.first},
          {"last", step.last}};
}

Json race_json(const Race& race) {
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

Json unconfirmed_json(const Race& race) {
  Json one = race_json(race);
  one["decided"] = race.decided;
  one["why"] = race.why;
  return one;
}

}  // namespace

Json as_json(const RunReport& report) {
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
                {"races", array_of(report.races, race_json)},
                {"excluded", report.excluded},
                {"unknown", report.unknown}};
  if (!report.unconfirmed.empty()) document["unconfirmed"] = array_of(report.unconfirmed, unconfirmed_json);
  for (const auto& [name, value] : report.counters) document["counters"][name] = value;
  return document;
}

}  // namespace omen::report
