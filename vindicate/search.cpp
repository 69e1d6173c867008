#include "vindicate/search.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>

namespace omen::vindicate {
namespace {

constexpr std::uint32_t kUnwanted = kNone;  ///< in a cell: no item will read its writer

struct State {
  std::vector<std::uint32_t> done;   ///< for each thread, the number of executed items
  std::vector<std::uint32_t> cells;  ///< the last writer
  std::vector<std::uint8_t> kept;    ///< for each thread: its last item was a read of an update, whose wish held
  std::vector<std::uint32_t> path;   ///< items since the parent
  std::size_t parent = 0;
};

class Search {
 public:
  explicit Search(const Region& region) : region_(region), items_(region.items()) {
    initial_readers_.resize(region.cells());
    readers_.resize(items_.size());
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (items_[i].condition) readers_of(*items_[i].condition).push_back(i);
      if (items_[i].wish) readers_of(*items_[i].wish).push_back(i);
    }
    for (const auto& condition : region.at_end()) readers_of(condition).push_back(kAtEnd);
  }

  ExactAnswer run(std::size_t max_states) {
    State start;
    start.done.assign(region_.threads().size(), 0);
    start.cells.assign(region_.cells(), Region::kInitial);
    start.kept.assign(region_.threads().size(), 0);
    add(std::move(start));
    while (!open_.empty()) {
      const std::size_t at = open_.back();
      open_.pop_back();
      if (arrived(states_[at])) return {Answer::Yes, path_to(at), states_.size()};
      if (states_.size() > max_states) return {Answer::OutOfBudget, {}, states_.size()};
      expand(at);
    }
    return {Answer::No, {}, states_.size()};
  }

 private:
  static constexpr std::uint32_t kAtEnd = kNone;  ///< a reader that represents the goals

  /// The items that read an item's write to one cell.
  struct CellReaders {
    std::uint32_t cell;
    std::vector<std::uint32_t> items;
  };

  std::vector<std::uint32_t>& readers_of(const Region::Condition& c) {
    if (c.value == Region::kInitial) return initial_readers_[c.cell];
    auto& all = readers_[c.value];
    const auto found = std::ranges::find(all, c.cell, &CellReaders::cell);
    if (found != all.end()) return found->items;
    return all.emplace_back(CellReaders{c.cell, {}}).items;
  }
  const std::vector<std::uint32_t>* find_readers(std::uint32_t cell, std::uint32_t value) const {
    if (value == kUnwanted) return nullptr;
    if (value == Region::kInitial) return &initial_readers_[cell];
    const auto found = std::ranges::find(readers_[value], cell, &CellReaders::cell);
    return found == readers_[value].end() ? nullptr : &found->items;
  }

  bool executed(const State& s, std::uint32_t i) const { return items_[i].position < s.done[items_[i].thread]; }

  /// True if some reader that has not been executed needs the value; with `mandatory`, a reader that every witness
  /// contains, after this write.
  bool wanted(const State& s, std::uint32_t cell, std::uint32_t value, bool mandatory) const {
    const auto* readers = find_readers(cell, value);
    return readers != nullptr && std::ranges::any_of(*readers, [&](std::uint32_t r) {
             if (r == kAtEnd) return true;
             return !executed(s, r) && (!mandatory || (items_[r].mandatory && !only_wishes(r, cell)));
           });
  }

  bool only_wishes(std::uint32_t i, std::uint32_t cell) const { return items_[i].wish && items_[i].wish->cell == cell; }
  bool has_its_wish(const State& s, std::uint32_t i) const {
    return !items_[i].wish || s.cells[items_[i].wish->cell] == items_[i].wish->value;
  }

  bool enabled(const State& s, std::uint32_t i) const {
    const Region::Item& item = items_[i];
    if (!std::ranges::all_of(item.needs, [&](std::uint32_t f) { return executed(s, f); })) return false;
    if (item.condition && s.cells[item.condition->cell] != item.condition->value) return false;
    return item.starts == kNone || std::ranges::none_of(region_.sections()[item.starts].rivals, [&](std::uint32_t r) {
             const auto& rival = region_.sections()[r];
             const bool started = rival.start == Region::kInitial || executed(s, rival.start);
             return started && (rival.end == kNone || !executed(s, rival.end));
           });
  }

  /// True if executing the item disables nothing, now or later.
  bool harmless(const State& s, std::uint32_t i) const {
    const Region::Item& item = items_[i];
    if (item.starts != kNone && !region_.sections()[item.starts].rivals.empty()) return false;
    if (!has_its_wish(s, i)) return false;  // it may have it later
    return std::ranges::none_of(item.writes, [&](std::uint32_t cell) {
      return wanted_by_others(s, i, cell) || find_readers(cell, i) != nullptr;
    });
  }
  bool wanted_by_others(const State& s, std::uint32_t i, std::uint32_t cell) const {
    const auto* readers = find_readers(cell, s.cells[cell]);
    return readers != nullptr &&
           std::ranges::any_of(*readers, [&](std::uint32_t r) { return r != i && (r == kAtEnd || !executed(s, r)); });
  }

  /// False: the resulting state cannot be completed to a witness.
  bool execute(State& s, std::uint32_t i) const {
    const Region::Item& item = items_[i];
    const bool has_wish = has_its_wish(s, i);
    const bool keeps = item.source == kNone || (item.source == i ? has_wish : s.kept[item.thread] != 0);
    s.kept[item.thread] = item.wish && has_wish ? 1 : 0;
    ++s.done[item.thread];
    s.path.push_back(i);
    for (const std::uint32_t cell : item.writes) {
      if (wanted(s, cell, s.cells[cell], /*mandatory=*/true)) return false;
      s.cells[cell] = keeps ? i : kUnwanted;
    }
    for (const auto& seen : {item.condition, item.wish}) {
      if (seen && !wanted(s, seen->cell, s.cells[seen->cell], false)) s.cells[seen->cell] = kUnwanted;
    }
    for (const std::uint32_t cell : item.writes) {
      if (!wanted(s, cell, s.cells[cell], /*mandatory=*/false)) s.cells[cell] = kUnwanted;
    }
    return true;
  }

  std::optional<std::uint32_t> next(const State& s, std::size_t t) const {
    if (s.done[t] == region_.threads()[t].size()) return std::nullopt;
    return region_.threads()[t][s.done[t]];
  }

  void execute_harmless(State& s) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t t = 0; t < s.done.size(); ++t) {
        for (auto i = next(s, t); i && harmless(s, *i) && enabled(s, *i); i = next(s, t)) {
          execute(s, *i);
          moved = true;
        }
      }
    }
  }

  bool arrived(const State& s) const {
    for (std::size_t t = 0; t < s.done.size(); ++t) {
      if (region_.completes(static_cast<std::uint32_t>(t)) && next(s, t)) return false;
    }
    return std::ranges::all_of(region_.needs_at_end(), [&](std::uint32_t i) { return executed(s, i); }) &&
           std::ranges::all_of(region_.at_end(), [&](const auto& c) { return s.cells[c.cell] == c.value; });
  }

  void add(State state) {
    execute_harmless(state);
    std::string key;
    key.reserve((state.done.size() + state.cells.size()) * sizeof(std::uint32_t) + state.kept.size());
    for (const std::uint8_t kept : state.kept) key += static_cast<char>(kept);
    for (const auto* part : {&state.done, &state.cells}) {
      key.append(reinterpret_cast<const char*>(part->data()), part->size() * sizeof(std::uint32_t));
    }
    if (!known_.insert(std::move(key)).second) return;
    open_.push_back(states_.size());
    states_.push_back(std::move(state));
  }

  /// Tries the earliest item in the trace first.
  void expand(std::size_t at) {
    std::vector<std::uint32_t> choices;
    for (std::size_t t = 0; t < region_.threads().size(); ++t) {
      if (const auto i = next(states_[at], t); i && enabled(states_[at], *i)) choices.push_back(*i);
    }
    std::ranges::sort(choices, std::greater{});
    for (const std::uint32_t i : choices) {
      State state{states_[at].done, states_[at].cells, states_[at].kept, {}, at};
      if (execute(state, i)) add(std::move(state));
    }
  }

  std::vector<std::uint32_t> path_to(std::size_t at) const {
    std::vector<std::uint32_t> backwards;
    while (true) {
      backwards.insert(backwards.end(), states_[at].path.rbegin(), states_[at].path.rend());
      if (at == 0) break;
      at = states_[at].parent;
    }
    std::ranges::reverse(backwards);
    return backwards;
  }

  const Region& region_;
  const std::vector<Region::Item>& items_;
  std::vector<std::vector<std::uint32_t>> initial_readers_;  ///< of each cell
  std::vector<std::vector<CellReaders>> readers_;            ///< of what each item writes
  std::vector<State> states_;
  std::vector<std::size_t> open_;
  std::unordered_set<std::string> known_;
};

}  // namespace

ExactAnswer search(const Region& region, std::size_t max_states) {
  if (region.impossible()) return {Answer::No, {}, 0};
  return Search(region).run(max_states);
}

}  // namespace omen::vindicate
