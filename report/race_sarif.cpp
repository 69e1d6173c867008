#include "report/race_sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/build_deadlocks.hpp"
#include "report/frames.hpp"
#include "report/text_parts.hpp"

namespace omen::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

constexpr const char* kDeadlockHelp =
    "Each of several threads waits for something that the next of them has, the last for something that the first has. "
    "Take locks in the same order everywhere, or all at once with std::scoped_lock.";

/// Percent-encodes the characters that a URI does not allow.
std::string escaped(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       std::string_view("/-._~+@,=!$&'()*;:").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", byte);
    }
  }
  return uri;
}

Json replayed(const Replays& replays) {
  Json one{{"runs", replays.runs}, {"reached", replays.reached}};
  if (!replays.diverged.empty()) one["diverged"] = replays.diverged;
  return one;
}

class Writer {
 public:
  Writer(const RunReport& report, const SarifStyle& style) : report_(report), style_(style) {
    if (style_.source_root.empty()) return;
    style_.source_root = std::filesystem::path(style_.source_root).lexically_normal().string();
    if (!style_.source_root.ends_with('/')) style_.source_root += '/';
  }

  Json document() {
    Json results = Json::array();
    const auto add = [&](const auto& findings, const char* state) {
      for (const auto& finding : findings) {
        results.push_back(result(finding));
        if (state != nullptr) results.back()["baselineState"] = state;
      }
    };
    add(report_.races, report_.baseline ? "new" : nullptr);
    add(report_.failures, report_.baseline ? "new" : nullptr);
    add(report_.deadlocks, report_.baseline ? "new" : nullptr);
    for (const Race& race : report_.unconfirmed) {
      results.push_back(unconfirmed(race));
      if (report_.baseline) results.back()["baselineState"] = "new";
    }
    if (report_.baseline) {
      add(report_.baseline->known, "unchanged");
      add(report_.baseline->known_deadlocks, "unchanged");
      add(report_.baseline->gone, "absent");
      add(report_.baseline->gone_deadlocks, "absent");
    }
    Json driver = {{"name", "omen"}, {"rules", rules()}};
    if (!style_.version.empty()) driver["version"] = style_.version;
    Json run = {{"tool", {{"driver", driver}}}, {"invocations", Json::array({invocation()})}};
    Json bases = Json::object();
    if (!style_.source_root.empty()) bases["%SRCROOT%"] = {{"uri", "file://" + escaped(style_.source_root)}};
    bases["%ELSEWHERE%"] = {{"description", message("Where a library was built: not on this machine.")}};
    run["originalUriBaseIds"] = std::move(bases);
    run["results"] = results;
    run["columnKind"] = "utf16CodeUnits";
    run["properties"] = {{"excluded", report_.excluded}, {"unknown", report_.unknown}};
    return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  }

 private:
  static Json message(std::string_view text) { return {{"text", text}}; }

  Json rules() const {
    Json rules = Json::array();
    for (const KindWords& kind : kKinds) {
      rules.push_back({{"id", kind.name},
                       {"name", kind.rule},
                       {"shortDescription", message(kind.title)},
                       {"fullDescription", message(kind.help)},
                       {"help", message(kind.help)},
                       {"defaultConfiguration", {{"level", "error"}}},
                       {"properties", {{"tags", {"concurrency", "correctness"}}, {"precision", "very-high"}}}});
    }
    rules.push_back({{"id", "deadlock"},
                     {"name", "Deadlock"},
                     {"shortDescription", message("Threads wait for each other in a cycle")},
                     {"fullDescription", message(kDeadlockHelp)},
                     {"help", message(kDeadlockHelp)},
                     {"defaultConfiguration", {{"level", "error"}}},
                     {"properties", {{"tags", {"concurrency", "correctness"}}, {"precision", "very-high"}}}});
    if (!report_.exploration) return rules;
    constexpr std::array<std::string_view, 7> kFailures{"Deadlock", "LostWakeUp",      "Livelock", "Hang",
                                                        "Crash",    "FailedAssertion", "FailedRun"};
    for (std::size_t i = 1; i < kFailures.size(); ++i) {  // 0: a deadlock, above
      const std::string help = fmt::format("A schedule of the program leads to a {}.", kFailureHeadlines[i]);
      rules.push_back({{"id", kFailureKindNames[i]},
                       {"name", kFailures[i]},
                       {"shortDescription", message(kFailureHeadlines[i])},
                       {"fullDescription", message(help)},
                       {"help", message(help)},
                       {"defaultConfiguration", {{"level", "error"}}},
                       {"properties", {{"tags", {"concurrency", "correctness"}}, {"precision", "very-high"}}}});
    }
    return rules;
  }

  Json invocation() const {
    Json one = {{"executionSuccessful", true}};
    if (!report_.command.empty()) {
      one["commandLine"] = command_line(report_.command);
      one["arguments"] = Json(std::vector(report_.command.begin() + 1, report_.command.end()));
    }
    if (report_.process != 0) one["processId"] = report_.process;
    if (report_.exit.signal.empty()) {
      one["exitCode"] = report_.exit.code;
    } else {
      one["exitSignalName"] = report_.exit.signal;
    }
    Json notes = Json::array();
    for (const std::string& note : report_.notes) notes.push_back({{"level", "note"}, {"message", message(note)}});
    if (!report_.complete) {
      notes.push_back(
          {{"level", "warning"}, {"message", message("Not everything was recorded; races may be missing.")}});
    }
    if (!notes.empty()) one["toolExecutionNotifications"] = notes;
    return one;
  }

  /// A relative path belongs to a library that was built elsewhere: it is below a symbolic base that does not exist
  /// here, not below the source root.
  Json artifact(const std::string& file) const {
    if (!style_.source_root.empty() && file.starts_with(style_.source_root)) {
      return {{"uri", escaped(std::string_view(file).substr(style_.source_root.size()))}, {"uriBaseId", "%SRCROOT%"}};
    }
    if (file.starts_with('/')) return {{"uri", "file://" + escaped(file)}};
    const std::string whole = std::filesystem::path(file).lexically_normal().string();
    std::string_view below = whole;
    while (below.starts_with("../")) below.remove_prefix(3);
    return {{"uri", escaped(below)}, {"uriBaseId", "%ELSEWHERE%"}};
  }

  Json physical(const std::string& file, std::uint32_t line, std::uint32_t column) const {
    Json place = {{"artifactLocation", artifact(file)}};
    if (line != 0) {
      place["region"] = {{"startLine", line}};
      if (column != 0) place["region"]["startColumn"] = column;
    }
    return place;
  }

  Json location(const Frame& frame) const {
    Json one = Json::object();
    if (frame.has_source()) {
      one["physicalLocation"] = physical(frame.file, frame.line, frame.column);
    } else if (!frame.module.empty()) {
      one["physicalLocation"] = {{"artifactLocation", artifact(frame.module)},
                                 {"address", {{"relativeAddress", frame.offset}, {"kind", "instruction"}}}};
    }
    if (!frame.function.empty()) {
      one["logicalLocations"] = Json::array({{{"fullyQualifiedName", frame.function}, {"kind", "function"}}});
    }
    return one;
  }

  /// The place of an access. An access without one gets a location without position, which the standard allows.
  Json access_location(const Access& access, std::string_view text) const {
    const Frame* frame = Race::place(access.stack);
    Json one = frame != nullptr ? location(*frame) : Json::object();
    one["message"] = message(text);
    return one;
  }

  template <class Finding>
  static std::string who(const Finding& finding, std::uint32_t id) {
    const Thread* thread = finding.thread(id);
    if (thread == nullptr) return fmt::format("thread T{}", id);
    if (thread->main) return "the main thread";
    return thread->name.empty() ? fmt::format("thread {}", thread->label)
                                : fmt::format("thread {} '{}'", thread->label, thread->name);
  }

  static std::string words(const Race& race, const Access& access, bool with_position = false) {
    std::string text(name_in(kAccessKindNames, access.kind));
    if (access.atomic) text = "atomic " + text;
    if (access.size != 0) text += fmt::format(" of {} byte{}", access.size, access.size == 1 ? "" : "s");
    text += " by " + who(race, access.thread);
    const Frame* frame = with_position ? Race::place(access.stack) : nullptr;
    if (frame != nullptr && !frame->function.empty()) text += " in " + frame->function;
    if (frame != nullptr && frame->has_source()) text += fmt::format(" at {}:{}", base_name(frame->file), frame->line);
    for (std::size_t i = 0; i < access.locks.size(); ++i) {
      const HeldLock& lock = access.locks[i];
      text += i == 0 ? ", holding " : ", ";
      text += lock.name.empty() ? lock.label : lock.name;
    }
    return text;
  }

  void add_origin(Json& properties, const Origin& origin) const {
    if (origin.process != 0) properties["processId"] = origin.process;
    if (!origin.command.empty()) properties["commandLine"] = command_line(origin.command);
    if (report_.runs > 1) properties["seenIn"] = {{"runs", origin.runs}, {"of", report_.runs}};
  }

  static std::string variable(const Variable& variable) {
    switch (variable.kind) {
      case LocationKind::Global:
        return fmt::format(" on global '{}'", variable.name);
      case LocationKind::Heap:
        return fmt::format(" on a heap block of {} bytes", variable.size);
      case LocationKind::OnStack:
        return " on a thread's stack";
      case LocationKind::Unknown:
        break;
    }
    return variable.name.empty() ? "" : fmt::format(" on '{}'", variable.name);
  }

  static std::string text(const Race& race) {
    std::string text(race.headline());
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
    text += variable(race.variable);
    text += fmt::format(": {}; and {}. ", words(race, race.accesses[0], true), words(race, race.accesses[1], true));
    text += race.observed ? "Observed in this run" : fmt::format("Predicted by {}", relation_name(race.found_by));
    return text + (race.confirmed  ? "; confirmed by a schedule."
                   : race.excluded ? "; excluded: no schedule of the same run shows it."
                                   : "; not confirmed.");
  }

  Json stack(const Stack& frames, std::string_view title) const {
    Json list = Json::array();
    for (const Frame& frame : frames) list.push_back({{"location", location(frame)}});
    return {{"message", message(title)}, {"frames", list}};
  }

  /// One thread flow per thread, in the order in which the threads first appear.
  template <class Finding>
  Json code_flow(const Finding& race, std::string_view title) const {
    std::vector<std::uint32_t> order;
    std::map<std::uint32_t, Json> flows;
    for (const ScheduleStep& step : race.schedule) {
      if (!step.thread) continue;
      if (flows.try_emplace(*step.thread, Json::array()).second) order.push_back(*step.thread);
      Json place = Json::object();
      if (!step.file.empty()) place["physicalLocation"] = physical(step.file, step.line, 0);
      if (!step.function.empty()) {
        place["logicalLocations"] = Json::array({{{"fullyQualifiedName", step.function}, {"kind", "function"}}});
      }
      place["message"] = message(step.text);
      flows[*step.thread].push_back({{"location", place},
                                     {"executionOrder", step.last + 1},
                                     {"importance", step.kind == StepKind::Access ? "essential"
                                                    : step.kind == StepKind::Sync ? "important"
                                                                                  : "unimportant"}});
    }
    Json list = Json::array();
    for (const std::uint32_t id : order) {
      const Thread* thread = race.thread(id);
      list.push_back({{"id", thread != nullptr ? thread->label : fmt::format("T{}", id)},
                      {"message", message(who(race, id))},
                      {"locations", flows[id]}});
    }
    return {{"message", message(title)}, {"threadFlows", list}};
  }

  Json result(const Race& race) const {
    Json related = Json::array();
    const auto relate = [&](Json place) {
      place["id"] = related.size() + 1;
      related.push_back(std::move(place));
    };
    relate(access_location(race.accesses[1], words(race, race.accesses[1])));
    if (const Frame* frame = Race::place(race.variable.allocated)) {
      Json place = location(*frame);
      place["message"] = message("the memory was allocated here");
      relate(std::move(place));
    }
    for (const Thread& thread : race.threads) {
      const Frame* frame = Race::place(thread.creation);
      if (frame == nullptr) continue;
      Json place = location(*frame);
      place["message"] = message(who(race, thread.id) + " is created here");
      relate(std::move(place));
    }

    Json one = {{"ruleId", name_in(kRaceKindNames, race.kind)},
                {"ruleIndex", static_cast<int>(race.kind)},
                {"level", race.confirmed || race.observed ? "error" : "warning"},
                {"kind", "fail"},
                {"message", message(text(race))},
                {"locations", Json::array({access_location(race.accesses[0], words(race, race.accesses[0]))})},
                {"relatedLocations", related},
                {"stacks", Json::array({stack(race.accesses[0].stack, words(race, race.accesses[0])),
                                        stack(race.accesses[1].stack, words(race, race.accesses[1]))})}};
    if (!race.schedule.empty())
      one["codeFlows"] =
          Json::array({code_flow(race, "A schedule of the same run that brings both accesses together.")});
    one["partialFingerprints"] = {{"omenRace/v1", race.fingerprint}};
    one["occurrenceCount"] = std::max<std::uint64_t>(1, race.count);
    one["properties"] = {{"foundBy", race.found_by},
                         {"observed", race.observed},
                         {"confirmed", race.confirmed},
                         {"method", race.method},
                         {"model", race.model}};
    if (race.replays) one["properties"]["replayed"] = replayed(*race.replays);
    if (race.demonstration) {
      one["properties"]["demonstrated"] = {{"met", race.demonstration->met}, {"runs", race.demonstration->runs}};
      if (race.demonstration->met) one["level"] = "error";
    }
    if (race.shown) one["properties"]["shown"] = {{"seed", race.shown->seed}, {"run", race.shown->run}};
    add_origin(one["properties"], race.origin);
    return one;
  }

  Json result(const Failure& failure) const {
    std::string text(name_in(kFailureHeadlines, failure.kind));
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
    if (!failure.what.empty()) text += ": " + failure.what;
    text += ".";
    Json stacks = Json::array();
    Json related = Json::array();
    Json locations = Json::array();
    std::vector<Json> places;
    std::vector<Json> joining;  // threads that only wait for another thread to end come last
    for (const FailedThread& thread : failure.threads) {
      const std::string name = thread.id == 0 ? "the main thread" : "thread " + thread.label;
      const std::string does = thread.waits_for == "spins" || thread.waits_for.empty()
                                   ? name
                                   : fmt::format("{} waits for a {}", name, thread.waits_for);
      stacks.push_back(stack(thread.stack, does));
      const Frame* const frame = own_place(thread.stack);
      if (frame == nullptr) continue;
      Json place = location(*frame);
      place["message"] = message(does);
      (thread.waits_for == "thread" ? joining : places).push_back(std::move(place));
    }
    std::ranges::move(joining, std::back_inserter(places));
    for (Json& place : places) {
      if (locations.empty()) {
        locations.push_back(std::move(place));
      } else {
        place["id"] = related.size() + 1;
        related.push_back(std::move(place));
      }
    }
    Json one = {{"ruleId", name_in(kFailureKindNames, failure.kind)},
                {"ruleIndex", static_cast<int>(kRaceKindNames.size() + static_cast<std::size_t>(failure.kind))},
                {"level", "error"},
                {"kind", "fail"},
                {"message", message(text)},
                {"locations", locations},
                {"relatedLocations", related}};
    if (!stacks.empty()) one["stacks"] = stacks;
    one["partialFingerprints"] = {{"omenFailure/v1", failure.fingerprint}};
    if (failure.shown) {
      one["occurrenceCount"] = std::max<std::uint64_t>(1, failure.shown->runs);
      one["properties"] = {{"seed", failure.shown->seed}, {"run", failure.shown->run}};
    }
    return one;
  }

  Json result(const Deadlock& deadlock) const {
    Json related = Json::array();
    Json stacks = Json::array();
    std::string text = "Deadlock: ";
    for (std::size_t i = 0; i < deadlock.waiting.size(); ++i) {
      const WaitingThread& one = deadlock.waiting[i];
      const std::string words = who(deadlock, one.thread) + " " + waiting_words(deadlock, i);
      text += words + (i + 1 == deadlock.waiting.size() ? "." : "; ");
      stacks.push_back(stack(one.stack, words));
      const auto relate = [&](const Stack& frames, std::string_view what) {
        const Frame* frame = own_place(frames);
        if (frame == nullptr) return;
        Json place = location(*frame);
        place["message"] = message(what);
        place["id"] = related.size() + 1;
        related.push_back(std::move(place));
      };
      if (i != 0) relate(one.stack, words);
      if (one.holds) relate(one.holds->acquired, who(deadlock, one.thread) + " locks " + one.holds->label + " here");
    }
    const Frame* frame = own_place(deadlock.waiting.front().stack);
    Json place = frame != nullptr ? location(*frame) : Json::object();
    place["message"] = message(who(deadlock, deadlock.waiting.front().thread) + " " + waiting_words(deadlock, 0));
    Json one = {{"ruleId", "deadlock"},
                {"ruleIndex", static_cast<int>(kRaceKindNames.size())},
                {"level", "error"},
                {"kind", "fail"},
                {"message", message(text)},
                {"locations", Json::array({place})},
                {"relatedLocations", related},
                {"stacks", stacks}};
    if (!deadlock.schedule.empty()) {
      one["codeFlows"] = Json::array({code_flow(deadlock, "A schedule of the same run that ends in the deadlock.")});
    }
    one["partialFingerprints"] = {{"omenDeadlock/v1", deadlock.fingerprint}};
    one["occurrenceCount"] = std::max<std::uint64_t>(1, deadlock.count);
    one["properties"] = {{"method", deadlock.method}, {"model", deadlock.model}};
    if (deadlock.replays) one["properties"]["replayed"] = replayed(*deadlock.replays);
    add_origin(one["properties"], deadlock.origin);
    return one;
  }

  /// Excluded or undecided predictions; viewers show neither as an error.
  Json unconfirmed(const Race& race) const {
    Json one = result(race);
    one["level"] = "none";
    one["kind"] = race.excluded ? "pass" : "review";
    one["properties"]["why"] = race.why;
    one["properties"]["decided"] = race.decided;
    return one;
  }

  const RunReport& report_;
  SarifStyle style_;
};

}  // namespace

Json as_sarif(const RunReport& report, const SarifStyle& style) {
  return Writer(report, style).document();
}

}  // namespace omen::report
