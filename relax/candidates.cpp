#include "relax/candidates.hpp"

#include <algorithm>

namespace omen::relax {
namespace {

/// What excludes a pair without a solver: hard order, as a clock, and the locks that are held.
class Exclusion {
 public:
  explicit Exclusion(const Execution& execution)
      : execution_(execution), clock_(execution.items.size(), 0), locks_(execution.items.size(), 0) {
    dense_.resize(execution.threads.size(), 0);
    std::uint32_t threads = 0;  // those with items: a trace may have many more
    for (std::size_t t = 0; t < dense_.size(); ++t) {
      if (!execution.threads[t].empty()) dense_[t] = threads++;
    }
    clocks_.emplace_back(threads, 0);
    std::vector<std::uint32_t> now(threads, 0);  // of each thread: its clock
    std::vector<std::vector<std::uint32_t>> open(execution.threads.size());
    for (std::uint32_t s = 0; s < execution.sections.size(); ++s) {
      if (execution.sections[s].start == kInitial) open[execution.sections[s].thread].push_back(s);
    }
    std::map<std::vector<std::pair<std::uint32_t, bool>>, std::uint32_t> known;
    for (std::uint32_t i = 0; i < execution.items.size(); ++i) {
      const Item& item = execution.items[i];
      if (std::ranges::any_of(item.needs, [&](std::uint32_t need) { return need < i; })) {
        auto clock = clocks_[now[dense_[item.thread]]];
        for (const std::uint32_t need : item.needs) {
          if (need < i) join(clock, need);
        }
        now[dense_[item.thread]] = static_cast<std::uint32_t>(clocks_.size());
        clocks_.push_back(std::move(clock));
      }
      clock_[i] = now[dense_[item.thread]];
      if (item.starts != kNone) open[item.thread].push_back(item.starts);
      if (!is_access(item.op)) {
        std::erase_if(open[item.thread], [&](auto s) { return execution.sections[s].end == i; });
        continue;
      }
      std::vector<std::pair<std::uint32_t, bool>> held;
      for (const std::uint32_t s : open[item.thread]) {
        held.emplace_back(execution.sections[s].lock, execution.sections[s].shared);
      }
      std::ranges::sort(held);
      const auto [at, is_new] = known.try_emplace(std::move(held), static_cast<std::uint32_t>(held_.size()));
      if (is_new) held_.push_back(&at->first);
      locks_[i] = at->second;
    }
    known_ = std::move(known);
  }

  /// How many items of the other thread come before `j`.
  std::uint32_t before(std::uint32_t j, std::uint32_t thread) const { return clocks_[clock_[j]][dense_[thread]]; }
  /// A number for the locks that are held at an access.
  std::uint32_t locks(std::uint32_t i) const { return locks_[i]; }
  /// Two threads cannot hold both sets.
  bool exclude(std::uint32_t one, std::uint32_t other) const {
    return std::ranges::any_of(*held_[one], [&](const auto& a) {
      return std::ranges::any_of(*held_[other],
                                 [&](const auto& b) { return a.first == b.first && !(a.second && b.second); });
    });
  }

 private:
  void join(std::vector<std::uint32_t>& clock, std::uint32_t need) const {
    const auto& other = clocks_[clock_[need]];
    for (std::size_t t = 0; t < clock.size(); ++t) clock[t] = std::max(clock[t], other[t]);
    const Item& n = execution_.items[need];
    clock[dense_[n.thread]] = std::max(clock[dense_[n.thread]], n.position + 1);
  }

  using Held = std::vector<std::pair<std::uint32_t, bool>>;  ///< locks, and whether as a reader

  const Execution& execution_;
  std::vector<std::uint32_t> dense_;                ///< of each thread with items: its place in a clock
  std::vector<std::vector<std::uint32_t>> clocks_;  ///< how many items of each other thread come before
  std::vector<std::uint32_t> clock_;                ///< of each item
  std::vector<std::uint32_t> locks_;                ///< of each access
  std::map<Held, std::uint32_t> known_;
  std::vector<const Held*> held_;  ///< by number, in `known_`
};

/// Accesses to one cell that are alike for every later one, but for hard order, which orders the first so many of them.
struct Alike {
  std::uint32_t thread;
  bool writes;
  std::uint32_t locks;
  std::uint64_t place;  ///< the candidate's side
  std::vector<std::uint32_t> items;
};

/// A candidate's side.
std::uint64_t place_of(const Item& item, const CandidateSettings& settings) {
  const bool by_event = settings.every || (settings.has_nowhere && item.location == settings.nowhere);
  const auto location = static_cast<std::uint64_t>(static_cast<std::uint32_t>(item.location));
  return by_event ? (std::uint64_t{1} << 32) + item.event : location;
}

CandidateKey key_of(std::uint64_t one, std::uint64_t other) {
  return {std::min(one, other), std::max(one, other)};
}

}  // namespace

std::map<CandidateKey, CandidatePairs> candidates(const Execution& execution, const CandidateSettings& settings,
                                                  std::size_t most) {
  struct Cell {
    std::uint32_t life = kInitial;
    std::vector<Alike> alike;  ///< in this life
  };
  std::map<CandidateKey, CandidatePairs> found;
  const Exclusion exclusion(execution);
  std::vector<Cell> cells(execution.writers.size());
  std::map<CandidateKey, std::vector<std::uint32_t>> open;  // with the current item
  for (std::uint32_t j = 0; j < execution.items.size(); ++j) {
    const Item& item = execution.items[j];
    if (!is_access(item.op)) continue;
    Cell& cell = cells[item.cell];
    if (cell.life != item.life) cell = {.life = item.life, .alike = {}};
    const std::uint64_t place = place_of(item, settings);
    const std::uint32_t locks = exclusion.locks(j);
    Alike* own = nullptr;
    open.clear();
    for (Alike& alike : cell.alike) {
      if (alike.thread == item.thread) {
        if (alike.writes == item.writes && alike.locks == locks && alike.place == place) own = &alike;
        continue;
      }
      if (!alike.writes && !item.writes) continue;
      const CandidateKey key = key_of(alike.place, place);
      CandidatePairs& group = found[key];
      const ItemPair first{alike.items.front(), j};
      if (group.count == 0 || (group.first.second == j && first.first < group.first.first)) group.first = first;
      group.count += alike.items.size();
      const auto unordered = std::ranges::partition_point(alike.items, [&](std::uint32_t i) {
        return execution.items[i].position < exclusion.before(j, alike.thread);
      });
      if (exclusion.exclude(alike.locks, locks)) {
        group.excluded += alike.items.size();
        continue;
      }
      group.excluded += static_cast<std::uint64_t>(unordered - alike.items.begin());
      if (group.pairs.size() >= most || unordered == alike.items.end()) continue;
      const auto count = std::min<std::size_t>(most, static_cast<std::size_t>(alike.items.end() - unordered));
      auto& items = open[key];
      items.insert(items.end(), unordered, unordered + static_cast<std::ptrdiff_t>(count));
    }
    for (auto& [key, items] : open) {
      CandidatePairs& group = found[key];
      std::ranges::sort(items);
      for (const std::uint32_t i : items) {
        if (group.pairs.size() < most) group.pairs.emplace_back(i, j);
      }
    }
    if (own == nullptr) own = &cell.alike.emplace_back(Alike{item.thread, item.writes, locks, place, {}});
    own->items.push_back(j);
  }
  return found;
}

std::map<CandidateKey, FarCandidate> all_candidates(const Subject& subject, const CandidateSettings& settings) {
  struct Access {
    std::uint32_t event;
    ThreadId thread;
    LocationId location;
    bool write;
  };
  std::map<CandidateKey, FarCandidate> found;
  std::vector<std::vector<Access>> seen;  // of each variable, in its current life: the first of each kind
  const auto visit = [&](std::uint32_t event, Op op, std::uint32_t variable, ThreadId thread, LocationId location) {
    if (variable >= seen.size()) seen.resize(variable + std::size_t{1});
    auto& accesses = seen[variable];
    if (op == Op::Allocate) accesses.clear();
    if (!is_access(op) || (settings.has_nowhere && location == settings.nowhere)) return;
    const Access now{event, thread, location, is_write(op)};
    const auto is_same = [&](const Access& a) {
      return a.thread == now.thread && a.location == now.location && a.write == now.write;
    };
    if (std::ranges::any_of(accesses, is_same)) return;
    for (const Access& before : accesses) {
      if (before.thread == thread || (!before.write && !now.write)) continue;
      const auto low = static_cast<std::uint64_t>(std::min(before.location, location));
      const auto high = static_cast<std::uint64_t>(std::max(before.location, location));
      found.try_emplace({low, high}, FarCandidate{before.event, event, before.location, location, variable});
    }
    accesses.push_back(now);
  };
  for (std::uint32_t i = 0; i < subject.size(); ++i) {
    if (subject.plain != nullptr) {
      const Event& e = subject.plain->events[i];
      if (is_access(e.op) || e.op == Op::Allocate) visit(i, e.op, e.operand, e.thread, e.location);
    } else if (const values::ValueEvent& e = subject.values->events[i];
               values::is_access(e.act) || e.act == values::Act::Allocate || e.act == values::Act::Free) {
      visit(i, values::op_of(e.act), e.operand, e.thread, e.location);
    }
  }
  return found;
}

}  // namespace omen::relax
