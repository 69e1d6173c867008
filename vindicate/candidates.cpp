#include "vindicate/candidates.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/analysis.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/hb.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/relations/wdc.hpp"
#include "vindicate/all_pairs.hpp"
#include "vindicate/unordered_pairs.hpp"

namespace omen::vindicate {
namespace {

class Groups {
 public:
  Groups(const TraceIndex& index, bool every) : index_(index), every_(every) {}

  void add(Pair pair) {
    if (!index_.conflict(pair.first, pair.second))
      return;  // a level's epoch may stand for another access of its thread
    if (every_) {
      groups_.emplace_back().add(pair);
      return;
    }
    const auto [at, is_new] = known_.emplace(key(pair), groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[at->second].add(pair);
  }

  std::vector<CandidateGroup> take() && {
    std::vector<CandidateGroup> groups;
    groups.reserve(groups_.size());
    for (PairSample& sample : groups_) groups.push_back(std::move(sample).take());
    return groups;
  }

 private:
  using Key = std::tuple<LocationId, LocationId, VariableId>;

  /// The variable distinguishes pairs if the trace has no locations.
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
  std::vector<PairSample> groups_;
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

/// 0, the middle, the quarters, the eighths, …: the numbers below n in the order of their reversed bits.
std::vector<std::size_t> spread(std::size_t n) {
  const auto bits = static_cast<unsigned>(std::bit_width(std::bit_ceil(n)) - 1);
  std::vector<std::size_t> order;
  order.reserve(n);
  for (std::size_t i = 0; i < std::bit_ceil(n); ++i) {
    std::size_t reversed = 0;
    for (unsigned bit = 0; bit < bits; ++bit) reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
    if (reversed < n) order.push_back(reversed);
  }
  return order;
}

}  // namespace

void PairSample::add(Pair pair) {
  if (count_++ % stride_ != 0) return;
  if (kept_.size() == most_) {  // drop every second one; keep the first
    for (std::size_t i = 1; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize((kept_.size() + 1) / 2);
    stride_ *= 2;
    if ((count_ - 1) % stride_ != 0) return;
  }
  kept_.push_back(pair);
}

CandidateGroup PairSample::take() && {
  CandidateGroup group{.pairs = {}, .count = count_};
  if (kept_.size() <= 2) {
    group.pairs = std::move(kept_);
    return group;
  }
  const auto closest =
      std::ranges::min_element(kept_, {}, [](const Pair& pair) { return pair.second - pair.first; }) - kept_.begin();
  group.pairs.reserve(kept_.size());
  group.pairs.push_back(kept_.front());
  if (closest != 0) group.pairs.push_back(kept_[static_cast<std::size_t>(closest)]);
  for (const std::size_t i : spread(kept_.size())) {
    if (i != 0 && std::cmp_not_equal(i, closest)) group.pairs.push_back(kept_[i]);
  }
  return group;
}

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

std::vector<CandidateGroup> unordered_candidates(const TraceIndex& index) {
  Groups groups(index, false);
  UnorderedPairs pairs(index.model());
  for (EventNo e = 0; e < index.size(); ++e) {
    pairs.take(index.event(e), e, [&](Pair pair) { groups.add(pair); });
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
