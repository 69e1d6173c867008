#include "cli/race_candidates.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "cli/accessed_memory.hpp"
#include "cli/confirm_groups.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/regroup.hpp"

namespace omen::cli {
namespace {

using vindicate::CandidateGroup;
using vindicate::Outcome;

/// While it exists, the location of an event is its program counter alone, without the calling stack: a pair of places
/// is searched once, whatever the stacks.
class PlacesOnly {
 public:
  /// Without stacks, the locations stay unchanged.
  PlacesOnly(Trace& trace, const CaptureInfo& info) : trace_(trace) {
    if (info.stacks.empty()) return;
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

  /// 0 if there are no stacks.
  std::uint32_t node(std::uint64_t event) const {
    return nodes_.empty() ? 0 : static_cast<std::uint32_t>(nodes_[event]) & ~kNumericLocation;
  }

 private:
  Trace& trace_;
  std::vector<LocationId> nodes_;
};

std::pair<LocationId, LocationId> places(const Trace& trace, vindicate::Pair pair) {
  return std::minmax(trace.events[pair.first].location, trace.events[pair.second].location);
}

/// Accesses to memory after it was freed and before it was allocated again. These are errors in any order, without a
/// race. One group per pair of places: the free and the access.
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

/// Longer witnesses are not regrouped: nobody reads them, and regrouping takes many times their memory.
constexpr std::size_t kLongestRegrouped = 200'000;

/// The witness, or an equivalent one with fewer switches between threads.
std::vector<std::uint32_t> easy_to_follow(const vindicate::Confirmer& confirmer, std::vector<std::uint32_t> witness) {
  if (witness.size() > kLongestRegrouped) return witness;
  const Trace& trace = confirmer.index().trace();
  auto other = vindicate::regrouped(trace, witness);
  const bool is_better =
      vindicate::switches(trace, other) < vindicate::switches(trace, witness) || other.size() < witness.size();
  return is_better && confirmer.accepts(other) ? other : witness;
}

const AnalysisInfo& happens_before() {
  const auto* const found = find_analysis("fto-hb");
  OMEN_CHECK(found != nullptr);
  return *found;
}

constexpr std::string_view kUseAfterFree = "use-after-free";
/// The name of the analysis for pairs that every relation orders.
constexpr std::string_view kLw = "lw";

/// Budget for such candidates: events that the checker visits.
constexpr std::size_t kMostVisits = 1'000'000'000;

/// A pair of places, and its verdict.
struct Question {
  std::string_view found_by;
  bool observed;  ///< shown by the run itself, and so reported without a witness
  CandidateGroup group;
  Result result;
};

/// Decides each kind of candidates in turn. A kind omits the pairs of places that an earlier kind has.
class Search {
 public:
  Search(const Trace& trace, const CaptureInfo& info, const CandidateSearch& search,
         const vindicate::Confirmer& confirmer)
      : trace_(trace), info_(info), search_(search), confirmer_(confirmer) {}

  std::vector<Question> run() && {
    const vindicate::TraceIndex& index = confirmer_.index();
    add("hb", true, analysed_candidates(index, happens_before(), false));
    add(kUseAfterFree, true, uses_after_free(trace_));
    add(search_.analysis.relation, false, analysed_candidates(index, search_.analysis, false));
    if (search_.confirm) {
      // A use after free may be in one thread, and does not depend on order.
      confirm([](const Question& question) { return question.found_by != kUseAfterFree; }, {});
      if (search_.beyond_relations) look_beyond_relations();
    }
    return std::move(questions_);
  }

 private:
  void add(std::string_view found_by, bool observed, std::vector<CandidateGroup> groups) {
    for (CandidateGroup& group : groups) {
      if (found_by != kUseAfterFree) leave_out_benign(group);
      if (group.pairs.empty() || !known_.insert(places(trace_, group.pairs.front())).second) continue;
      Question question{.found_by = found_by, .observed = observed, .group = std::move(group), .result = {}};
      question.result.verdict.pair = question.group.pairs.front();
      question.result.count = question.group.count;
      questions_.push_back(std::move(question));
    }
  }

  void leave_out_benign(CandidateGroup& group) const {
    group.count -=
        std::erase_if(group.pairs, [&](const vindicate::Pair& pair) { return is_benign(trace_, pair.first, info_); });
  }

  /// Searches variables without a race of any relation: on other variables, further pairs are mostly consequences of
  /// the known race. There may be thousands of pairs, nearly all impossible, so only the cheap steps decide them.
  void look_beyond_relations() {
    known_.clear();  // where a relation's pair is excluded, other pairs of the same places may race
    std::unordered_set<VariableId> racy;
    for (const Question& question : questions_) {
      const vindicate::Pair pair = question.result.verdict.pair;
      const bool race = question.observed || question.result.verdict.outcome == Outcome::Race;
      if (race) racy.insert(trace_.events[pair.first].variable());
    }
    auto groups = unordered_candidates(confirmer_.index());
    for (CandidateGroup& group : groups) {
      group.count -= std::erase_if(group.pairs, [&](const vindicate::Pair& pair) {
        return racy.contains(trace_.events[pair.first].variable());
      });
    }
    add(kLw, false, std::move(groups));
    const auto is_open = [](const Question& question) {
      return question.found_by == kLw && question.result.verdict.outcome == Outcome::Unknown;
    };
    vindicate::Methods methods{.section_last = false, .graph = false, .search = false, .smt = false};
    confirm(is_open, methods);
    methods.section_last = true;  // runs the checker over the trace twice for each pair
    std::size_t left = kMostVisits / (2 * trace_.size() + 1);
    confirm([&](const Question& question) { return is_open(question) && left != 0 && left-- != 0; }, methods);
    std::erase_if(questions_, [&](const Question& question) {
      const Outcome outcome = question.result.verdict.outcome;
      return question.found_by == kLw &&
             (outcome == Outcome::NoRace || (outcome == Outcome::Unknown && !search_.undecided));
    });
  }

  /// Confirms the questions that `which` selects.
  template <class Which>
  void confirm(Which which, const std::optional<vindicate::Methods>& methods) {
    std::vector<Question*> asked;
    std::vector<CandidateGroup> groups;
    for (Question& question : questions_) {
      if (!which(question)) continue;
      asked.push_back(&question);
      groups.push_back(std::move(question.group));
    }
    auto budget = vindicate::GroupBudget::of(search_.budget, groups.size(), search_.pairs);
    budget.methods = methods;
    auto results = confirm_all(confirmer_, groups, budget, search_.jobs);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      asked[i]->result = std::move(results[i]);
      asked[i]->group = std::move(groups[i]);
    }
  }

  const Trace& trace_;
  const CaptureInfo& info_;
  const CandidateSearch& search_;
  const vindicate::Confirmer& confirmer_;
  std::set<std::pair<LocationId, LocationId>> known_;
  std::vector<Question> questions_;
};

}  // namespace

FoundInRun find_in_run(Trace& trace, const CaptureInfo& info, const CandidateSearch& search) {
  FoundInRun result;
  const PlacesOnly scope(trace, info);
  const std::unordered_set<std::uint32_t> vptr_writes(info.vptr_writes.begin(), info.vptr_writes.end());
  const auto shared = std::make_shared<const vindicate::Confirmer>(
      trace, vindicate::Methods{}, vindicate::Budget::of(search.budget), vindicate::SmtSink{}, search.model);
  const vindicate::Confirmer& confirmer = *shared;
  if (search.deadlocks) result.deadlocks = find_deadlocks(confirmer);
  if (!search.races) return result;

  std::vector<report::Candidate>& found = result.races;
  for (Question& question : Search(trace, info, search, confirmer).run()) {
    vindicate::Verdict& verdict = question.result.verdict;
    const bool confirmed = verdict.outcome == Outcome::Race;
    report::Candidate candidate;
    candidate.pair = {verdict.pair.first, verdict.pair.second};
    candidate.observed = question.observed;
    candidate.found_by = question.found_by;
    candidate.confirmed = confirmed;
    if (!candidate.observed && search.confirm && !confirmed) {
      candidate.withheld = true;
      candidate.excluded = verdict.outcome == Outcome::NoRace;
      candidate.decided = question.result.decided;
      candidate.why = candidate.excluded         ? confirmer.why_excluded(verdict)
                      : question.found_by == kLw ? "every relation orders it, and the cheap steps do not decide it"
                                                 : "out of budget: " + verdict.ran_out;
    }
    candidate.count = question.result.count;
    if (confirmed) {
      candidate.method = vindicate::name(verdict.method);
      candidate.model = confirmer.model_of(verdict);
      // Witnesses may be long, so they are computed only when they are shown.
      candidate.witness = [shared, kept = std::make_shared<const vindicate::Verdict>(std::move(verdict))] {
        return easy_to_follow(*shared, shared->witness(*kept));
      };
    }
    for (std::size_t side = 0; side < 2; ++side) {
      candidate.vptr |= vptr_writes.contains(scope.node(candidate.pair[side]));
      candidate.atomic[side] = is_atomic(trace, candidate.pair[side]);
    }
    found.push_back(std::move(candidate));
  }
  return result;
}

}  // namespace omen::cli
