#include "vindicate/smt.hpp"

// Z3's header has warnings that are not ours to fix.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <z3++.h>
#pragma GCC diagnostic pop

#include <algorithm>

namespace omen::vindicate {
namespace {

class Encoding {
 public:
  explicit Encoding(const Region& region)
      : region_(region), solver_(context_, "QF_IDL"), when_(context_), executed_(context_) {
    for (const Region::Item& item : region.items()) {
      const std::string name = std::to_string(item.event);
      when_.push_back(context_.int_const(("o" + name).c_str()));
      executed_.push_back(region.completes(item.thread) ? context_.bool_val(true)
                                                        : context_.bool_const(("x" + name).c_str()));
    }
    program_order();
    for (std::uint32_t i = 0; i < region.items().size(); ++i) {
      for (const std::uint32_t f : region.items()[i].needs) after(i, f);
      if (const auto& condition = region.items()[i].condition) {
        sees(i, *condition, context_.bool_val(true));
        rely_on(condition->value, executed(i));
      }
      if (const auto& wish = region.items()[i].wish) {
        const z3::expr relied_on = executed(i) && wished(i);
        if (wish->value != Region::kInitial) {
          solver_.add(z3::implies(relied_on, executed(wish->value) && before(wish->value, i)));
        }
        sees(i, *wish, wished(i));
        rely_on(wish->value, relied_on);
      }
    }
    for (const std::uint32_t i : region.needs_at_end()) solver_.add(executed(i));
    for (const auto& condition : region.at_end()) holds_at_end(condition);
    exclusion();
  }

  std::string smt_lib() { return solver_.to_smt2(); }

  ExactAnswer run(std::uint32_t rlimit) {
    z3::params parameters(context_);
    parameters.set("rlimit", rlimit);
    parameters.set("random_seed", 0U);
    solver_.set(parameters);
    ExactAnswer result;
    switch (solver_.check()) {
      case z3::sat:
        result.answer = Answer::Yes;
        result.items = order(solver_.get_model());
        break;
      case z3::unsat:
        result.answer = Answer::No;
        break;
      case z3::unknown:
        result.answer = Answer::OutOfBudget;
        break;
    }
    const z3::stats statistics = solver_.statistics();
    for (unsigned i = 0; i < statistics.size(); ++i) {
      if (statistics.key(i) == "rlimit count") result.cost = statistics.uint_value(i);
    }
    return result;
  }

 private:
  z3::expr when(std::uint32_t i) { return when_[static_cast<int>(i)]; }
  z3::expr executed(std::uint32_t i) {
    return i == Region::kInitial ? context_.bool_val(true) : executed_[static_cast<int>(i)];
  }
  z3::expr before(std::uint32_t i, std::uint32_t j) { return when(i) < when(j); }

  /// `f` is executed before `i`.
  void after(std::uint32_t i, std::uint32_t f) { solver_.add(z3::implies(executed(i), executed(f) && before(f, i))); }

  void program_order() {
    for (const auto& thread : region_.threads()) {
      for (std::size_t n = 1; n < thread.size(); ++n) {
        solver_.add(before(thread[n - 1], thread[n]));
        solver_.add(z3::implies(executed(thread[n]), executed(thread[n - 1])));
      }
    }
  }

  /// The wish of an item must hold.
  z3::expr wished(std::uint32_t i) {
    return context_.bool_const(("k" + std::to_string(region_.items()[i].event)).c_str());
  }
  /// If `by`, the item's write has its recorded value.
  void rely_on(std::uint32_t value, const z3::expr& by) {
    if (value == Region::kInitial || region_.items()[value].source == kNone) return;
    solver_.add(z3::implies(by, wished(region_.items()[value].source)));
  }

  /// If `also`, no other write of the cell comes between the required one and `i`. That the required one comes before
  /// is a need.
  void sees(std::uint32_t i, const Region::Condition& condition, const z3::expr& also) {
    for (const std::uint32_t other : region_.writers(condition.cell)) {
      if (other == i || other == condition.value) continue;
      z3::expr apart = before(i, other);
      if (condition.value != Region::kInitial) apart = apart || before(other, condition.value);
      solver_.add(z3::implies(also && executed(i) && executed(other), apart));
    }
  }

  void holds_at_end(const Region::Condition& condition) {
    if (condition.value != Region::kInitial) solver_.add(executed(condition.value));
    for (const std::uint32_t other : region_.writers(condition.cell)) {
      if (other == condition.value) continue;
      solver_.add(condition.value == Region::kInitial ? !executed(other)
                                                      : z3::implies(executed(other), before(other, condition.value)));
    }
  }

  /// Of two rival sections that both start, one ends before the other starts.
  void exclusion() {
    const auto& all = region_.sections();
    const auto ends_first = [&](const Region::LockSection& one, const Region::LockSection& two) {
      if (one.end == kNone || two.start == Region::kInitial) return context_.bool_val(false);
      return executed(one.end) && before(one.end, two.start);
    };
    for (std::uint32_t s = 0; s < all.size(); ++s) {
      for (const std::uint32_t r : all[s].rivals) {
        if (r < s) continue;
        solver_.add(z3::implies(executed(all[s].start) && executed(all[r].start),
                                ends_first(all[s], all[r]) || ends_first(all[r], all[s])));
      }
    }
  }

  std::vector<std::uint32_t> order(const z3::model& model) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> timed;
    for (std::uint32_t i = 0; i < region_.items().size(); ++i) {
      if (model.eval(executed(i), true).is_true()) timed.emplace_back(model.eval(when(i), true).get_numeral_int64(), i);
    }
    std::ranges::sort(timed);
    std::vector<std::uint32_t> items;
    for (const auto& [time, i] : timed) items.push_back(i);
    return items;
  }

  const Region& region_;
  z3::context context_;
  z3::solver solver_;
  z3::expr_vector when_;
  z3::expr_vector executed_;
};

}  // namespace

ExactAnswer solve(const Region& region, std::uint32_t rlimit, std::string* smt_lib) {
  if (region.impossible()) return {Answer::No, {}, 0};
  Encoding encoding(region);
  if (smt_lib != nullptr) *smt_lib = encoding.smt_lib();
  return encoding.run(rlimit);
}

}  // namespace omen::vindicate
