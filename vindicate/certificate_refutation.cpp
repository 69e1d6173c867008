#include "vindicate/certificate_refutation.hpp"

#include <algorithm>
#include <ranges>

namespace omen::vindicate {
namespace {

using Kind = CertificateStep::Kind;

class Reduction {
 public:
  Reduction(const TraceIndex& index, Pair pair) : index_(index), pair_(pair) {}

  void run(Refutation& refutation) {
    for (const Edge& edge : refutation.cycle) need(edge);
    if (refutation.dead_end) need(*refutation.dead_end);
    std::vector<RefutationStep> kept;
    for (RefutationStep& step : std::views::reverse(refutation.steps)) {
      if (rests_on(step)) kept.push_back(std::move(step));
    }
    std::ranges::reverse(kept);
    refutation.steps = std::move(kept);
    refutation.footing = std::move(footing_);
  }

 private:
  /// An edge to an access of the pair needs nothing of it.
  void need_reached(EventNo e) {
    if (e != pair_.first && e != pair_.second) need_known(e);
  }

  void need_known(EventNo e) {
    const std::size_t t = index_.thread(e);
    // The events of a racing thread before its access are known from the start.
    for (const EventNo access : {pair_.first, pair_.second}) {
      if (index_.thread(access) == t && index_.position(e) < index_.position(access)) return;
    }
    footing_.known.emplace(t, index_.position(e));
  }

  void need(const Edge& edge) {
    if (edge.rule == EdgeRule::Assumed) {
      footing_.assumed.emplace(edge.from, edge.to);
    } else if (edge.rule == EdgeRule::Pair) {
      need_known(edge.from);
    } else {
      need_reached(edge.to);
    }
  }

  void need(const Clause& clause) {
    need_reached(clause.first);
    need_reached(clause.second);
  }

  bool rests_on(const RefutationStep& step) {
    if (!step.choice) {
      if (!footing_.release(index_.thread(step.edge.from), step.known_before)) return false;
      need(step.edge);
      return true;
    }
    const Alternative taken = step.choice->taken();
    const bool assumes = footing_.assumed.erase({taken.from, taken.to}) != 0;
    const bool knows = footing_.release(index_.thread(taken.from), step.known_before);
    if (!assumes && !knows) return false;
    need(step.choice->clause);
    if (step.choice->refutation) footing_.add(step.choice->refutation->footing);
    return true;
  }

  const TraceIndex& index_;
  Pair pair_;
  Footing footing_;
};

void append(const Clause& clause, std::vector<CertificateStep>& steps) {
  steps.push_back({.kind = clause.kind, .first = clause.first, .second = clause.second});
}

void append(const Refutation& refutation, std::size_t from, std::vector<CertificateStep>& steps) {
  for (std::size_t i = from; i < refutation.steps.size(); ++i) {
    const RefutationStep& step = refutation.steps[i];
    if (!step.choice) {
      steps.push_back({.kind = Kind::Follow, .edges = {step.edge}});
      continue;
    }
    append(step.choice->clause, steps);
    const auto append_refuted = [&] {
      if (step.choice->refutation) {
        append(*step.choice->refutation, 0, steps);
      } else {
        steps.push_back({.kind = Kind::Impossible});
      }
    };
    if (step.choice->refuted == 1) {
      append(refutation, i + 1, steps);
      append_refuted();
      return;
    }
    append_refuted();
  }
  if (refutation.dead_end) {
    append(*refutation.dead_end, steps);
    steps.insert(steps.end(), 2, {.kind = Kind::Impossible});
  } else {
    steps.push_back({.kind = Kind::Cycle, .edges = refutation.cycle});
  }
}

}  // namespace

bool Footing::release(std::size_t thread, std::uint32_t position) {
  const auto first = known.lower_bound({thread, position});
  const auto last = known.upper_bound({thread, kNone});
  if (first == last) return false;
  known.erase(first, last);
  return true;
}

void Footing::add(const Footing& other) {
  known.insert(other.known.begin(), other.known.end());
  assumed.insert(other.assumed.begin(), other.assumed.end());
}

void reduce(Refutation& refutation, const TraceIndex& index, Pair pair) {
  Reduction(index, pair).run(refutation);
}

Certificate certificate_of(const Refutation& refutation, Pair pair) {
  Certificate certificate{pair, {}};
  append(refutation, 0, certificate.steps);
  return certificate;
}

}  // namespace omen::vindicate
