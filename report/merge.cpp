#include "report/merge.hpp"

#include <algorithm>
#include <utility>

#include "report/same_finding.hpp"

namespace omen::report {
namespace {

/// Sets the process and command where they differ from those of the report that the finding is added to.
void give_origin(Origin& origin, const RunReport& from, const RunReport& to) {
  if (origin.process == 0) origin.process = from.process;
  if (origin.command.empty()) origin.command = from.command;
  if (origin.process == to.process) origin.process = 0;
  if (origin.command == to.command) origin.command.clear();
}

int sureness(const Deadlock& deadlock) {
  return deadlock.replays && deadlock.replays->reached != 0 ? 1 : 0;
}

/// Keeps the more certain of the two findings, and adds up how often each was seen.
template <class Finding>
void unite(Finding& known, Finding other) {
  const std::uint64_t runs = known.origin.runs + other.origin.runs;
  const std::uint64_t count = known.count + other.count;
  if (sureness(other) > sureness(known)) known = std::move(other);
  known.origin.runs = runs;
  known.count = count;
}

template <class Finding>
void add_all(std::vector<Finding>& all, std::vector<Finding> others, const RunReport& from, const RunReport& to) {
  for (Finding& other : others) {
    give_origin(other.origin, from, to);
    if (const Finding* const known = find_same(all, other)) {
      unite(all[static_cast<std::size_t>(known - all.data())], std::move(other));
    } else {
      all.push_back(std::move(other));
    }
  }
}

/// The report has a list entry for each prediction that it counts.
bool lists_unconfirmed(const RunReport& report) {
  return report.unconfirmed.size() == report.excluded + report.unknown;
}

/// Drops unconfirmed predictions that another run shows to be races.
void drop_decided(RunReport& all) {
  std::erase_if(all.unconfirmed, [&](const Race& race) { return find_same(all.races, race) != nullptr; });
  all.excluded = static_cast<std::uint64_t>(std::ranges::count_if(all.unconfirmed, &Race::excluded));
  all.unknown = all.unconfirmed.size() - all.excluded;
}

void add_failures(RunReport& all, std::vector<Failure> others) {
  for (Failure& other : others) {
    const auto known = std::ranges::find(all.failures, other.fingerprint, &Failure::fingerprint);
    if (known == all.failures.end()) {
      all.failures.push_back(std::move(other));
    } else if (known->shown && other.shown) {
      known->shown->runs += other.shown->runs;
    }
  }
}

void add_baseline(RunReport& all, RunReport& other) {
  if (!all.baseline || !other.baseline) {
    if (!all.baseline) all.baseline = std::move(other.baseline);
    return;
  }
  AgainstBaseline& mine = *all.baseline;
  add_all(mine.known, std::move(other.baseline->known), other, all);
  add_all(mine.known_deadlocks, std::move(other.baseline->known_deadlocks), other, all);
  std::erase_if(mine.gone, [&](const Race& race) { return find_same(other.baseline->gone, race) == nullptr; });
  std::erase_if(mine.gone_deadlocks,
                [&](const Deadlock& one) { return find_same(other.baseline->gone_deadlocks, one) == nullptr; });
}

void add_exploration(RunReport& all, RunReport& other) {
  if (!other.exploration) return;
  if (!all.exploration) {
    all.exploration = std::move(other.exploration);
    return;
  }
  Exploration& mine = *all.exploration;
  mine.runs += other.exploration->runs;
  mine.schedules += other.exploration->schedules;
  mine.points += other.exploration->points;
  mine.released += other.exploration->released;
}

/// The weaker model of witnesses wins; counts of pairs of places are the largest of any run.
void add_models(Models& mine, const Models& other) {
  if (mine.witnesses.empty() || other.witnesses == "lw") mine.witnesses = other.witnesses;
  for (const std::string& file : other.without_pass) {
    if (std::ranges::find(mine.without_pass, file) == mine.without_pass.end()) mine.without_pass.push_back(file);
  }
  for (const ValueModel& model : other.values) {
    const auto known = std::ranges::find(mine.values, model.name, &ValueModel::name);
    if (known == mine.values.end()) {
      mine.values.push_back(model);
    } else {
      known->candidates = std::max(known->candidates, model.candidates);
      known->races = std::max(known->races, model.races);
      known->undecided = std::max(known->undecided, model.undecided);
    }
  }
}

}  // namespace

int sureness(const Race& race) {
  const bool demonstrated = race.demonstration && race.demonstration->met;
  const bool confirmed = race.confirmed || demonstrated || (race.replays && race.replays->reached != 0);
  return (race.observed ? 2 : 0) + (confirmed ? 1 : 0);
}

void add_run(RunReport& all, RunReport other) {
  all.runs += other.runs;
  all.threads = std::max(all.threads, other.threads);
  all.events += other.events;
  all.synchronisations += other.synchronisations;
  all.complete = all.complete && other.complete;
  const bool listed = lists_unconfirmed(all) && lists_unconfirmed(other);
  all.excluded += other.excluded;
  all.unknown += other.unknown;
  const bool ended_well = all.exit.code == 0 && all.exit.signal.empty();
  if (ended_well) all.exit = other.exit;
  for (std::string& note : other.notes) {
    if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(std::move(note));
  }
  add_models(all.models, other.models);
  for (const auto& [name, value] : other.counters) {
    const auto known = std::ranges::find(all.counters, name, &std::pair<std::string, std::uint64_t>::first);
    if (known == all.counters.end()) {
      all.counters.emplace_back(name, value);
    } else {
      known->second += value;
    }
  }
  add_all(all.races, std::move(other.races), other, all);
  add_all(all.deadlocks, std::move(other.deadlocks), other, all);
  add_all(all.unconfirmed, std::move(other.unconfirmed), other, all);
  if (listed) drop_decided(all);
  add_failures(all, std::move(other.failures));
  add_baseline(all, other);
  add_exploration(all, other);
}

}  // namespace omen::report
