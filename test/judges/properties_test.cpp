/// \file
/// Properties of the judges on random traces: inclusions between the relations' races, and between races and
/// predictable pairs. A failure prints shape, seed and trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "test/judges/relation_oracle.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"

namespace omen::judges {
namespace {

bool is_last_of_thread(const Trace& trace, std::size_t i) {
  return std::none_of(trace.events.begin() + static_cast<std::ptrdiff_t>(i) + 1, trace.events.end(),
                      [&](const Event& e) { return e.thread == trace.events[i].thread; });
}

bool is_in_section(const Trace& trace, const std::vector<Section>& all, std::size_t i) {
  return std::ranges::any_of(all, [&](const Section& s) {
    return s.thread == trace.events[i].thread && s.start <= i && (!s.end || i < *s.end);
  });
}

/// True if an event within a section has a hard edge to another thread.
bool has_hard_edge_out_of_section(const Trace& trace) {
  const auto all = sections(trace);
  for (const auto& edges : {fork_and_join_edges(trace), barrier_edges(trace), atomic_edges(trace)}) {
    for (const auto& [source, target] : edges) {
      const bool joins = trace.events[target].op == Op::Join && trace.events[source].op != Op::Fork;
      if (joins && !is_last_of_thread(trace, source)) continue;
      if (trace.events[source].thread != trace.events[target].thread && is_in_section(trace, all, source)) return true;
    }
  }
  return false;
}

/// True if each thread releases its locks in the reverse order of acquisition.
bool releases_in_reverse_order(const Trace& trace) {
  const auto all = sections(trace);
  return std::ranges::none_of(all, [&](const Section& outer) {
    return std::ranges::any_of(all, [&](const Section& inner) {
      return inner.thread == outer.thread && outer.start < inner.start && outer.end && inner.start < *outer.end &&
             (!inner.end || *outer.end < *inner.end);
    });
  });
}

/// True if an atomic read sees a write that nothing orders before it, because one of the two is relaxed.
bool reads_from_unordered_write(const Trace& trace, const RelationOracle& oracle, Relation relation) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Op op = trace.events[i].op;
    if (op != Op::AtomicLoad && op != Op::AtomicRmw) continue;
    const auto write = last_atomic_write_before(trace, i);
    if (write && !oracle.ordered(relation, *write, i)) return true;
  }
  return false;
}

/// True if a variable is used in a life whose allocation is not ordered before the use.
bool uses_unordered_allocation(const Trace& trace, const RelationOracle& oracle) {
  const auto life = lives(trace);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.events[i].op != Op::Allocate) continue;
    for (std::size_t j = i + 1; j < trace.size(); ++j) {
      const Event& e = trace.events[j];
      const bool same = is_access(e.op) && e.operand == trace.events[i].operand && life[i] == life[j];
      if (same && !oracle.ordered(Relation::Hb, i, j)) return true;
    }
  }
  return false;
}

bool includes(const std::vector<Pair>& larger, const std::vector<Pair>& smaller) {
  return std::ranges::all_of(smaller, [&](const Pair& p) { return std::ranges::find(larger, p) != larger.end(); });
}

class Properties : public testing::TestWithParam<Shape> {
 protected:
  /// Calls f(trace) for each random trace; stops at the first failure and prints how to reproduce that trace.
  template <class F>
  void for_each_trace(std::size_t standard, F f) {
    const std::size_t traces = trace_count(standard);
    for (std::uint64_t seed = 0; seed < traces; ++seed) {
      const Trace trace = generate(GetParam(), seed);
      f(trace);
      if (HasFailure()) {
        ADD_FAILURE() << name(GetParam()) << " seed " << seed << '\n' << to_std(trace);
        return;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Properties, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(name(shape.param)); });

TEST_P(Properties, RelationsIncludeEachOther) {
  for_each_trace(20'000, [](const Trace& trace) {
    const RelationOracle oracle(trace);
    const auto hb = oracle.races(Relation::Hb).pairs;
    const auto wcp = oracle.races(Relation::Wcp).pairs;
    const auto dc = oracle.races(Relation::Dc).pairs;
    const auto wdc = oracle.races(Relation::Wdc).pairs;
    EXPECT_TRUE(includes(wcp, hb)) << "an HB race that is no WCP race";
    EXPECT_TRUE(includes(wdc, dc)) << "a DC race that is no WDC race";
    EXPECT_TRUE(includes(dc, wcp) || has_hard_edge_out_of_section(trace)) << "a WCP race that is no DC race";
  });
}

constexpr Relation kRelations[] = {Relation::To, Relation::Hb, Relation::Wcp, Relation::Dc, Relation::Wdc};

/// The relations are transitive, agree with the order of the trace, contain thread order and are contained in HB.
TEST_P(Properties, RelationsAreOrders) {
  for_each_trace(500, [](const Trace& trace) {
    const RelationOracle oracle(trace);
    bool good = true;
    for (const Relation relation : kRelations) {
      const auto before = [&](std::size_t i, std::size_t j) { return oracle.ordered(relation, i, j); };
      for (std::size_t i = 0; i < trace.size(); ++i) {
        for (std::size_t j = 0; j < trace.size(); ++j) {
          good &= before(i, j) || !oracle.ordered(Relation::To, i, j);
          good &= !before(i, j) || (i < j && oracle.ordered(Relation::Hb, i, j));
          for (std::size_t k = 0; k < trace.size(); ++k) good &= !before(i, j) || !before(j, k) || before(i, k);
        }
      }
    }
    EXPECT_TRUE(good);
  });
}

/// True if there is an event of this kind within a section.
bool has_in_section(const Trace& trace, Op op) {
  const auto all = sections(trace);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace.events[i].op == op && is_in_section(trace, all, i)) return true;
  }
  return false;
}

TEST_P(Properties, PredictablePairs) {
  std::size_t hb_races = 0;
  std::size_t hb_forks = 0;  // of these, in traces with forks in sections
  std::size_t wcp_races = 0;
  std::size_t wcp_joins = 0;  // in traces with joins in sections
  std::size_t wcp_deadlocks = 0;
  for_each_trace(1'500, [&](const Trace& trace) {
    const RelationOracle oracle(trace);
    const ReorderingSearch ca(trace, Notion::Ca);
    const ReorderingSearch lw(trace, Notion::Lw);
    EXPECT_TRUE(includes(lw.pairs(), ca.pairs())) << "a CA pair that is no LW pair";
    EXPECT_TRUE(includes(oracle.races(Relation::Dc).pairs, ca.pairs())) << "a CA pair that is no DC race";
    // HB's first race is predictable, unless the pair needs order that HB does not contain.
    if (reads_from_unordered_write(trace, oracle, Relation::Hb) || uses_unordered_allocation(trace, oracle)) return;
    const Verdicts hb = oracle.races(Relation::Hb);
    for (const Pair& p : hb.pairs) {
      if (p.second != *hb.first) break;
      ++hb_races;
      hb_forks += has_in_section(trace, Op::Fork);
      EXPECT_TRUE(lw.predictable(p)) << "a first HB race that is no LW pair: " << p.first << ',' << p.second;
    }
    if (!releases_in_reverse_order(trace) || has_hard_edge_out_of_section(trace)) return;
    if (reads_from_unordered_write(trace, oracle, Relation::Wcp)) return;
    const Verdicts wcp = oracle.races(Relation::Wcp);
    for (const Pair& p : wcp.pairs) {
      if (p.second != *wcp.first) break;
      ++wcp_races;
      wcp_joins += has_in_section(trace, Op::Join);
      wcp_deadlocks += !lw.predictable(p);
      EXPECT_TRUE(lw.predictable(p) || lw.deadlock())
          << "a first WCP race that is no LW pair, without a deadlock: " << p.first << ',' << p.second;
    }
  });
  std::printf(
      "%s: first HB races: %zu predictable pairs, %zu with forks in sections; first WCP races: %zu pairs, %zu with "
      "joins in sections, %zu not predictable, but a deadlock is\n",
      std::string(name(GetParam())).c_str(), hb_races, hb_forks, wcp_races, wcp_joins, wcp_deadlocks);
  EXPECT_GT(hb_races, 0U);
  EXPECT_GT(wcp_races, hb_races / 4);
  if (GetParam() == Shape::Guarded) {
    EXPECT_GT(hb_forks, 0U);
    EXPECT_GT(wcp_joins, 0U);
  }
}

}  // namespace
}  // namespace omen::judges
