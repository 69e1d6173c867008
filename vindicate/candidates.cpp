#include "vindicate/candidates.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/analysis.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/hb.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/relations/wdc.hpp"
#include "vindicate/all_pairs.hpp"

namespace omen::vindicate {
namespace {

class Groups {
 public:
  Groups(const TraceIndex& index, bool every) : index_(index), every_(every) {}

  void add(Pair pair) {
    if (!index_.conflict(pair.first, pair.second))
      return;  // a level's epoch may stand for another access of its thread
    if (every_) {
      groups_.push_back({{pair}, 1});
      return;
    }
    const auto [at, is_new] = known_.emplace(key(pair), groups_.size());
    if (is_new) groups_.emplace_back();
    CandidateGroup& group = groups_[at->second];
    ++group.count;
    if (group.pairs.size() < kStandIns) group.pairs.push_back(pair);
  }

  std::vector<CandidateGroup> take() && { return std::move(groups_); }

 private:
  using Key = std::tuple<LocationId, LocationId, VariableId>;

  /// The variable tells pairs apart where the trace does not say where they are.
  Key key(Pair pair) const {
    const Event& e = index_.event(pair.first);
    const Event& f = index_.event(pair.second);
    const auto [low, high] = std::minmax(e.location, f.location);
    const bool unknown = index_.trace().names.text(low).empty() || index_.trace().names.text(high).empty();
    return {low, high, unknown ? e.variable() : VariableId{}};
  }

  const TraceIndex& index_;
  bool every_;
  std::map<Key, std::size_t> known_;
  std::vector<CandidateGroup> groups_;
};

class GroupSink final : public RaceSink {
 public:
  explicit GroupSink(Groups& groups) : groups_(groups) {}
  void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
    for (const PriorAccess& prior : priors) {
      groups_.add(
          {static_cast<EventNo>(omen::index(prior.site.event)), static_cast<EventNo>(omen::index(access.site.event))});
    }
  }

 private:
  Groups& groups_;
};

template <class Relation>
void run_all_pairs(const Trace& trace, RaceSink& sink) {
  Analysis<Relation, AllPairs> analysis(sink);
  for (std::size_t i = 0; i < trace.size(); ++i) analysis.handle(trace.events[i], EventIndex{i});
}

}  // namespace

std::vector<CandidateGroup> analysed_candidates(const TraceIndex& index, const AnalysisInfo& analysis, bool every) {
  Groups groups(index, every);
  GroupSink sink(groups);
  const Trace& trace = index.trace();
  if (!every) {
    analysis.make(sink, {})->run(trace.events);
  } else if (analysis.relation == Hb::kName) {
    run_all_pairs<Hb>(trace, sink);
  } else if (analysis.relation == Wcp::kName) {
    run_all_pairs<Wcp>(trace, sink);
  } else if (analysis.relation == Dc::kName) {
    run_all_pairs<Dc>(trace, sink);
  } else {
    run_all_pairs<Wdc>(trace, sink);
  }
  return std::move(groups).take();
}

std::vector<CandidateGroup> all_candidates(const TraceIndex& index, bool every) {
  struct Place {
    ThreadId thread;
    LocationId location;
    bool wrote;
    EventNo latest;
  };
  Groups groups(index, every);
  std::vector<std::vector<Place>> variables(index.trace().names.of(OperandKind::Variable).size());
  for (EventNo e = 0; e < index.size(); ++e) {
    const Event& event = index.event(e);
    if (event.op == Op::Allocate) variables[event.operand].clear();
    if (!is_access(event.op)) continue;
    auto& places = variables[event.operand];
    Place* mine = nullptr;
    for (Place& place : places) {
      if (place.thread != event.thread) {
        if (place.wrote || is_write(event.op)) groups.add({place.latest, e});
      } else if (!every && place.location == event.location && place.wrote == is_write(event.op)) {
        mine = &place;
      }
    }
    if (mine != nullptr) {
      mine->latest = e;
    } else {
      places.push_back({event.thread, event.location, is_write(event.op), e});
    }
  }
  return std::move(groups).take();
}

}  // namespace omen::vindicate
