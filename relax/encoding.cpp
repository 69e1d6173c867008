#include "relax/encoding.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "relax/expression_encoder.hpp"
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
      : context_(context),
        execution_(execution),
        pair_(pair),
        policy_(policy),
        cone_(cone),
        settings_(settings),
        solver_(context, z3::solver::simple()),
        when_(execution.items.size()),
        executed_(execution.items.size()),
        concrete_(execution.items.size()) {
    if (execution.expressions != nullptr) {
      terms_.emplace(context, *execution.expressions, [this](values::ValueId value) { return term_of(value); });
    }
    for (const auto& thread : execution.threads) variables(thread);
    for (std::uint32_t t = 0; t < execution.threads.size(); ++t) {
      for (std::uint32_t p = 0; p < cone.limit(t); ++p) item(execution.threads[t][p]);
    }
    for (const std::uint32_t racing : {pair.first, pair.second}) {
      guards(execution.items[racing].guards, context_.bool_val(true));
      if (execution.items[racing].life_cell != kNone) life_at_end(execution.items[racing]);
    }
    if (policy.keeps_conflicts) conflicts_at_end();
    exclusion();
  }

  std::string smt_lib() { return solver_.to_smt2(); }

  QueryResult run() {
    z3::params parameters(context_);
    parameters.set("rlimit", settings_.rlimit);
    parameters.set("random_seed", 0U);
    solver_.set(parameters);
    QueryResult result;
    const std::uint64_t before = resources();  // the context counts, over all its queries
    switch (solver_.check()) {
      case z3::sat:
        result.answer = Answer::Race;
        result.items = order(solver_.get_model());
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
    const z3::stats statistics = solver_.statistics();
    for (unsigned i = 0; i < statistics.size(); ++i) {
      if (statistics.key(i) == "rlimit count") return statistics.uint_value(i);
    }
    return 0;
  }

  // Names, for whoever reads a dumped query: o = when, x = executed, c = returns its recorded value, k = so do all
  // reads of the thread up to it, f = reads from, l = when that was written, v = the value of a read. Numbers are the
  // trace's events.
  std::string named(const char* letter, std::uint32_t i) const {
    return letter + std::to_string(execution_.items[i].event);
  }

  void variables(const std::vector<std::uint32_t>& thread) {
    for (const std::uint32_t i : thread) {
      if (!cone_.contains(i)) return;
      when_[i] = context_.int_const(named("o", i).c_str());
      executed_[i] = cone_.must(i) ? context_.bool_val(true) : context_.bool_const(named("x", i).c_str());
    }
  }

  const Item& at(std::uint32_t i) const { return execution_.items[i]; }
  z3::expr when(std::uint32_t i) const { return *when_[i]; }
  /// False for what is outside the cone.
  z3::expr executed(std::uint32_t i) { return executed_[i] ? *executed_[i] : context_.bool_val(false); }

  /// Program order is known without asking.
  z3::expr before(std::uint32_t i, std::uint32_t j) {
    if (at(i).thread == at(j).thread) return context_.bool_val(at(i).position < at(j).position);
    return when(i) < when(j);
  }

  void item(std::uint32_t i) {
    const Item& it = at(i);
    if (it.position > 0) {
      const std::uint32_t previous = execution_.threads[it.thread][it.position - 1];
      solver_.add(when(previous) < when(i));
      if (!cone_.must(i)) solver_.add(z3::implies(executed(i), executed(previous)));
    }
    for (const std::uint32_t need : it.needs) after(i, need);
    if (policy_.keeps_conflicts) {
      for (const std::uint32_t need : it.ca_needs) after(i, need);
    }
    if (it.life_cell != kNone) sees(i, it.life_cell, it.life, executed(i));
    guards(it.guards, executed(i));
    if (it.reads) read(i);
  }

  /// `need` is executed before `i` is.
  void after(std::uint32_t i, std::uint32_t need) {
    if (!cone_.contains(need)) {
      solver_.add(!executed(i));
    } else {
      solver_.add(z3::implies(executed(i), executed(need) && before(need, i)));
    }
  }

  /// If `condition`, `writer` is the last write of the cell before `i`.
  void sees(std::uint32_t i, std::uint32_t cell, std::uint32_t writer, const z3::expr& condition) {
    if (writer != kInitial) {
      if (!cone_.contains(writer)) {
        solver_.add(!condition);
        return;
      }
      solver_.add(z3::implies(condition, executed(writer) && before(writer, i)));
    }
    for (const std::uint32_t other : execution_.writers[cell]) {
      if (other == i || other == writer || !cone_.contains(other)) continue;
      if (at(other).thread == at(i).thread && at(other).position > at(i).position) continue;
      z3::expr apart = before(i, other);
      if (writer != kInitial) apart = apart || before(other, writer);
      solver_.add(z3::implies(condition && executed(other), apart));
    }
  }

  void read(std::uint32_t i) {
    switch (policy_.reads) {
      case ReadRule::Writer:
        sees(i, at(i).cell, at(i).writer, executed(i));
        break;
      case ReadRule::Recorded:
        chooses(i, executed(i));
        break;
      case ReadRule::Guarded:
        chooses(i, concrete(i));
        break;
      case ReadRule::Computed:
        if (cone_.relevant(i)) chooses(i, executed(i));
        break;
    }
  }

  /// If `condition`, the read sees one of the writes that its rule allows, or the initial value.
  ///
  /// The seed asks, for each choice, that every other write is not between. Here `l`, the time of the last write that
  /// the read sees, stands for the choice: linear in the writes, not quadratic.
  void chooses(std::uint32_t i, const z3::expr& condition) {
    const std::uint32_t cell = at(i).cell;
    const z3::expr last = context_.int_const(named("l", i).c_str());
    z3::expr_vector choices(context_);
    // Of the writes of its own thread, only the last can be seen.
    std::uint32_t own = kNone;
    for (const std::uint32_t write : execution_.writers[cell]) {
      if (at(write).thread == at(i).thread && at(write).position < at(i).position) own = write;
    }
    const bool initial_fits = policy_.reads == ReadRule::Computed || execution_.initial[cell] == at(i).recorded;
    const bool initially = own == kNone && initial_fits;
    const z3::expr initial = context_.bool_const((named("f", i) + "_init").c_str());
    if (initially) choices.push_back(initial);
    if (initially && policy_.reads == ReadRule::Computed) has_value(i, kInitial, initial);
    for (const std::uint32_t write : execution_.writers[cell]) {
      if (write == i || !cone_.contains(write) || (at(write).thread == at(i).thread && write != own)) continue;
      z3::expr seen_or_older = when(write) < last;
      if (may_see(execution_, policy_, i, write)) {
        const z3::expr chosen = context_.bool_const((named("f", i) + "_" + std::to_string(at(write).event)).c_str());
        choices.push_back(chosen);
        solver_.add(z3::implies(chosen, executed(write) && before(write, i) && last == when(write)));
        seen_or_older = seen_or_older || chosen;
        has_value(i, write, chosen);
      }
      solver_.add(z3::implies(condition && executed(write), before(i, write) || seen_or_older));
      if (initially) solver_.add(z3::implies(initial && executed(write), before(i, write)));
    }
    solver_.add(z3::implies(condition, z3::mk_or(choices)));
  }

  /// What follows for the read's value from seeing this write.
  void has_value(std::uint32_t i, std::uint32_t writer, const z3::expr& chosen) {
    if (policy_.reads == ReadRule::Computed) {
      solver_.add(z3::implies(chosen, value(i) == written(writer, i)));
    } else if (policy_.reads == ReadRule::Guarded) {
      // A value is known to be the recorded one only if all that its thread read before is.
      const std::uint32_t before_it = last_read(at(writer).thread, at(writer).position);
      if (before_it != kNone) solver_.add(z3::implies(chosen, all_concrete(before_it)));
    }
  }

  // `control`: which reads return their recorded values.

  z3::expr concrete(std::uint32_t read) { return context_.bool_const(named("c", read).c_str()); }

  /// The last read of the thread among its first `count` items.
  std::uint32_t last_read(std::uint32_t thread, std::uint32_t count) const {
    while (count > 0 && !at(execution_.threads[thread][count - 1]).reads) --count;
    return count == 0 ? kNone : execution_.threads[thread][count - 1];
  }

  /// This read and all reads of its thread before it return their recorded values.
  z3::expr all_concrete(std::uint32_t read) {
    if (concrete_[read]) return *concrete_[read];
    std::vector<std::uint32_t> chain;
    for (std::uint32_t r = read; r != kNone && !concrete_[r]; r = last_read(at(r).thread, at(r).position)) {
      concrete_[r] = context_.bool_const(named("k", r).c_str());
      chain.push_back(r);
    }
    for (const std::uint32_t r : chain) {
      solver_.add(z3::implies(*concrete_[r], concrete(r)));
      const std::uint32_t previous = last_read(at(r).thread, at(r).position);
      if (previous != kNone) solver_.add(z3::implies(*concrete_[r], *concrete_[previous]));
    }
    return *concrete_[read];
  }

  // Guards.

  void guards(const std::vector<Guard>& all, const z3::expr& condition) {
    for (const Guard& guard : all) {
      if (policy_.reads == ReadRule::Computed) {
        const values::Width width = execution_.expressions->width(guard.expr);
        solver_.add(z3::implies(condition, terms_->encode(guard.expr) == terms_->constant(width, guard.expected)));
      } else if (policy_.reads == ReadRule::Guarded) {
        guard_concretely(guard, condition);
      }
    }
  }

  void guard_concretely(const Guard& guard, const z3::expr& condition) {
    if (guard.branch || settings_.artificial_branches) {
      const std::uint32_t last = last_read(guard.thread, guard.position);
      if (last != kNone) solver_.add(z3::implies(condition, all_concrete(last)));
      return;
    }
    std::vector<values::ValueId> open;
    execution_.expressions->values_in(guard.expr, open);
    while (!open.empty()) {
      const Definition& definition = execution_.definitions[static_cast<std::size_t>(open.back())];
      open.pop_back();
      if (definition.item != kNone) solver_.add(z3::implies(condition, concrete(definition.item)));
      if (definition.expr != values::kNoExpr) execution_.expressions->values_in(definition.expr, open);
    }
  }

  // `relax`: values.

  z3::expr value(std::uint32_t read) {
    return context_.bv_const(named("v", read).c_str(), execution_.expressions->width(at(read).value));
  }

  z3::expr written(std::uint32_t writer, std::uint32_t read) {
    const values::Width width = execution_.expressions->width(at(read).value);
    if (writer == kInitial) return terms_->constant(width, execution_.initial[at(read).cell]);
    return terms_->encode(at(writer).expr);
  }

  z3::expr term_of(values::ValueId id) {
    const auto v = static_cast<std::size_t>(id);
    const Definition& definition = execution_.definitions[v];
    if (definition.item != kNone) return value(definition.item);
    if (definition.expr != values::kNoExpr) return terms_->encode(definition.expr);
    return terms_->constant(execution_.expressions->width(id), execution_.constants[v]);
  }

  // The race, and locks.

  /// Both accesses stand in their own life.
  void life_at_end(const Item& racing) {
    if (racing.life != kInitial) solver_.add(executed(racing.life));
    for (const std::uint32_t other : execution_.writers[racing.life_cell]) {
      if (other == racing.life || !cone_.contains(other)) continue;
      solver_.add(racing.life == kInitial ? !executed(other)
                                          : z3::implies(executed(other), before(other, racing.life)));
    }
  }

  /// CA: what conflicts with a racing access and came later is not executed.
  void conflicts_at_end() {
    for (const std::uint32_t racing : {pair_.first, pair_.second}) {
      for (std::uint32_t i = racing + 1; i < execution_.items.size(); ++i) {
        if (cone_.contains(i) && execution_.conflict(i, racing)) solver_.add(!executed(i));
      }
    }
  }

  /// Of two sections that exclude each other and both start, one ends before the other starts.
  void exclusion() {
    const auto& all = execution_.sections;
    const auto inside = [&](const Section& s) { return s.start == kInitial || cone_.contains(s.start); };
    const auto starts = [&](const Section& s) {
      return s.start == kInitial ? context_.bool_val(true) : executed(s.start);
    };
    const auto ends_first = [&](const Section& one, const Section& two) {
      const bool can = one.end != kNone && cone_.contains(one.end) && two.start != kInitial;
      return can ? executed(one.end) && before(one.end, two.start) : context_.bool_val(false);
    };
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (!inside(all[s])) continue;
      for (std::size_t r = s + 1; r < all.size(); ++r) {
        if (!inside(all[r]) || !all[s].excludes(all[r])) continue;
        solver_.add(
            z3::implies(starts(all[s]) && starts(all[r]), ends_first(all[s], all[r]) || ends_first(all[r], all[s])));
      }
    }
  }

  std::vector<std::uint32_t> order(const z3::model& model) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> timed;
    for (std::uint32_t i = 0; i < execution_.items.size(); ++i) {
      if (!cone_.contains(i) || !model.eval(executed(i), true).is_true()) continue;
      timed.emplace_back(model.eval(when(i), true).get_numeral_int64(), i);
    }
    std::ranges::sort(timed);
    std::vector<std::uint32_t> items;
    for (const auto& [time, i] : timed) items.push_back(i);
    return items;
  }

  z3::context& context_;
  const Execution& execution_;
  ItemPair pair_;
  const Policy& policy_;
  const Cone& cone_;
  const QuerySettings& settings_;
  z3::solver solver_;
  std::vector<std::optional<z3::expr>> when_;      ///< of the cone's items
  std::vector<std::optional<z3::expr>> executed_;  ///< of the cone's items
  std::vector<std::optional<z3::expr>> concrete_;  ///< of reads: `all_concrete`
  std::optional<ExpressionEncoder> terms_;         ///< for traces with values
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
  std::vector<std::size_t> writers(execution.writers.size(), 0);
  std::unordered_map<std::uint32_t, std::size_t> sections;  // of each lock
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < execution.items.size(); ++i) {
    const Item& item = execution.items[i];
    if (!cone.contains(i)) continue;
    size += 2 + item.needs.size() + item.guards.size() + (policy.keeps_conflicts ? item.ca_needs.size() : 0);
    if (item.writes) ++writers[item.cell];
    if (item.starts != kNone) ++sections[execution.sections[item.starts].lock];
  }
  for (std::uint32_t i = 0; i < execution.items.size(); ++i) {
    if (cone.contains(i) && execution.items[i].reads && cone.relevant(i)) size += 3 * writers[execution.items[i].cell];
  }
  for (const auto& [lock, count] : sections) size += count * count / 2;
  return size;
}

}  // namespace omen::relax
