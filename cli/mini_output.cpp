#include "cli/mini_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace omen::cli {

using mini::AccessSite;
using mini::Action;
using mini::Code;
using mini::Exploration;
using mini::Machine;
using mini::Outcome;
using mini::Place;
using nlohmann::ordered_json;

namespace {

std::string kind_of(const AccessSite& a, const AccessSite& b) {
  return std::string(a.write ? "write" : "read") + "-" + (b.write ? "write" : "read");
}

/// `0*3,1,0`: the thread of each step, with repeat counts.
std::string schedule_text(const mini::Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size();) {
    std::size_t end = i;
    while (end < schedule.size() && schedule[end] == schedule[i]) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(schedule[i]);
    if (end - i > 1) text += "*" + std::to_string(end - i);
    i = end;
  }
  return text.empty() ? "at once" : text;
}

/// The names and values of the shared variables that are not locks; `values` from `mini::results`.
std::vector<std::pair<std::string, std::string>> named(const Code& code, const std::vector<std::uint64_t>& values) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Place& place : code.places) {
    for (std::uint32_t c = 0; !place.field && !place.lock && c < place.cells; ++c) {
      const std::string name = place.array ? fmt::format("{}[{}]", place.name, c) : place.name;
      result.emplace_back(name, value_text(place.type, values[result.size()]));
    }
  }
  return result;
}

ordered_json variables_json(const Code& code, const std::vector<std::uint64_t>& values) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, value] : named(code, values)) json[name] = value;
  return json;
}

/// Appends at most a number of findings, then how many were left out.
class Section {
 public:
  Section(std::string& out, std::size_t count, std::size_t most) : out_(out), count_(count), most_(most) {}
  bool room() {
    if (most_ != 0 && shown_ == most_) {
      out_ += fmt::format("  … and {} more\n", count_ - shown_);
      return false;
    }
    ++shown_;
    return true;
  }

 private:
  std::string& out_;
  std::size_t count_;
  std::size_t most_;
  std::size_t shown_ = 0;
};

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string value_text(mini::Scalar type, std::uint64_t value) {
  if (type == mini::Scalar::Bool) return value != 0 ? "true" : "false";
  if (type == mini::Scalar::Reference) {
    return value == 0 ? "null" : fmt::format("object {}.{}", value >> 24, value & 0xff'ffffU);
  }
  return mini::is_signed(type) ? std::to_string(mini::as_signed(type, value)) : std::to_string(value);
}

std::string describe(const mini::Run& run, const Machine& machine) {
  std::string out;
  for (mini::ThreadNumber t = 0; t < machine.threads(); ++t) {
    const mini::Next& next = machine.next(t);
    if (next.instruction == nullptr) continue;
    const std::string where = mini::location_text(machine.code(), next.instruction->at) + ": " + mini::thread_name(t);
    if (run.outcome == Outcome::Fault && t == run.faulty) out += where + ": " + std::string(text(next.fault)) + "\n";
    if (run.outcome == Outcome::Deadlock) out += where + " waits here for ever\n";
  }
  out += fmt::format("{} after {}\n", text(run.outcome), counted(run.schedule.size(), "step", "steps"));
  return out;
}

ordered_json to_json(const mini::Run& run, const Machine& machine, const std::string& path) {
  ordered_json json;
  json["omen"] = 1;
  json["program"] = path;
  json["outcome"] = text(run.outcome);
  json["steps"] = run.schedule.size();
  if (run.outcome == Outcome::Fault) {
    const mini::Next& next = machine.next(run.faulty);
    json["fault"] = {{"thread", mini::thread_name(run.faulty)},
                     {"location", mini::location_text(machine.code(), next.instruction->at)},
                     {"what", text(next.fault)}};
  }
  json["schedule"] = run.schedule;
  json["variables"] = variables_json(machine.code(), results(machine));
  return json;
}

std::string describe(const Exploration& found, const Code& code, std::string_view method, std::size_t most) {
  std::string out;
  const auto where = [&](mini::Position at) { return mini::location_text(code, at); };
  const auto shown = [&](const mini::Example& example) { return "    schedule " + schedule_text(example.schedule); };
  out += counted(found.races.size(), "race", "races") + "\n";
  Section races(out, found.races.size(), most);
  for (const auto& [sites, example] : found.races) {
    if (!races.room()) break;
    out += fmt::format("  {} of {}: {} and {}\n{}\n", kind_of(sites.first, sites.second), example.what,
                       where(sites.first.at), where(sites.second.at), shown(example));
  }
  out += counted(found.faults.size(), "fault", "faults") + "\n";
  Section faults(out, found.faults.size(), most);
  for (const auto& [site, example] : found.faults) {
    if (!faults.room()) break;
    out += fmt::format("  {}: {}: {}\n{}\n", where(site.at), example.what, text(site.fault), shown(example));
  }
  out += counted(found.deadlocks.size(), "deadlock", "deadlocks") + "\n";
  Section deadlocks(out, found.deadlocks.size(), most);
  for (const auto& [stand, example] : found.deadlocks) {
    if (!deadlocks.room()) break;
    std::string places;
    for (const mini::Position at : stand) places += (places.empty() ? "" : ", ") + where(at);
    out += fmt::format("  {}\n{}\n", places, shown(example));
  }
  out += counted(found.finals.size(), "result", "results") + "\n";
  Section finals(out, found.finals.size(), most);
  for (const auto& values : found.finals) {
    if (!finals.room()) break;
    std::string line;
    for (const auto& [name, value] : named(code, values)) line += " " + name + "=" + value;
    out += " " + line + "\n";
  }
  const std::string effort = method == "states"
                                 ? counted(static_cast<std::size_t>(found.states), "state", "states")
                                 : counted(static_cast<std::size_t>(found.executions), "execution", "executions");
  out += found.exhaustive
             ? fmt::format("all schedules ({}, {} steps)\n", effort, found.steps)
             : fmt::format("NOT EXHAUSTIVE: the limit of {} was reached ({}, {} steps); there may be more\n",
                           found.limit, effort, found.steps);
  return out;
}

ordered_json to_json(const Exploration& found, const Code& code, const std::string& path, std::string_view method) {
  const auto where = [&](mini::Position at) { return mini::location_text(code, at); };
  const auto races = [&](const std::map<mini::RaceSites, mini::Example>& pairs) {
    ordered_json list = ordered_json::array();
    for (const auto& [sites, example] : pairs) {
      list.push_back({{"locations", {where(sites.first.at), where(sites.second.at)}},
                      {"kind", kind_of(sites.first, sites.second)},
                      {"variable", example.what},
                      {"schedule", example.schedule}});
    }
    return list;
  };
  ordered_json json;
  json["omen"] = 1;
  json["program"] = path;
  json["method"] = method;
  json["exhaustive"] = found.exhaustive;
  if (!found.exhaustive) json["limit"] = found.limit;
  json["steps"] = found.steps;
  json["races"] = races(found.races);
  if (method == "traces") json["hb_races"] = races(found.hb_races);
  json["faults"] = ordered_json::array();
  for (const auto& [site, example] : found.faults) {
    json["faults"].push_back({{"location", where(site.at)},
                              {"what", text(site.fault)},
                              {"thread", example.what},
                              {"schedule", example.schedule}});
  }
  json["deadlocks"] = ordered_json::array();
  for (const auto& [stand, example] : found.deadlocks) {
    ordered_json places = ordered_json::array();
    for (const mini::Position at : stand) places.push_back(where(at));
    json["deadlocks"].push_back({{"locations", places}, {"schedule", example.schedule}});
  }
  json["results"] = ordered_json::array();
  for (const auto& values : found.finals) json["results"].push_back(variables_json(code, values));
  return json;
}

}  // namespace omen::cli
