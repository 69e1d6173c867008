#include "test/judges/relation_oracle.hpp"

namespace omen::judges {
namespace {

BitMatrix all_conflicts(const Trace& trace) {
  const auto life = lives(trace);
  BitMatrix conflicts(trace.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (std::size_t j = i + 1; j < trace.size(); ++j) {
      if (conflict(trace, life, i, j)) conflicts.set(i, j);
    }
  }
  return conflicts;
}

/// The pairs of rule (a): conflicting accesses, and atomic accesses of one atomic.
BitMatrix with_atomics(const Trace& trace, const BitMatrix& conflicts) {
  BitMatrix all = conflicts;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (std::size_t j = i + 1; j < trace.size(); ++j) {
      if (atomic_conflict(trace, i, j)) all.set(i, j);
    }
  }
  return all;
}

/// Two sections on one lock of which at least one is exclusive, `first` before `second`: they do not overlap, so the
/// first has an end. They are rivals if they belong to different threads.
struct SectionPair {
  Section first;
  Section second;
  std::size_t r1;

  bool rivals() const { return first.thread != second.thread; }
};

std::vector<SectionPair> section_pairs(const std::vector<Section>& sections) {
  std::vector<SectionPair> pairs;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (std::size_t j = i + 1; j < sections.size(); ++j) {
      const Section& first = sections[i];
      const Section& second = sections[j];
      if (first.lock != second.lock || (first.shared && second.shared)) continue;
      OMEN_CHECK(first.end.has_value() && *first.end < second.start);
      pairs.push_back({first, second, *first.end});
    }
  }
  return pairs;
}

std::size_t end_of(const Section& section, const Trace& trace) {
  return section.end ? *section.end + 1 : trace.size();
}

/// Program order and the hard edges. Also, if these order the start of a section before an event of a later rival one:
/// the end of the first before that event. Transitive.
BitMatrix thread_order(const Trace& trace, const std::vector<SectionPair>& pairs, Definitions definitions) {
  BitMatrix to(trace.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (std::size_t j = i + 1; j < trace.size(); ++j) {
      if (trace.events[i].thread == trace.events[j].thread) to.set(i, j);
    }
  }
  for (const auto& edges : {fork_and_join_edges(trace), barrier_edges(trace), atomic_edges(trace)}) {
    for (const auto& [source, target] : edges) to.set(source, target);
  }
  to.close();
  if (definitions == Definitions::OfThePapers) return to;
  const BitMatrix edges_alone = to;
  for (const SectionPair& p : pairs) {
    for (std::size_t e2 = p.second.start; p.rivals() && e2 < end_of(p.second, trace); ++e2) {
      if (trace.events[e2].thread == p.second.thread && edges_alone.test(p.first.start, e2)) to.set(p.r1, e2);
    }
  }
  to.close();
  return to;
}

/// HB: TO, and the end of a section before the start of its later rivals.
BitMatrix happens_before(const BitMatrix& to, const std::vector<SectionPair>& pairs) {
  BitMatrix hb = to;
  for (const SectionPair& p : pairs) {
    if (p.rivals()) hb.set(p.r1, p.second.start);
  }
  hb.close();
  return hb;
}

/// Rule (a): the end of a section before each event of a later rival section that conflicts with an event of the first.
BitMatrix rule_a(const Trace& trace, const BitMatrix& conflicts, const std::vector<SectionPair>& pairs) {
  const auto in = [&](const Section& s, std::size_t e) {
    return trace.events[e].thread == s.thread && s.start <= e && (!s.end || e <= *s.end);
  };
  BitMatrix edges(trace.size());
  for (const SectionPair& p : pairs) {
    if (!p.rivals()) continue;
    for (std::size_t e1 = p.first.start; e1 <= p.r1; ++e1) {
      if (!in(p.first, e1)) continue;
      conflicts.for_each(e1, [&](std::size_t e2) {
        if (in(p.second, e2)) edges.set(p.r1, e2);
      });
    }
  }
  return edges;
}

/// WDC: TO and rule (a), transitive.
BitMatrix weak_doesnt_commute(const BitMatrix& to, const BitMatrix& rule_a) {
  BitMatrix wdc = to;
  wdc.add(rule_a);
  wdc.close();
  return wdc;
}

/// DC: TO, rule (a), and rule (b): r1 before r2 when a1 is before r2. The least such relation, starting from WDC.
BitMatrix doesnt_commute(const BitMatrix& wdc, const std::vector<SectionPair>& pairs) {
  BitMatrix dc = wdc;
  for (bool grows = true; grows;) {
    grows = false;
    for (const SectionPair& p : pairs) {
      if (!p.rivals() || !p.second.end) continue;
      if (dc.test(p.first.start, *p.second.end) && !dc.test(p.r1, *p.second.end)) {
        dc.set(p.r1, *p.second.end);
        grows = true;
      }
    }
    dc.close();
  }
  return dc;
}

/// hb ∘ relation ∘ hb, where hb is taken as reflexive.
BitMatrix compose_with_hb(BitMatrix relation, const BitMatrix& hb) {
  for (std::size_t i = 0; i < relation.size(); ++i) {
    relation.for_each(i, [&](std::size_t j) { relation.add_row(i, hb, j); });
  }
  for (std::size_t i = 0; i < relation.size(); ++i) {
    hb.for_each(i, [&](std::size_t j) { relation.add_row(i, relation, j); });
  }
  return relation;
}

/// WCP: rule (a), rule (b) with WCP alone (no TO) as its condition, also between sections of one thread; closed under
/// composition with HB.
BitMatrix weak_causally_precedes(const BitMatrix& rule_a, const BitMatrix& hb, const std::vector<SectionPair>& pairs) {
  BitMatrix wcp = compose_with_hb(rule_a, hb);
  for (bool grows = true; grows;) {
    grows = false;
    for (const SectionPair& p : pairs) {
      if (!p.second.end) continue;
      if (wcp.test(p.first.start, *p.second.end) && !wcp.test(p.r1, *p.second.end)) {
        wcp.set(p.r1, *p.second.end);
        grows = true;
      }
    }
    if (grows) wcp = compose_with_hb(wcp, hb);
  }
  return wcp;
}

}  // namespace

RelationOracle::RelationOracle(const Trace& trace, Definitions definitions)
    : conflicts_(all_conflicts(trace)), to_(0), hb_(0), wcp_(0), dc_(0), wdc_(0) {
  const auto pairs = section_pairs(sections(trace));
  to_ = thread_order(trace, pairs, definitions);
  const bool papers = definitions == Definitions::OfThePapers;
  const BitMatrix a = rule_a(trace, papers ? conflicts_ : with_atomics(trace, conflicts_), pairs);
  hb_ = happens_before(to_, pairs);
  wcp_ = weak_causally_precedes(a, hb_, pairs);
  wcp_.add(to_);
  wdc_ = weak_doesnt_commute(to_, a);
  dc_ = doesnt_commute(wdc_, pairs);
}

const BitMatrix& RelationOracle::of(Relation relation) const {
  switch (relation) {
    case Relation::To:
      return to_;
    case Relation::Hb:
      return hb_;
    case Relation::Wcp:
      return wcp_;
    case Relation::Dc:
      return dc_;
    case Relation::Wdc:
      return wdc_;
  }
  return to_;
}

Verdicts RelationOracle::races(Relation relation) const {
  Verdicts verdicts;
  for (std::size_t j = 0; j < conflicts_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!conflicts_.test(i, j) || ordered(relation, i, j)) continue;
      if (verdicts.racy_events.empty() || verdicts.racy_events.back() != j) verdicts.racy_events.push_back(j);
      verdicts.pairs.emplace_back(i, j);
    }
  }
  if (!verdicts.racy_events.empty()) verdicts.first = verdicts.racy_events.front();
  return verdicts;
}

}  // namespace omen::judges
