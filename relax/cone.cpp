#include "relax/cone.hpp"

#include <algorithm>
#include <numeric>

namespace omen::relax {

bool may_see(const Execution& execution, const Policy& policy, std::uint32_t read, std::uint32_t write) {
  const Item& r = execution.items[read];
  const Item& w = execution.items[write];
  if (r.thread == w.thread && w.position > r.position) return false;
  if (policy.reads == ReadRule::Writer || r.opaque) return r.writer == write;
  if (w.expr == values::kNoExpr) return false;
  return policy.reads == ReadRule::Computed || r.recorded == w.stored;
}

std::vector<std::uint32_t> earlier_conflicts(const Execution& execution, ItemPair pair) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t racing : {pair.first, pair.second}) {
    for (std::uint32_t i = 0; i < racing; ++i) {
      if (i != pair.first && i != pair.second && execution.conflict(i, racing)) found.push_back(i);
    }
  }
  return found;
}

Cone::Cone(const Execution& execution, ItemPair pair, const Policy& policy)
    : execution_(execution),
      pair_(pair),
      policy_(policy),
      limit_(execution.threads.size(), 0),
      must_(execution.threads.size(), 0),
      relevant_(execution.items.size(), false),
      cell_matters_(execution.writers.size(), false),
      value_seen_(execution.definitions.size(), false) {
  const Item& a = execution.items[pair.first];
  const Item& b = execution.items[pair.second];
  for (const Item* racing : {&a, &b}) {
    if (racing->never) impossible_ = true;
    if (racing->position > 0) must_execute(execution.threads[racing->thread][racing->position - 1]);
    for (const std::uint32_t need : racing->needs) must_execute(need);
    if (racing->life_cell != kNone && racing->life != kInitial) must_execute(racing->life);
  }
  if (policy.keeps_conflicts) {
    for (const std::uint32_t need : earlier_conflicts(execution, pair)) must_execute(need);
  }
  if (must_[a.thread] > a.position || must_[b.thread] > b.position) impossible_ = true;
  for (const std::uint32_t s : execution.around(pair.first)) {
    for (const std::uint32_t r : execution.around(pair.second)) {
      if (execution.sections[s].excludes(execution.sections[r])) impossible_ = true;
    }
  }
  if (impossible_) return;

  for (std::uint32_t t = 0; t < must_.size(); ++t) include_up_to(t, must_[t]);
  visit_guards(a.guards);
  visit_guards(b.guards);
  for (const Section& section : execution.sections) {
    if (section.start == kInitial && section.end != kNone) include(section.end);
  }
  while (!work_.empty()) {
    const std::uint32_t item = work_.back();
    work_.pop_back();
    visit(item);
  }
}

std::size_t Cone::size() const {
  return std::accumulate(limit_.begin(), limit_.end(), std::size_t{0});
}

/// Needs that hold in every model, and under `Writer` the writers that reads keep. Threads before `item`'s own part are
/// closed when they are reached.
void Cone::must_execute(std::uint32_t item) {
  std::vector<std::uint32_t> open{item};
  while (!open.empty()) {
    const Item& i = execution_.items[open.back()];
    open.pop_back();
    for (std::uint32_t p = must_[i.thread]; p <= i.position; ++p) {
      const Item& before = execution_.items[execution_.threads[i.thread][p]];
      if (before.never) impossible_ = true;
      open.insert(open.end(), before.needs.begin(), before.needs.end());
      const bool keeps_writer = before.reads && (policy_.reads == ReadRule::Writer || before.opaque);
      if (keeps_writer && before.writer != kInitial) open.push_back(before.writer);
    }
    must_[i.thread] = std::max(must_[i.thread], i.position + 1);
  }
}

void Cone::include(std::uint32_t item) {
  include_up_to(execution_.items[item].thread, execution_.items[item].position + 1);
}

void Cone::include_up_to(std::uint32_t thread, std::uint32_t count) {
  if (racing(thread)) {
    // What comes from the racing access on is not executed.
    const std::uint32_t first = execution_.items[pair_.first].thread == thread ? pair_.first : pair_.second;
    count = std::min(count, execution_.items[first].position);
  }
  while (limit_[thread] < count) {
    const std::uint32_t item = execution_.threads[thread][limit_[thread]];
    if (execution_.items[item].never) return;
    ++limit_[thread];
    work_.push_back(item);
  }
}

void Cone::visit(std::uint32_t item) {
  const Item& i = execution_.items[item];
  for (const std::uint32_t need : i.needs) include(need);
  if (policy_.keeps_conflicts) {
    for (const std::uint32_t need : i.ca_needs) include(need);
  }
  if (i.starts != kNone && execution_.sections[i.starts].end != kNone) include(execution_.sections[i.starts].end);
  if (i.life_cell != kNone && i.life != kInitial) include(i.life);
  visit_guards(i.guards);
  if (i.reads && (policy_.reads != ReadRule::Computed || i.opaque)) read_matters(item);
  if (i.writes && policy_.reads == ReadRule::Computed && cell_matters_[i.cell]) write_matters(item);
  if (i.reads && policy_.reads == ReadRule::Computed && may_be_unknown(i.cell)) read_matters(item);
}

/// What a cell holds is not always known: no read may see it then, whatever becomes of the result.
bool Cone::may_be_unknown(std::uint32_t cell) const {
  return execution_.initial_unknown[cell] || std::ranges::any_of(execution_.writers[cell], [&](std::uint32_t write) {
           return execution_.items[write].expr == values::kNoExpr;
         });
}

void Cone::visit_guards(const std::vector<Guard>& guards) {
  if (policy_.reads != ReadRule::Computed) return;
  for (const Guard& guard : guards) reads_matter(guard.expr);
}

void Cone::reads_matter(values::ExprId expr) {
  std::vector<values::ValueId> values;
  execution_.expressions->values_in(expr, values);
  while (!values.empty()) {
    const auto v = static_cast<std::size_t>(values.back());
    values.pop_back();
    if (value_seen_[v]) continue;
    value_seen_[v] = true;
    const Definition& definition = execution_.definitions[v];
    if (definition.item != kNone) read_matters(definition.item);
    if (definition.expr != values::kNoExpr) execution_.expressions->values_in(definition.expr, values);
  }
}

void Cone::read_matters(std::uint32_t item) {
  if (relevant_[item]) return;
  relevant_[item] = true;
  const std::uint32_t cell = execution_.items[item].cell;
  if (policy_.reads == ReadRule::Computed && !execution_.items[item].opaque) return cell_matters(cell);
  for (const std::uint32_t write : execution_.writers[cell]) {
    if (may_see(execution_, policy_, item, write)) include(write);
  }
}

void Cone::cell_matters(std::uint32_t cell) {
  if (cell_matters_[cell]) return;
  cell_matters_[cell] = true;
  for (const std::uint32_t write : execution_.writers[cell]) {
    if (contains(write)) {
      write_matters(write);
    } else {
      include(write);
    }
  }
}

void Cone::write_matters(std::uint32_t item) {
  if (execution_.items[item].expr != values::kNoExpr) reads_matter(execution_.items[item].expr);
}

}  // namespace omen::relax
