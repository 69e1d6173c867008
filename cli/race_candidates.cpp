#include "cli/race_candidates.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "cli/confirm_groups.hpp"
#include "vindicate/candidates.hpp"

namespace omen::cli {
namespace {

using vindicate::CandidateGroup;
using vindicate::Outcome;

/// While it lives, the location of an event is its place in the program alone, without the calls that led there: a pair
/// of places is worth one search, however many ways lead to it.
class PlacesOnly {
 public:
  PlacesOnly(Trace& trace, const CaptureInfo& info) : trace_(trace) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    std::vector<std::uint32_t> place(info.stacks.size());
    for (std::size_t node = 1; node < info.stacks.size(); ++node) {
      place[node] = numbers.emplace(info.stacks[node].pc, static_cast<std::uint32_t>(numbers.size() + 1)).first->second;
    }
    nodes_.reserve(trace.size());
    for (Event& event : trace.events) {
      nodes_.push_back(event.location);
      const std::uint32_t node = static_cast<std::uint32_t>(event.location) & ~kNumericLocation;
      event.location = LocationId{kNumericLocation | (node < place.size() ? place[node] : 0)};
    }
  }
  ~PlacesOnly() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) trace_.events[i].location = nodes_[i];
  }
  PlacesOnly(const PlacesOnly&) = delete;
  PlacesOnly& operator=(const PlacesOnly&) = delete;

  std::uint32_t node(std::uint64_t event) const {
    return static_cast<std::uint32_t>(nodes_[event]) & ~kNumericLocation;
  }

 private:
  Trace& trace_;
  std::vector<LocationId> nodes_;
};

std::pair<LocationId, LocationId> places(const Trace& trace, const CandidateGroup& group) {
  return std::minmax(trace.events[group.pairs.front().first].location,
                     trace.events[group.pairs.front().second].location);
}

/// Whether the program itself calls races on this variable benign.
bool is_benign(const Trace& trace, std::uint64_t event, const CaptureInfo& info) {
  if (info.benign.empty()) return false;
  const std::string& name = trace.names.of(trace.events[event].variable());
  std::uint64_t address = 0;
  if (name.starts_with("0x")) std::from_chars(name.data() + 2, name.data() + name.size(), address, 16);
  return std::ranges::any_of(info.benign,
                             [&](const AddressRange& range) { return range.begin <= address && address < range.end; });
}

/// Whether the event stands for an atomic access: the variable then bears the number of its own thread.
bool is_atomic(const Trace& trace, std::uint64_t event) {
  const Event& e = trace.events[event];
  const std::string& name = trace.names.of(e.variable());
  const std::size_t at = name.find('@');
  if (at == std::string::npos) return false;
  std::uint32_t thread = 0;
  std::from_chars(name.data() + at + 1, name.data() + name.size(), thread);
  return thread == index(e.thread);
}

/// Accesses to memory after it was freed and before it was given out again. That is wrong in whatever order: it needs
/// no race. One pair of places once: the free, the access.
std::vector<CandidateGroup> uses_after_free(const Trace& trace) {
  std::vector<std::uint32_t> freed(trace.names.of(OperandKind::Variable).size(), 0);  // event + 1
  std::map<std::pair<LocationId, LocationId>, std::size_t> known;
  std::vector<CandidateGroup> groups;
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op == Op::Free) {
      freed[event.operand] = i + 1;
    } else if (event.op == Op::Allocate) {
      freed[event.operand] = 0;
    } else if (is_access(event.op) && freed[event.operand] != 0) {
      const std::uint32_t free = freed[event.operand] - 1;
      const auto key = std::minmax(trace.events[free].location, event.location);
      const auto [at, is_new] = known.emplace(std::pair(key.first, key.second), groups.size());
      if (is_new) groups.push_back({{{free, i}}, 0});
      ++groups[at->second].count;
    }
  }
  return groups;
}

const AnalysisInfo& happens_before() {
  const auto* const found = find_analysis("fto-hb");
  OMEN_CHECK(found != nullptr);
  return *found;
}

}  // namespace

std::vector<report::Candidate> find_candidates(Trace& trace, const CaptureInfo& info, const CandidateSearch& search) {
  const PlacesOnly scope(trace, info);
  const std::unordered_set<std::uint32_t> vptr_writes(info.vptr_writes.begin(), info.vptr_writes.end());
  const auto shared =
      std::make_shared<const vindicate::Confirmer>(trace, vindicate::Methods{}, vindicate::Budget::of(search.budget));
  const vindicate::Confirmer& confirmer = *shared;

  auto groups = analysed_candidates(confirmer.index(), happens_before(), false);
  const auto leave_out_benign = [&](std::vector<CandidateGroup>& all) {
    for (CandidateGroup& group : all) {
      group.count -=
          std::erase_if(group.pairs, [&](const vindicate::Pair& pair) { return is_benign(trace, pair.first, info); });
    }
    std::erase_if(all, [](const CandidateGroup& group) { return group.pairs.empty(); });
  };
  leave_out_benign(groups);
  std::set<std::pair<LocationId, LocationId>> seen;
  for (const CandidateGroup& group : groups) seen.insert(places(trace, group));
  const std::size_t racing = groups.size();
  for (CandidateGroup& group : uses_after_free(trace)) {
    if (seen.insert(places(trace, group)).second) groups.push_back(std::move(group));
  }
  const std::size_t observed = groups.size();
  auto predicted = analysed_candidates(confirmer.index(), search.analysis, false);
  leave_out_benign(predicted);
  for (CandidateGroup& group : predicted) {
    if (!seen.contains(places(trace, group))) groups.push_back(std::move(group));
  }
  std::vector<Result> results(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    results[i].verdict.pair = groups[i].pairs.front();
    results[i].count = groups[i].count;
  }
  if (search.confirm) {
    // A use after free may be one thread's own, and is no question of order.
    std::vector<CandidateGroup> asked(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(racing));
    asked.insert(asked.end(), groups.begin() + static_cast<std::ptrdiff_t>(observed), groups.end());
    const auto budget = vindicate::GroupBudget::of(search.budget, asked.size(), search.pairs);
    auto answers = confirm_all(confirmer, asked, budget, search.jobs);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      results[i < racing ? i : i + (observed - racing)] = std::move(answers[i]);
    }
  }

  std::vector<report::Candidate> found;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    vindicate::Verdict& verdict = results[i].verdict;
    const bool confirmed = verdict.outcome == Outcome::Race;
    report::Candidate candidate;
    candidate.pair = {verdict.pair.first, verdict.pair.second};
    candidate.observed = i < observed;
    candidate.found_by = i < racing ? "hb" : i < observed ? "use-after-free" : std::string(search.analysis.relation);
    candidate.confirmed = confirmed;
    if (!candidate.observed && search.confirm && !confirmed) {
      candidate.withheld = true;
      candidate.excluded = verdict.outcome == Outcome::NoRace;
      candidate.decided = results[i].decided;
      candidate.why = candidate.excluded ? confirmer.why_excluded(verdict) : "out of budget: " + verdict.ran_out;
    }
    candidate.count = results[i].count;
    if (confirmed) {
      candidate.method = vindicate::name(verdict.method);
      candidate.model = verdict.under_ca ? "ca" : "lw";
      // Witnesses may be long: only those that are shown are made.
      candidate.witness = [shared, kept = std::make_shared<const vindicate::Verdict>(std::move(verdict))] {
        const auto witness = shared->witness(*kept);
        return std::vector<std::uint32_t>(witness.begin(), witness.end());
      };
    }
    for (std::size_t side = 0; side < 2; ++side) {
      candidate.vptr |= vptr_writes.contains(scope.node(candidate.pair[side]));
      candidate.atomic[side] = is_atomic(trace, candidate.pair[side]);
    }
    found.push_back(std::move(candidate));
  }
  return found;
}

}  // namespace omen::cli
