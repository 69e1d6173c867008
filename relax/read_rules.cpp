#include "relax/read_rules.hpp"

namespace omen::relax {

ReadRules::ReadRules(OrderTerms& terms, const Policy& policy, bool artificial_branches)
    : terms_(terms),
      policy_(policy),
      artificial_branches_(artificial_branches),
      concrete_(terms.execution.items.size()) {
  if (execution().expressions != nullptr) {
    bits_.emplace(terms.context, *execution().expressions, [this](values::ValueId value) { return term_of(value); });
  }
}

void ReadRules::read(std::uint32_t i) {
  switch (terms_.at(i).opaque ? ReadRule::Writer : policy_.reads) {
    case ReadRule::Writer:
      terms_.sees(i, terms_.at(i).cell, terms_.at(i).writer, terms_.executed(i));
      break;
    case ReadRule::Recorded:
      chooses(i, terms_.executed(i));
      break;
    case ReadRule::Guarded:
      chooses(i, concrete(i));
      break;
    case ReadRule::Computed:
      if (terms_.cone.relevant(i)) chooses(i, terms_.executed(i));
      break;
  }
}

/// If `condition`, the read sees one of the writes that its rule allows, or the initial value.
///
/// The paper asks, for each choice, that every other write is not between. Here `l`, the time of the last write that
/// the read sees, stands for the choice: linear in the writes, not quadratic.
void ReadRules::chooses(std::uint32_t i, const z3::expr& condition) {
  const std::uint32_t cell = terms_.at(i).cell;
  const z3::expr last = terms_.context.int_const(terms_.named("l", i).c_str());
  z3::expr_vector choices(terms_.context);
  // Of the writes of its own thread, only the last can be seen.
  std::uint32_t own = kNone;
  for (const std::uint32_t write : execution().writers[cell]) {
    if (terms_.at(write).thread == terms_.at(i).thread && terms_.at(write).position < terms_.at(i).position)
      own = write;
  }
  const bool initial_fits = policy_.reads == ReadRule::Computed || execution().initial[cell] == terms_.at(i).recorded;
  const bool initially = own == kNone && initial_fits && !execution().initial_unknown[cell];
  const z3::expr initial = terms_.context.bool_const((terms_.named("f", i) + "_init").c_str());
  if (initially) choices.push_back(initial);
  if (initially && policy_.reads == ReadRule::Computed) has_value(i, kInitial, initial);
  for (const std::uint32_t write : execution().writers[cell]) {
    if (write == i || !terms_.cone.contains(write) || (terms_.at(write).thread == terms_.at(i).thread && write != own))
      continue;
    z3::expr seen_or_older = terms_.when(write) < last;
    if (may_see(execution(), policy_, i, write)) {
      const z3::expr chosen =
          terms_.context.bool_const((terms_.named("f", i) + "_" + std::to_string(terms_.at(write).event)).c_str());
      choices.push_back(chosen);
      terms_.solver.add(
          z3::implies(chosen, terms_.executed(write) && terms_.before(write, i) && last == terms_.when(write)));
      seen_or_older = seen_or_older || chosen;
      has_value(i, write, chosen);
    }
    terms_.solver.add(z3::implies(condition && terms_.executed(write), terms_.before(i, write) || seen_or_older));
    if (initially) terms_.solver.add(z3::implies(initial && terms_.executed(write), terms_.before(i, write)));
  }
  terms_.solver.add(z3::implies(condition, z3::mk_or(choices)));
}

/// What follows for the read's value from seeing this write.
void ReadRules::has_value(std::uint32_t i, std::uint32_t writer, const z3::expr& chosen) {
  if (policy_.reads == ReadRule::Computed) {
    terms_.solver.add(z3::implies(chosen, value(i) == written(writer, i)));
  } else if (policy_.reads == ReadRule::Guarded) {
    // A value is known to be the recorded one only if all that its thread read before is, and what it read itself.
    const std::uint32_t before_it =
        last_read(terms_.at(writer).thread, terms_.at(writer).position + (terms_.at(writer).reads ? 1 : 0));
    if (before_it != kNone) terms_.solver.add(z3::implies(chosen, all_concrete(before_it)));
  }
}

// `control`: which reads return their recorded values.

z3::expr ReadRules::concrete(std::uint32_t read) {
  return terms_.context.bool_const(terms_.named("c", read).c_str());
}

/// The last read of the thread among its first `count` items.
std::uint32_t ReadRules::last_read(std::uint32_t thread, std::uint32_t count) const {
  while (count > 0 && !terms_.at(execution().threads[thread][count - 1]).reads) --count;
  return count == 0 ? kNone : execution().threads[thread][count - 1];
}

/// This read and all reads of its thread before it return their recorded values.
z3::expr ReadRules::all_concrete(std::uint32_t read) {
  if (concrete_[read]) return *concrete_[read];
  std::vector<std::uint32_t> chain;
  for (std::uint32_t r = read; r != kNone && !concrete_[r]; r = last_read(terms_.at(r).thread, terms_.at(r).position)) {
    concrete_[r] = terms_.context.bool_const(terms_.named("k", r).c_str());
    chain.push_back(r);
  }
  for (const std::uint32_t r : chain) {
    terms_.solver.add(z3::implies(*concrete_[r], concrete(r)));
    const std::uint32_t previous = last_read(terms_.at(r).thread, terms_.at(r).position);
    if (previous != kNone) terms_.solver.add(z3::implies(*concrete_[r], *concrete_[previous]));
  }
  return *concrete_[read];
}

// Guards.

void ReadRules::guards(const std::vector<Guard>& all, const z3::expr& condition) {
  for (const Guard& guard : all) {
    if (policy_.reads == ReadRule::Computed) {
      const values::Width width = execution().expressions->width(guard.expr);
      terms_.solver.add(z3::implies(condition, bits_->encode(guard.expr) == bits_->constant(width, guard.expected)));
    } else if (policy_.reads == ReadRule::Guarded) {
      guard_concretely(guard, condition);
    }
  }
}

void ReadRules::guard_concretely(const Guard& guard, const z3::expr& condition) {
  if (guard.branch || artificial_branches_) {
    const std::uint32_t last = last_read(guard.thread, guard.position);
    if (last != kNone) terms_.solver.add(z3::implies(condition, all_concrete(last)));
    return;
  }
  std::vector<values::ValueId> open;
  execution().expressions->values_in(guard.expr, open);
  while (!open.empty()) {
    const Definition& definition = execution().definitions[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (definition.item != kNone) terms_.solver.add(z3::implies(condition, concrete(definition.item)));
    if (definition.expr != values::kNoExpr) execution().expressions->values_in(definition.expr, open);
  }
}

// `relax`: values.

z3::expr ReadRules::value(std::uint32_t read) {
  return terms_.context.bv_const(terms_.named("v", read).c_str(),
                                 execution().expressions->width(terms_.at(read).value));
}

z3::expr ReadRules::written(std::uint32_t writer, std::uint32_t read) {
  const values::Width width = execution().expressions->width(terms_.at(read).value);
  if (writer == kInitial) return bits_->constant(width, execution().initial[terms_.at(read).cell]);
  return bits_->encode(terms_.at(writer).expr);
}

z3::expr ReadRules::term_of(values::ValueId id) {
  const auto v = static_cast<std::size_t>(id);
  const Definition& definition = execution().definitions[v];
  if (definition.item != kNone) return value(definition.item);
  if (definition.expr != values::kNoExpr) return bits_->encode(definition.expr);
  return bits_->constant(execution().expressions->width(id), execution().constants[v]);
}

}  // namespace omen::relax
