#include "relax/recorded_order.hpp"

#include <algorithm>
#include <map>

namespace omen::relax {
namespace {

/// Executes items one after the other. False from a step: the model does not admit it.
class ConcreteRun {
 public:
  ConcreteRun(const Execution& execution, const Policy& policy, bool artificial_branches)
      : execution_(execution),
        policy_(policy),
        artificial_branches_(artificial_branches),
        done_(execution.threads.size(), 0),
        vague_(execution.threads.size(), kNone),
        writer_(execution.writers.size(), kInitial),
        allocation_(execution.writers.size(), kInitial) {
    if (policy.reads == ReadRule::Computed) {
      values_ = execution.constants;
      known_.resize(execution.definitions.size(), false);
      content_ = execution.initial;
      unknown_ = execution.initial_unknown;
    }
    if (policy.reads == ReadRule::Guarded) concrete_.resize(execution.items.size(), false);
    for (std::uint32_t s = 0; s < execution.sections.size(); ++s) {
      const Section& section = execution.sections[s];
      if (section.start == kInitial) open_[section.lock].push_back(s);
      if (section.end != kNone) ends_[section.end].push_back(s);
    }
  }

  bool step(std::uint32_t i) {
    const Item& item = execution_.items[i];
    if (item.never || done_[item.thread] != item.position) return false;
    if (!all_executed(item.needs) || (policy_.keeps_conflicts && !all_executed(item.ca_needs))) return false;
    if (!in_its_life(item) || !enters(item) || !pass(item.guards)) return false;
    if (item.reads && !read(i)) return false;
    if (item.writes) write(i);
    if (const auto ended = ends_.find(i); ended != ends_.end()) {
      for (const std::uint32_t s : ended->second) std::erase(open_[execution_.sections[s].lock], s);
    }
    ++done_[item.thread];
    return true;
  }

  /// Both threads stand at their accesses.
  bool race(ItemPair pair) {
    for (const std::uint32_t i : {pair.first, pair.second}) {
      const Item& item = execution_.items[i];
      if (done_[item.thread] != item.position || !in_its_life(item) || !pass(item.guards)) return false;
      if (!policy_.keeps_conflicts) continue;
      // What came later and conflicts has not been executed.
      for (std::uint32_t later = i + 1; later < execution_.items.size(); ++later) {
        if (is_executed(later) && execution_.conflict(later, i)) return false;
      }
    }
    return true;
  }

 private:
  bool is_executed(std::uint32_t i) const { return execution_.items[i].position < done_[execution_.items[i].thread]; }
  bool all_executed(const std::vector<std::uint32_t>& items) const {
    return std::ranges::all_of(items, [&](std::uint32_t i) { return is_executed(i); });
  }
  bool in_its_life(const Item& item) const { return item.life_cell == kNone || allocation_[item.cell] == item.life; }

  /// A section starts only where none is open that it excludes.
  bool enters(const Item& item) {
    if (item.starts == kNone) return true;
    auto& open = open_[execution_.sections[item.starts].lock];
    const bool free = std::ranges::none_of(
        open, [&](std::uint32_t s) { return execution_.sections[s].excludes(execution_.sections[item.starts]); });
    open.push_back(item.starts);
    return free;
  }

  bool read(std::uint32_t i) {
    const Item& item = execution_.items[i];
    const std::uint32_t writer = writer_[item.cell];
    switch (item.opaque ? ReadRule::Writer : policy_.reads) {
      case ReadRule::Writer:
        return writer == item.writer;
      case ReadRule::Recorded:
        return returns_recorded(item);
      case ReadRule::Guarded:
        concrete_[i] = returns_recorded(item) && (writer == kInitial || concrete_writer_[item.cell]);
        if (!concrete_[i]) vague_[item.thread] = std::min(vague_[item.thread], item.position);
        return true;
      case ReadRule::Computed:
        if (unknown_[item.cell]) return false;
        values_[static_cast<std::size_t>(item.value)] = content_[item.cell];
        known_[static_cast<std::size_t>(item.value)] = true;
        return true;
    }
    return false;
  }

  /// If each write so far has its recorded value.
  bool returns_recorded(const Item& item) const {
    const std::uint32_t writer = writer_[item.cell];
    if (writer == kInitial) {
      return !execution_.initial_unknown[item.cell] && execution_.initial[item.cell] == item.recorded;
    }
    const Item& from = execution_.items[writer];
    return from.expr != values::kNoExpr && from.stored == item.recorded;
  }

  void write(std::uint32_t i) {
    const Item& item = execution_.items[i];
    writer_[item.cell] = i;
    if (item.op == Op::Allocate) allocation_[item.cell] = i;
    if (policy_.reads == ReadRule::Guarded) concrete_writer_[item.cell] = vague_[item.thread] == kNone;
    if (policy_.reads != ReadRule::Computed) return;
    unknown_[item.cell] = item.expr == values::kNoExpr;
    if (!unknown_[item.cell]) content_[item.cell] = value_of(item.expr);
  }

  bool pass(const std::vector<Guard>& guards) {
    return std::ranges::all_of(guards, [&](const Guard& guard) {
      if (policy_.reads == ReadRule::Computed) return value_of(guard.expr) == guard.expected;
      if (policy_.reads != ReadRule::Guarded) return true;
      if (guard.branch || artificial_branches_) return vague_[guard.thread] >= guard.position;
      return is_concrete(guard.expr);
    });
  }

  /// All reads that it is computed from return their recorded values.
  bool is_concrete(values::ExprId expr) const {
    std::vector<values::ValueId> open;
    execution_.expressions->values_in(expr, open);
    while (!open.empty()) {
      const Definition& definition = execution_.definitions[static_cast<std::size_t>(open.back())];
      open.pop_back();
      if (definition.item != kNone && !concrete_[definition.item]) return false;
      if (definition.expr != values::kNoExpr) execution_.expressions->values_in(definition.expr, open);
    }
    return true;
  }

  /// Assignments are evaluated when their value is first wanted.
  std::uint64_t value_of(values::ExprId expr) {
    std::vector<values::ValueId> open;
    execution_.expressions->values_in(expr, open);
    while (!open.empty()) {
      const auto v = static_cast<std::size_t>(open.back());
      const values::ExprId assigned = execution_.definitions[v].expr;
      if (known_[v] || assigned == values::kNoExpr) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      execution_.expressions->values_in(assigned, open);
      const auto is_known = [&](values::ValueId id) {
        const auto other = static_cast<std::size_t>(id);
        return known_[other] || execution_.definitions[other].expr == values::kNoExpr;
      };
      if (!std::all_of(open.begin() + static_cast<std::ptrdiff_t>(before), open.end(), is_known)) continue;
      open.resize(before - 1);
      values_[v] = execution_.expressions->evaluate(assigned, values_);
      known_[v] = true;
    }
    return execution_.expressions->evaluate(expr, values_);
  }

  const Execution& execution_;
  const Policy& policy_;
  bool artificial_branches_;
  std::vector<std::uint32_t> done_;        ///< of each thread: how many items
  std::vector<std::uint32_t> vague_;       ///< of each thread, under `Guarded`: the first read that is not concrete
  std::vector<std::uint32_t> writer_;      ///< of each cell
  std::vector<std::uint32_t> allocation_;  ///< of each cell: the latest
  std::map<std::uint32_t, std::vector<std::uint32_t>> open_;  ///< of each lock: sections
  std::map<std::uint32_t, std::vector<std::uint32_t>> ends_;  ///< of an item: the sections that end at it
  std::vector<bool> concrete_;                                ///< of reads, under `Guarded`
  std::map<std::uint32_t, bool> concrete_writer_;             ///< of cells: the last write has its recorded value
  std::vector<std::uint64_t> values_;                         ///< by ValueId, under `Computed`
  std::vector<bool> known_;                                   ///< … what has been read or evaluated in this run
  std::vector<std::uint64_t> content_;                        ///< of each cell, under `Computed`
  std::vector<bool> unknown_;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> recorded_order(const Execution& execution, const Cone& cone, ItemPair pair,
                                                         const Policy& policy, bool artificial_branches) {
  std::size_t tried = 0;
  for (const bool all : {false, true}) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < execution.threads.size(); ++t) {
      for (std::uint32_t p = 0; p < cone.limit(t); ++p) {
        const std::uint32_t item = execution.threads[t][p];
        if (!all && !cone.must(item)) break;
        order.push_back(item);
      }
    }
    if (all && order.size() == tried) break;
    tried = order.size();
    std::ranges::sort(order);
    ConcreteRun run(execution, policy, artificial_branches);
    const bool runs = std::ranges::all_of(order, [&](std::uint32_t item) { return run.step(item); });
    if (runs && run.race(pair)) return order;
  }
  return {};
}

}  // namespace omen::relax
