#include "relax/candidates.hpp"

#include <algorithm>

namespace omen::relax {
namespace {

/// What excludes a pair without a solver: hard order, as a clock per item, and sections, as a list per item.
class Exclusion {
 public:
  explicit Exclusion(const Execution& execution)
      : execution_(execution), clocks_(execution.items.size()), around_(execution.items.size()) {
    dense_.resize(execution.threads.size(), 0);
    std::uint32_t threads = 0;  // those with items: a trace may have many more
    for (std::size_t t = 0; t < dense_.size(); ++t) {
      if (!execution.threads[t].empty()) dense_[t] = threads++;
    }
    std::vector<std::vector<std::uint32_t>> now(threads, std::vector<std::uint32_t>(threads, 0));
    std::vector<std::vector<std::uint32_t>> open(execution.threads.size());
    for (std::uint32_t s = 0; s < execution.sections.size(); ++s) {
      if (execution.sections[s].start == kInitial) open[execution.sections[s].thread].push_back(s);
    }
    for (std::uint32_t i = 0; i < execution.items.size(); ++i) {
      const Item& item = execution.items[i];
      auto& clock = now[dense_[item.thread]];
      for (const std::uint32_t need : item.needs) {
        if (need < i) join(clock, need);
      }
      clocks_[i] = clock;
      clock[dense_[item.thread]] = item.position + 1;
      if (item.starts != kNone) open[item.thread].push_back(item.starts);
      if (!is_access(item.op)) std::erase_if(open[item.thread], [&](auto s) { return execution.sections[s].end == i; });
      around_[i] = open[item.thread];
    }
  }

  /// `i` comes before `j`.
  bool operator()(std::uint32_t i, std::uint32_t j) const {
    const Item& a = execution_.items[i];
    const Item& b = execution_.items[j];
    if (clocks_[j][dense_[a.thread]] > a.position || clocks_[i][dense_[b.thread]] > b.position) return true;
    return std::ranges::any_of(around_[i], [&](std::uint32_t s) {
      return std::ranges::any_of(
          around_[j], [&](std::uint32_t r) { return execution_.sections[s].excludes(execution_.sections[r]); });
    });
  }

 private:
  void join(std::vector<std::uint32_t>& clock, std::uint32_t need) const {
    for (std::size_t t = 0; t < clock.size(); ++t) clock[t] = std::max(clock[t], clocks_[need][t]);
    const Item& n = execution_.items[need];
    clock[dense_[n.thread]] = std::max(clock[dense_[n.thread]], n.position + 1);
  }

  const Execution& execution_;
  std::vector<std::uint32_t> dense_;                ///< of each thread with items: its place in a clock
  std::vector<std::vector<std::uint32_t>> clocks_;  ///< of each item: how many items of each thread it needs
  std::vector<std::vector<std::uint32_t>> around_;  ///< of each item: sections
};

}  // namespace

CandidateKey key_of(const Execution& execution, ItemPair pair, const CandidateSettings& settings) {
  const auto part = [&](std::uint32_t item) {
    const Item& i = execution.items[item];
    const bool by_event = settings.every || (settings.has_nowhere && i.location == settings.nowhere);
    const auto location = static_cast<std::uint64_t>(static_cast<std::uint32_t>(i.location));
    return by_event ? (std::uint64_t{1} << 32) + i.event : location;
  };
  const std::uint64_t one = part(pair.first);
  const std::uint64_t other = part(pair.second);
  return {std::min(one, other), std::max(one, other)};
}

std::map<CandidateKey, CandidatePairs> candidates(const Execution& execution, const CandidateSettings& settings,
                                                  std::size_t most) {
  std::map<CandidateKey, CandidatePairs> found;
  const Exclusion excluded(execution);
  std::vector<std::vector<std::uint32_t>> earlier(execution.writers.size());  // accesses, of each cell
  for (std::uint32_t j = 0; j < execution.items.size(); ++j) {
    const Item& item = execution.items[j];
    if (!is_access(item.op)) continue;
    for (const std::uint32_t i : earlier[item.cell]) {
      if (!execution.conflict(i, j)) continue;
      CandidatePairs& group = found[key_of(execution, {i, j}, settings)];
      if (group.count++ == 0) group.first = {i, j};
      if (excluded(i, j)) {
        ++group.excluded;
      } else if (group.pairs.size() < most) {
        group.pairs.emplace_back(i, j);
      }
    }
    earlier[item.cell].push_back(j);
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
