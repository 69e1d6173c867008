#include "cli/relax_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cli/output.hpp"
#include "trace/quote.hpp"

namespace omen::cli {
namespace {

using relax::Answer;
using relax::Subject;
using relax::Verdict;

constexpr std::size_t kShownSteps = 60;  ///< of a schedule: the last ones

/// An event of the trace or of a turned branch's path, of either kind of trace.
struct Shown {
  ThreadId thread;
  LocationId location;
  Op op;
  std::uint32_t operand;
};

Shown shown(const Subject& subject, const Verdict& v, std::uint32_t event) {
  if (subject.plain != nullptr) {
    const Event& e = subject.plain->events[event];
    return {e.thread, e.location, e.op, e.operand};
  }
  const values::ValueEvent& e = relax::event_at(*subject.values, v.turned.turn(), event);
  return {e.thread, e.location, values::op_of(e.act), e.operand};
}

bool on_path(const Subject& subject, std::uint32_t event) {
  return event >= subject.size();
}

std::string site(const Subject& subject, const Verdict& v, std::uint32_t event) {
  const Shown e = shown(subject, v, event);
  const Names& names = subject.names();
  const std::string location = names.text(e.location);
  return fmt::format("{} of {} by {}{}{} ({})",
                     e.op == Op::Free ? "free"
                     : is_write(e.op) ? "write"
                                      : "read",
                     omen::quoted(names.of(VariableId{e.operand})), on_one_line(names.of(e.thread)),
                     location.empty() ? "" : " at ", on_one_line(location),
                     on_path(subject, event) ? "on a path that was not recorded" : fmt::format("event {}", event));
}

std::string_view outcome(Answer answer) {
  return answer == Answer::Race ? "race" : answer == Answer::Impossible ? "no-race" : "unknown";
}

std::string operation(const Subject& subject, const Shown& e) {
  const OpTraits& op = traits(e.op);
  std::string text(op.name);
  if (op.operand != OperandKind::None) text += "(" + on_one_line(subject.names().of(op.operand)[e.operand]) + ")";
  return text;
}

/// A line per step, a column per thread; reads and writes with their values, and the recorded value if it differs.
void print_schedule(const Subject& subject, const Verdict& v) {
  std::unordered_map<std::uint32_t, std::uint64_t> values;
  for (const relax::Observed& access : v.accesses) values[access.event] = access.value;
  std::vector<std::uint32_t> events = v.schedule;
  events.push_back(v.first);
  events.push_back(v.second);
  const std::size_t first = events.size() > kShownSteps ? events.size() - kShownSteps : 0;
  if (first > 0) fmt::print("    … {} events before …\n", first);
  std::vector<ThreadId> columns;
  for (std::size_t i = first; i < events.size(); ++i) {
    const Shown e = shown(subject, v, events[i]);
    if (std::ranges::find(columns, e.thread) == columns.end()) columns.push_back(e.thread);
  }
  for (std::size_t i = first; i < events.size(); ++i) {
    const Shown e = shown(subject, v, events[i]);
    std::string text = operation(subject, e);
    if (const auto value = values.find(events[i]); value != values.end()) {
      text += fmt::format(" = {}", value->second);
      if (!on_path(subject, events[i]) && subject.values->events[events[i]].recorded != value->second) {
        text += fmt::format(" (recorded: {})", subject.values->events[events[i]].recorded);
      }
    }
    if (i + 2 >= events.size()) text += "  <== race";
    if (on_path(subject, events[i])) text += "  (not recorded)";
    const auto column = static_cast<std::size_t>(std::ranges::find(columns, e.thread) - columns.begin());
    const std::string location = subject.names().text(e.location);
    fmt::print("    {:<8}{:>{}}{}{}{}\n", on_one_line(subject.names().of(e.thread)), "", 4 * column, text,
               location.empty() ? "" : "  at ", on_one_line(location));
  }
}

void print_race(const Subject& subject, const relax::Settings& settings, const Verdict& v) {
  fmt::print("race: {}\n  and {}\n", site(subject, v, v.first), site(subject, v, v.second));
  if (v.turned.branch != relax::kNone) {
    const values::ValueEvent& branch = subject.values->events[v.turned.branch];
    fmt::print("  turned branch: {} at {} (event {}), {} instead of {}\n",
               on_one_line(subject.names().of(branch.thread)), on_one_line(subject.names().text(branch.location)),
               v.turned.branch, branch.recorded != 0 ? "false" : "true", branch.recorded != 0 ? "true" : "false");
  }
  const bool differ = std::ranges::any_of(v.accesses, [&](const relax::Observed& access) {
    return on_path(subject, access.event) || subject.values->events[access.event].recorded != access.value;
  });
  fmt::print("  schedule ({} events, model {}{}):\n", v.schedule.size() + 2, name(settings.model),
             v.accesses.empty() ? ""
             : differ           ? ""
                                : ", all values as recorded");
  print_schedule(subject, v);
  fmt::print("\n");
}

/// The scope of a "no", or the exhausted budget.
std::string scope(const relax::Settings& settings, const Verdict& v) {
  std::string text = v.whole ? "the whole trace"
                             : fmt::format("windows of {} events; first asked in events {} to {}", settings.window,
                                           v.window.begin, v.window.end - 1);
  if (v.paths > 0) text += fmt::format(", and {} turned path{}", v.paths, v.paths == 1 ? "" : "s");
  return text;
}

void print_other(const Subject& subject, const relax::Settings& settings, const Verdict& v) {
  const bool out = v.answer == Answer::OutOfBudget;
  // An undecided pair has only locations: the path of its access is not stored.
  const auto place = [&](std::uint32_t event, LocationId location) {
    if (!on_path(subject, event)) return site(subject, v, event);
    return fmt::format("access to {} at {} (on a path that was not recorded)",
                       omen::quoted(subject.names().of(VariableId{v.variable})),
                       on_one_line(subject.names().text(location)));
  };
  fmt::print("{}: {}\n  and {}\n", out ? "out of budget" : "impossible", place(v.first, v.first_location),
             place(v.second, v.second_location));
  if (v.window.end == 0) {
    fmt::print("  {}\n\n", v.ran_out);
  } else {
    fmt::print("  {} {}\n\n", out ? v.ran_out + ", in" : "good for", scope(settings, v));
  }
}

nlohmann::ordered_json entry(const Subject& subject, const relax::Settings& settings, const Verdict& v) {
  const Names& names = subject.names();
  nlohmann::ordered_json json;
  json["pair"] = {v.first, v.second};
  json["found_by"] = "all";
  json["verdict"] = outcome(v.answer);
  json["model"] = name(settings.model);
  if (settings.limits.artificial_branches) json["artificial_branches"] = true;
  json["variable"] = names.of(VariableId{v.variable});
  json["locations"] = {names.text(v.first_location), names.text(v.second_location)};
  json["pairs"] = v.pairs;
  json["asked"] = v.asked;
  json["window"] = {{"begin", v.window.begin}, {"end", v.window.end}, {"whole", v.whole}};
  if (v.paths > 0) json["paths"] = v.paths;
  if (v.answer == Answer::OutOfBudget) json["ran_out"] = v.ran_out;
  if (v.answer != Answer::Race) return json;
  auto witness = v.schedule;
  witness.push_back(v.first);
  witness.push_back(v.second);
  json["witness"] = witness;
  if (subject.values == nullptr) return json;
  json["values"] = nlohmann::ordered_json::array();
  for (const relax::Observed& access : v.accesses) {
    nlohmann::ordered_json one{{"event", access.event}, {"value", access.value}};
    if (!on_path(subject, access.event)) one["recorded"] = subject.values->events[access.event].recorded;
    json["values"].push_back(std::move(one));
  }
  if (v.turned.branch == relax::kNone) return json;
  const values::ValueEvent& branch = subject.values->events[v.turned.branch];
  nlohmann::ordered_json turned{{"branch", v.turned.branch},
                                {"location", names.text(branch.location)},
                                {"taken", branch.recorded == 0},
                                {"first_event", subject.size()}};
  for (const values::ValueEvent& e : v.turned.path.events) turned["events"].push_back(to_text(e, *subject.values));
  json["turned"] = std::move(turned);
  return json;
}

}  // namespace

void print(const Subject& subject, const relax::Settings& settings, const std::vector<Verdict>& verdicts,
           const RelaxTextOptions& options) {
  std::array<std::size_t, 3> count{};
  std::uint64_t wanted = 0;
  for (const Verdict& v : verdicts) {
    ++count[static_cast<std::size_t>(v.answer)];
    if (v.answer == Answer::Impossible && !options.excluded) continue;
    if (options.most != 0 && wanted++ >= options.most) continue;
    v.answer == Answer::Race ? print_race(subject, settings, v) : print_other(subject, settings, v);
  }
  if (options.most != 0 && wanted > options.most) {
    fmt::print("({} more not shown; --most 0 shows all)\n\n", wanted - options.most);
  }
  fmt::print("{} candidate{} under {}: {} race{}, {} impossible, {} out of budget\n", verdicts.size(),
             verdicts.size() == 1 ? "" : "s", name(settings.model), count[0], count[0] == 1 ? "" : "s", count[1],
             count[2]);
  if (std::ranges::any_of(verdicts, [](const Verdict& v) { return v.answer == Answer::Impossible && !v.whole; })) {
    fmt::print("'impossible' is, of some, good for windows of {} events; --budget widens them\n", settings.window);
  }
}

std::expected<void, InputError> write_json(const std::string& path, const std::string& input, const Subject& subject,
                                           const relax::Settings& settings, const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json json;
  json["omen"] = 1;
  json["trace"] = {
      {"path", input}, {"events", subject.size()}, {"threads", subject.names().of(OperandKind::Thread).size()}};
  json["model"] = name(settings.model);
  json["budget"] = {{"whole", settings.whole},          {"window", settings.window},
                    {"rlimit", settings.limits.rlimit}, {"constraints", settings.limits.constraints},
                    {"pairs", settings.pairs},          {"paths", settings.paths}};
  json["candidates"] = nlohmann::ordered_json::array();
  for (const Verdict& v : verdicts) json["candidates"].push_back(entry(subject, settings, v));
  return write_json(path, json);
}

}  // namespace omen::cli
