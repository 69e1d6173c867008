#include "report/build_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "report/explain.hpp"
#include "report/hidden_order.hpp"
#include "report/schedule.hpp"
#include "report/source_map.hpp"
#include "report/trace_scan.hpp"
#include "trace/error.hpp"

namespace omen::report {
namespace {

/// A longer chain is not shown: it explains nothing.
constexpr std::size_t kLongestHiddenOrder = 8;

/// Candidates at the same two source positions.
struct Group {
  const Candidate* shown = nullptr;
  std::uint64_t count = 0;
  std::uint64_t decided = 0;
};

/// The candidate with the highest rank represents its group. Of withheld ones an undecided one ranks higher: if one
/// pair is undecided, the group is.
int rank(const Candidate& candidate) {
  if (candidate.withheld) return candidate.excluded ? 0 : 1;
  return 2 + (candidate.confirmed ? 2 : 0) + (candidate.observed ? 1 : 0);
}

class Builder {
 public:
  Builder(const SourceMap& map, std::span<const Candidate> candidates, const RunFacts& facts)
      : map_(map), trace_(map.trace()), candidates_(candidates), facts_(facts), planner_(trace_, map.info()) {}

  void build(RunReport& report) {
    group();
    std::vector<std::uint64_t> events;
    std::vector<AddressAt> addresses;
    for (const Group& group : groups_) {
      events.insert(events.end(), group.shown->pair.begin(), group.shown->pair.end());
      const std::uint64_t later = std::ranges::max(group.shown->pair);
      const auto place = parse_place(trace_.names.of(trace_.events[later].variable()));
      addresses.push_back({place ? place->address : 0, later});
    }
    scan_ = scan(trace_, events);
    const auto blocks = find_blocks(map_.info().blocks, addresses);
    report.synchronisations = scan_.synchronisations;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const bool withheld = groups_[i].shown->withheld;
      (withheld ? report.unconfirmed : report.races).push_back(race(groups_[i], blocks[i]));
      if (withheld) ++(groups_[i].shown->excluded ? report.excluded : report.unknown);
    }
    report.deadlocks =
        build_deadlocks(map_, planner_, facts_.deadlocks,
                        {.schedule_lines = facts_.schedule_lines, .longest_witness = facts_.longest_witness});
    add_held_locks(report.races);
  }

 private:
  std::string side_key(const Event& event) {
    const auto [entry, is_new] = keys_.try_emplace(static_cast<std::uint32_t>(event.location));
    if (!is_new) return entry->second;
    const Frame frame = map_.place(event);
    std::string& key = entry->second;
    if (frame.has_source()) {
      key = fmt::format("{}\t{}:{}:{}", frame.function, frame.file, frame.line, frame.column);
    } else {
      key = fmt::format("{}\t{}+{:#x}", frame.function, frame.module, frame.offset);
    }
    return key;
  }

  void group() {
    std::unordered_map<std::string, std::size_t> known;
    for (const Candidate& candidate : candidates_) {
      std::array<std::string, 2> sides;
      for (std::size_t i = 0; i < 2; ++i) {
        OMEN_CHECK(candidate.pair[i] < trace_.size());
        const Event& event = trace_.events[candidate.pair[i]];
        OMEN_CHECK(is_access(event.op));
        sides[i] = side_key(event);
        // The location is unknown: the variable distinguishes races.
        if (sides[i] == "\t+0x0") sides[i] += trace_.names.of(event.variable());
      }
      std::ranges::sort(sides);
      const auto [entry, is_new] = known.try_emplace(sides[0] + "\n" + sides[1], groups_.size());
      if (is_new) groups_.push_back({.shown = &candidate});
      Group& group = groups_[entry->second];
      if (group.shown->withheld && !candidate.withheld)
        group.count = 0;  // the group is a race: its excluded pairs do not count
      if (group.shown->withheld || !candidate.withheld) {
        group.count += candidate.count;
        group.decided += candidate.decided;
      }
      if (rank(candidate) > rank(*group.shown)) group.shown = &candidate;
    }
  }

  Access access(const Candidate& candidate, std::size_t side) const {
    const std::uint64_t at = candidate.pair[side];
    const Event& event = trace_.events[at];
    Access access;
    access.event = at;
    access.kind = event.op == Op::Free ? AccessKind::Free : is_write(event.op) ? AccessKind::Write : AccessKind::Read;
    access.atomic = candidate.atomic[side];
    if (const auto place = parse_place(trace_.names.of(event.variable()))) {
      access.address = place->address;
      access.size = place->size;
    }
    if (candidate.size[side] != 0) access.size = candidate.size[side];
    access.thread = static_cast<std::uint32_t>(event.thread);
    access.stack = map_.stack(event);
    for (const LockHeld& held : scan_.held.at(at)) {
      HeldLock lock;
      lock.label = map_.label(held.lock);
      lock.name = map_.global_name(held.lock);
      if (const auto place = parse_place(trace_.names.of(held.lock))) lock.address = place->address;
      lock.shared = held.shared;
      lock.acquired = map_.stack(trace_.events[held.acquired]);
      access.locks.push_back(std::move(lock));
    }
    return access;
  }

  /// Without a witness, a replay of an observed race follows the recorded order, in which the first access is executed.
  void add_plan(Race& race, const Candidate& candidate, std::span<const std::uint32_t> witness) const {
    std::vector<std::uint32_t> recorded;
    const bool has_witness = witness.size() >= 2;
    if (!has_witness) {
      if (!candidate.observed) return;
      const std::uint64_t later = std::ranges::max(candidate.pair);
      if (later > facts_.longest_recorded) {
        race.no_replay = "the recorded run up to the race is too long";
        return;
      }
      recorded.resize(later);
      std::iota(recorded.begin(), recorded.end(), 0U);
    }
    if (candidate.turned && !candidate.turned->no_replay.empty()) {
      race.no_replay = candidate.turned->no_replay;
      return;
    }
    auto plan = candidate.turned ? planner_.plan_departure(witness.first(witness.size() - 2), candidate.pair,
                                                           candidate.turned->departs_at)
                                 : plan_of(candidate, witness, recorded);
    if (plan) {
      race.replay = std::move(*plan);
    } else {
      race.no_replay = std::move(plan.error());
    }
  }

  std::expected<ReplayPlan, std::string> plan_of(const Candidate& candidate, std::span<const std::uint32_t> witness,
                                                 std::span<const std::uint32_t> recorded) const {
    const bool has_witness = witness.size() >= 2;
    return planner_.plan(has_witness ? witness.first(witness.size() - 2) : recorded, candidate.pair, !has_witness);
  }

  void add_witness(Race& race, const Candidate& candidate) const {
    if (candidate.withheld) return;
    if (!candidate.witness || !(candidate.confirmed || candidate.changed)) return add_plan(race, candidate, {});
    std::vector<std::uint32_t> witness = candidate.witness();
    race.witness_size = witness.size();
    if (witness.size() < 2) return;
    OMEN_CHECK(std::ranges::all_of(witness, [&](std::uint32_t event) { return event < trace_.size(); }));
    std::vector<LockHeld> held;
    for (const std::uint64_t event : candidate.pair) {
      const auto& mine = scan_.held.at(event);
      held.insert(held.end(), mine.begin(), mine.end());
    }
    add_plan(race, candidate, witness);
    if (candidate.changed) {
      race.changed_reads = describe_changes(map_, candidate.changed());
    } else if (candidate.model == "data") {
      const std::span before = std::span(witness).first(witness.size() - 2);
      race.changed_reads = describe_changes(map_, changed_updates(trace_, before));
    }
    race.schedule = short_schedule(map_, witness, held, facts_.schedule_lines);
    if (candidate.turned) {
      race.turned = TurnedBranch{.thread = candidate.turned->thread,
                                 .place = frame_of(candidate.turned->place),
                                 .taken = candidate.turned->taken};
      return;  // without the path of the turned branch these events are not a witness
    }
    if (witness.size() <= facts_.longest_witness) race.witness = std::move(witness);
  }

  /// Replaces the address in access steps by the name of the memory.
  static void name_memory(Race& race) {
    const std::string name = short_subject(race);
    for (ScheduleStep& step : race.schedule) {
      const std::size_t at = step.text.find(" 0x");
      if (step.kind == StepKind::Access && !name.empty() && at != std::string::npos)
        step.text.replace(at + 1, std::string::npos, name);
    }
  }

  void add_hidden_order(Race& race) const {
    if (race.observed || race.turned) return;
    const auto chain = hidden_order(trace_, race.accesses[1].event, race.accesses[0].event);
    if (chain.size() > kLongestHiddenOrder) return;
    for (const std::uint64_t event : chain) race.hidden_by.push_back(step_of(map_, event));
  }

  /// Sets the locks that are held during and after each step: a lock counts from the step that acquires it to the step
  /// that releases it, both included.
  void add_held_locks(std::vector<Race>& races) const {
    std::vector<ScheduleStep*> steps;
    for (Race& race : races) {
      for (auto* list : {&race.schedule, &race.hidden_by}) {
        for (ScheduleStep& step : *list) {
          if (step.recorded) steps.push_back(&step);
        }
      }
    }
    if (steps.empty()) return;
    std::vector<std::uint64_t> events;
    for (const ScheduleStep* step : steps) events.push_back((*step->recorded)[1]);
    const TraceScan scanned = scan(trace_, events);
    for (ScheduleStep* step : steps) {
      const std::uint64_t at = (*step->recorded)[1];
      const Event& event = trace_.events[at];
      const bool takes = event.op == Op::Acquire || event.op == Op::AcquireShared || event.op == Op::Wake;
      const bool gives = event.op == Op::Release || event.op == Op::ReleaseShared || event.op == Op::Wait;
      for (const LockHeld& held : scanned.held.at(at)) {
        step->holds.push_back(map_.label(held.lock));
        const bool last = gives && held.lock == event.lock() && (event.op == Op::Wait || held.depth == 1);
        if (!last) step->keeps.push_back(step->holds.back());
      }
      if (!takes) continue;
      for (auto* labels : {&step->holds, &step->keeps}) {
        const std::string taken = map_.label(event.lock());
        if (std::ranges::find(*labels, taken) == labels->end()) labels->push_back(taken);
      }
    }
  }

  Race race(const Group& group, std::optional<std::size_t> block) const {
    const Candidate& candidate = *group.shown;
    Race race;
    const std::size_t later = candidate.pair[0] > candidate.pair[1] ? 0 : 1;
    race.accesses = {access(candidate, later), access(candidate, 1 - later)};
    const bool frees = std::ranges::any_of(race.accesses, [](const Access& a) { return a.kind == AccessKind::Free; });
    if (frees) {
      race.kind = RaceKind::UseAfterFree;
    } else if (candidate.vptr) {
      race.kind = RaceKind::VptrRace;
    }
    race.found_by = candidate.found_by;
    race.observed = candidate.observed;
    race.confirmed = candidate.confirmed;
    race.method = candidate.method;
    race.model = candidate.model;
    race.count = group.count;
    race.excluded = candidate.excluded;
    race.decided = candidate.withheld ? group.decided : 0;
    race.why = candidate.why;
    race.variable = describe_variable(map_, trace_.events[race.accesses[0].event].variable(), block, facts_.stacks);
    add_witness(race, candidate);
    if (!candidate.withheld) add_hidden_order(race);
    std::vector<std::uint32_t> mentioned{race.accesses[0].thread, race.accesses[1].thread};
    if (race.variable.thread) mentioned.push_back(*race.variable.thread);
    for (const auto* steps : {&race.schedule, &race.hidden_by}) {
      for (const ScheduleStep& step : *steps) {
        if (step.thread) mentioned.push_back(*step.thread);
      }
    }
    for (const ChangedRead& read : race.changed_reads) mentioned.push_back(read.thread);
    if (race.turned) mentioned.push_back(race.turned->thread);
    race.threads = describe_threads(map_, std::move(mentioned), scan_.finished);
    name_memory(race);
    race.fingerprint = fingerprint(race);
    return race;
  }

  const SourceMap& map_;
  const Trace& trace_;
  std::span<const Candidate> candidates_;
  const RunFacts& facts_;
  std::vector<Group> groups_;                            ///< in the order of the candidates
  std::unordered_map<std::uint32_t, std::string> keys_;  ///< by location
  TraceScan scan_;
  ReplayPlanner planner_;
};

}  // namespace

RunReport build_report(const Trace& trace, const CaptureInfo& info, std::span<const Candidate> candidates,
                       symbolize::Symbolizer& symbolizer, const RunFacts& facts) {
  RunReport report;
  report.command = info.command;
  report.process = info.process;
  report.exit = facts.exit;
  report.threads = trace.threads();
  report.events = trace.size();
  report.complete = facts.complete;
  const SourceMap map(trace, info, symbolizer);
  Builder(map, candidates, facts).build(report);
  report.notes = info.notes;
  report.notes.insert(report.notes.end(), facts.notes.begin(), facts.notes.end());
  for (std::string& note : symbolizer.notes()) report.notes.push_back(std::move(note));
  return report;
}

}  // namespace omen::report
