#include "relax/encoding.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "relax/order_terms.hpp"
#include "relax/read_rules.hpp"
#include "relax/z3.hpp"
#include "trace/error.hpp"

namespace omen::relax {

struct SolverContext::State {
  z3::context z3;
};

SolverContext::SolverContext() : state_(std::make_unique<State>()) {}
SolverContext::~SolverContext() = default;
SolverContext::SolverContext(SolverContext&&) noexcept = default;
SolverContext& SolverContext::operator=(SolverContext&&) noexcept = default;
SolverContext::State& SolverContext::state() {
  return *state_;
}

namespace {

class Encoding {
 public:
  Encoding(z3::context& context, const Execution& execution, ItemPair pair, const Policy& policy, const Cone& cone,
           const QuerySettings& settings)
      : pair_(pair),
        policy_(policy),
        settings_(settings),
        terms_(context, execution, cone),
        rules_(terms_, policy, settings.artificial_branches) {
    for (std::uint32_t t = 0; t < execution.threads.size(); ++t) {
      for (std::uint32_t p = 0; p < cone.limit(t); ++p) item(execution.threads[t][p]);
    }
    for (const std::uint32_t racing : {pair.first, pair.second}) {
      rules_.guards(execution.items[racing].guards, context.bool_val(true));
      if (execution.items[racing].life_cell != kNone) life_at_end(execution.items[racing]);
    }
    if (policy.keeps_conflicts) conflicts_at_end();
    exclusion();
  }

  std::string smt_lib() { return terms_.solver.to_smt2(); }

  QueryResult run() {
    z3::params parameters(terms_.context);
    parameters.set("rlimit", settings_.rlimit);
    parameters.set("random_seed", 0U);
    terms_.solver.set(parameters);
    QueryResult result;
    const std::uint64_t before = resources();  // the context counts, over all its queries
    switch (terms_.solver.check()) {
      case z3::sat:
        result.answer = Answer::Race;
        result.items = order(terms_.solver.get_model());
        break;
      case z3::unsat:
        result.answer = Answer::Impossible;
        break;
      case z3::unknown:
        result.answer = Answer::OutOfBudget;
        break;
    }
    result.cost = resources() - before;
    return result;
  }

 private:
  std::uint64_t resources() const {
    const z3::stats statistics = terms_.solver.statistics();
    for (unsigned i = 0; i < statistics.size(); ++i) {
      if (statistics.key(i) == "rlimit count") return statistics.uint_value(i);
    }
    return 0;
  }

  void item(std::uint32_t i) {
    const Item& it = terms_.at(i);
    if (it.position > 0) {
      const std::uint32_t previous = terms_.execution.threads[it.thread][it.position - 1];
      terms_.solver.add(terms_.when(previous) < terms_.when(i));
      if (!terms_.cone.must(i)) terms_.solver.add(z3::implies(terms_.executed(i), terms_.executed(previous)));
    }
    for (const std::uint32_t need : it.needs) terms_.after(i, need);
    if (policy_.keeps_conflicts) {
      for (const std::uint32_t need : it.ca_needs) terms_.after(i, need);
    }
    if (it.life_cell != kNone) terms_.sees(i, it.life_cell, it.life, terms_.executed(i));
    rules_.guards(it.guards, terms_.executed(i));
    if (it.reads) rules_.read(i);
  }

  // The race, and locks.

  /// Both accesses stand in their own life.
  void life_at_end(const Item& racing) {
    if (racing.life != kInitial) terms_.solver.add(terms_.executed(racing.life));
    for (const std::uint32_t other : terms_.execution.writers[racing.life_cell]) {
      if (other == racing.life || !terms_.cone.contains(other)) continue;
      terms_.solver.add(racing.life == kInitial
                            ? !terms_.executed(other)
                            : z3::implies(terms_.executed(other), terms_.before(other, racing.life)));
    }
  }

  /// CA: what conflicts with a racing access and came later is not executed.
  void conflicts_at_end() {
    for (const std::uint32_t racing : {pair_.first, pair_.second}) {
      for (std::uint32_t i = racing + 1; i < terms_.execution.items.size(); ++i) {
        if (terms_.cone.contains(i) && terms_.execution.conflict(i, racing)) terms_.solver.add(!terms_.executed(i));
      }
    }
  }

  /// Of two sections that exclude each other and both start, one ends before the other starts.
  void exclusion() {
    const auto& all = terms_.execution.sections;
    const auto inside = [&](const Section& s) { return s.start == kInitial || terms_.cone.contains(s.start); };
    const auto starts = [&](const Section& s) {
      return s.start == kInitial ? terms_.context.bool_val(true) : terms_.executed(s.start);
    };
    const auto ends_first = [&](const Section& one, const Section& two) {
      const bool can = one.end != kNone && terms_.cone.contains(one.end) && two.start != kInitial;
      return can ? terms_.executed(one.end) && terms_.before(one.end, two.start) : terms_.context.bool_val(false);
    };
    std::map<std::uint32_t, std::vector<std::size_t>> of_lock;
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (inside(all[s])) of_lock[all[s].lock].push_back(s);
    }
    for (const auto& [lock, sections] : of_lock) {
      for (std::size_t i = 0; i < sections.size(); ++i) {
        for (std::size_t j = i + 1; j < sections.size(); ++j) {
          const Section& one = all[sections[i]];
          const Section& two = all[sections[j]];
          if (!one.excludes(two)) continue;
          terms_.solver.add(z3::implies(starts(one) && starts(two), ends_first(one, two) || ends_first(two, one)));
        }
      }
    }
  }

  std::vector<std::uint32_t> order(const z3::model& model) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> timed;
    for (std::uint32_t i = 0; i < terms_.execution.items.size(); ++i) {
      if (!terms_.cone.contains(i) || !model.eval(terms_.executed(i), true).is_true()) continue;
      timed.emplace_back(model.eval(terms_.when(i), true).get_numeral_int64(), i);
    }
    std::ranges::sort(timed);
    std::vector<std::uint32_t> items;
    for (const auto& [time, i] : timed) items.push_back(i);
    return items;
  }

  ItemPair pair_;
  const Policy& policy_;
  const QuerySettings& settings_;
  OrderTerms terms_;
  ReadRules rules_;
};

}  // namespace

QueryResult solve(SolverContext& context, const Execution& execution, const Cone& cone, ItemPair pair,
                  const Policy& policy, const QuerySettings& settings, std::string* smt_lib) {
  OMEN_CHECK(!policy.needs_values || execution.expressions != nullptr);
  Encoding encoding(context.state().z3, execution, pair, policy, cone, settings);
  if (smt_lib != nullptr) *smt_lib = encoding.smt_lib();
  return encoding.run();
}

std::size_t encoding_size(const Execution& execution, const Cone& cone, const Policy& policy) {
  /// Of a cell its writes, of a lock its sections.
  struct Count {
    std::size_t all = 0;
    std::map<std::uint32_t, std::size_t> of_thread;

    void add(std::uint32_t thread) {
      ++all;
      ++of_thread[thread];
    }
  };
  std::vector<Count> writers(execution.writers.size());
  std::map<std::uint32_t, Count> sections;
  std::size_t size = 0;
  const auto visit = [&](auto what) {
    for (std::uint32_t t = 0; t < execution.threads.size(); ++t) {
      for (std::uint32_t p = 0; p < cone.limit(t); ++p) what(execution.threads[t][p]);
    }
  };
  visit([&](std::uint32_t i) {
    const Item& item = execution.items[i];
    size += 2 + item.needs.size() + item.guards.size() + (policy.keeps_conflicts ? item.ca_needs.size() : 0);
    if (item.writes) writers[item.cell].add(item.thread);
    if (item.starts != kNone) sections[execution.sections[item.starts].lock].add(item.thread);
  });
  visit([&](std::uint32_t i) {
    const Item& item = execution.items[i];
    if (!item.reads || !cone.relevant(i)) return;
    const Count& count = writers[item.cell];
    const auto own = count.of_thread.find(item.thread);
    // Of the writes of its own thread only the last can be seen.
    const bool chooses = policy.reads != ReadRule::Writer && !item.opaque;
    size += 3 * (count.all - (chooses && own != count.of_thread.end() ? own->second - 1 : 0));
  });
  for (const auto& [lock, count] : sections) {
    std::size_t pairs = count.all * count.all;
    for (const auto& [thread, own] : count.of_thread) pairs -= own * own;
    size += pairs / 2;
  }
  return size;
}

}  // namespace omen::relax
