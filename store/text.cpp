#include "store/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/quote.hpp"

namespace omen::store {
namespace {

/// A prefix of a fingerprint that is long enough to identify a race.
constexpr std::size_t kShort = 12;

/// `2026-03-01 09:30`
std::string minute(Time time) {
  std::string text = time_text(time).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string short_commit(const std::string& commit) {
  return on_one_line(commit.substr(0, kShort));
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string of_commit(const Run& run) {
  return run.commit.empty() ? "" : " in " + short_commit(run.commit);
}

}  // namespace

std::string list_text(const std::vector<RaceOverview>& races, std::size_t all) {
  std::string out;
  std::size_t owner_width = 5;
  for (const RaceOverview& one : races) owner_width = std::max(owner_width, on_one_line(one.owner).size());
  owner_width = std::min<std::size_t>(owner_width, 24);
  if (!races.empty()) {
    out = fmt::format("{:<12}  {:<9}  {:<{}}  {:>5}  {:<10}  {}\n", "FINGERPRINT", "STATUS", "OWNER", owner_width,
                      "RUNS", "LAST SEEN", "RACE");
  }
  for (const RaceOverview& one : races) {
    out += fmt::format("{:<12}  {:<9}  {:<{}}  {:>5}  {:<10}  {}\n", on_one_line(one.fingerprint().substr(0, kShort)),
                       name_of(one.status), one.owner.empty() ? "-" : on_one_line(one.owner), owner_width, one.runs(),
                       time_text(one.last->time).substr(0, 10), on_one_line(one.latest->title));
  }
  const std::string number = counted(all, "race", "races");
  return out + (races.size() == all ? number : fmt::format("{} of {}", races.size(), number)) + "\n";
}

std::string race_text(const RaceOverview& one, const Snapshot& snapshot) {
  std::map<std::string_view, const Run*> runs;
  for (const Run& run : snapshot.runs) runs.emplace(run.id, &run);
  const Sighting& latest = *one.latest;
  std::string out = on_one_line(latest.title) + "\n";
  const auto fact = [&](std::string_view name, const std::string& text) {
    out += fmt::format("  {:<12} {}\n", name, text);
  };
  fact("fingerprint", on_one_line(one.fingerprint()));
  for (const std::string& alias : one.race->aliases) fact("also", on_one_line(alias));
  fact("kind", fmt::format("{}, {}", on_one_line(one.race->kind), on_one_line(latest.certainty)));
  fact("status", std::string(name_of(one.status)));
  fact("owner", one.owner.empty() ? "nobody" : on_one_line(one.owner));
  fact("place", on_one_line(place_of(latest) + (latest.function.empty() ? "" : " in " + latest.function)));
  fact("first seen", minute(one.first->time) + of_commit(*one.first));
  fact("last seen", minute(one.last->time) + of_commit(*one.last));
  fact("seen", fmt::format("in {}{}", counted(one.runs(), "run", "runs"),
                           one.commits.empty() ? "" : " of " + counted(one.commits.size(), "commit", "commits")));
  if (!one.changes.empty()) out += "History\n";
  for (const Change* change : one.changes) {
    const std::string value =
        change->what == What::Owner && change->value.empty() ? "nobody" : on_one_line(change->value);
    out += fmt::format("  {}  {:<6} {} ({})\n", minute(change->time), name_of(change->what), value,
                       on_one_line(change->author));
  }
  out += "Runs that saw it\n";
  for (auto sighting = one.seen.rbegin(); sighting != one.seen.rend(); ++sighting) {
    const Run& run = *runs.at((*sighting)->run);
    out += fmt::format("  {}  {}  {}", minute(run.time), (*sighting)->certainty, on_one_line(run.program));
    if (!run.commit.empty()) out += " commit " + short_commit(run.commit);
    if (!run.branch.empty()) out += " branch " + on_one_line(run.branch);
    if (!run.label.empty()) out += " label " + on_one_line(run.label);
    out += "\n";
  }
  return out;
}

std::string trend_text(const std::vector<TrendRow>& rows) {
  std::string out = fmt::format("{:<10}  {:>6}  {:>6}  {:>6}  {:>6}  {:>8}  {:>6}\n", "FROM", "RUNS", "SEEN", "NEW",
                                "CLOSED", "REOPENED", "OPEN");
  for (const TrendRow& row : rows) {
    out += fmt::format("{:<10}  {:>6}  {:>6}  {:>6}  {:>6}  {:>8}  {:>6}\n", row.from, row.runs, row.seen, row.fresh,
                       row.closed, row.reopened, row.open);
  }
  return out;
}

}  // namespace omen::store
