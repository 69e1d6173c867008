/// \file
/// The cold half of rule (b): logging releases, and collecting log entries that no clock can tell from their successors.
#include <algorithm>

#include "analysis/relations/rule_b.hpp"

namespace omen {

void RuleB::released(ThreadId t, LockId m, SectionMode mode, Time now, const ClockRef& release) {
  Lock& shared = lock(m);
  User& self = user(shared, t);
  release.pooled()->in_log = true;
  self.logs[static_cast<std::size_t>(mode)].push_back({self.acquired, now, release});
  if (mode == SectionMode::Shared) shared.has_shared = true;
  ++entries_;
}

/// The times of each thread that occur in live clocks, as a worklist: values that were not looked at yet are `fresh`.
class RuleB::LiveTimes {
 public:
  void add(const VectorClock& clock) {
    if (clock.size() > fresh_.size()) fresh_.resize(clock.size());
    for (std::size_t u = 0; u < clock.size(); ++u) {
      const Time time = clock[ThreadId{static_cast<std::uint32_t>(u)}];
      if (time != 0) fresh_[u].push_back(time);
    }
  }

  /// The fresh times of each thread, sorted, each once and never handed out before.
  std::vector<std::vector<Time>> take_fresh() {
    std::vector<std::vector<Time>> taken(fresh_.size());
    if (seen_.size() < fresh_.size()) seen_.resize(fresh_.size());
    for (std::size_t u = 0; u < fresh_.size(); ++u) {
      auto& times = fresh_[u];
      std::ranges::sort(times);
      times.erase(std::ranges::unique(times).begin(), times.end());
      std::ranges::set_difference(times, seen_[u], std::back_inserter(taken[u]));
      times.clear();
      const auto old = static_cast<std::ptrdiff_t>(seen_[u].size());
      seen_[u].insert(seen_[u].end(), taken[u].begin(), taken[u].end());
      std::inplace_merge(seen_[u].begin(), seen_[u].begin() + old, seen_[u].end());
    }
    return taken;
  }

 private:
  std::vector<std::vector<Time>> fresh_;
  std::vector<std::vector<Time>> seen_;
};

void RuleB::collect(const std::vector<const VectorClock*>& live) {
  LiveTimes times;
  for (const VectorClock* clock : live) times.add(*clock);
  pool_.for_each_live([&](const PooledClock& pooled) {
    if (pooled.owners > (pooled.in_log ? 1U : 0U)) times.add(pooled.clock);
  });
  const auto keep = [&](Section& section) {
    if (section.keep) return;
    section.keep = true;
    times.add(*section.release);
  };
  for (Lock& lock : locks_) {
    for (User& user : lock.users) {
      for (Log& log : user.logs) {
        if (!log.empty()) keep(log.back());
      }
    }
  }
  bool more = true;
  while (more) {
    const std::vector<std::vector<Time>> fresh = times.take_fresh();
    more = std::ranges::any_of(fresh, [](const auto& values) { return !values.empty(); });
    for (Lock& lock : locks_) {
      for (User& user : lock.users) {
        if (index(user.thread) >= fresh.size()) continue;
        for (Log& log : user.logs) {
          auto from = log.begin();
          for (const Time time : fresh[index(user.thread)]) {
            from = std::partition_point(from, log.end(), [&](const Section& s) { return s.acquired <= time; });
            if (from != log.begin()) keep(*(from - 1));
            if (from == log.end()) break;
          }
        }
      }
    }
  }
  entries_ = 0;
  for (Lock& lock : locks_) {
    for (std::size_t user = 0; user < lock.users.size(); ++user) {
      for (std::size_t mode = 0; mode < 2; ++mode) {
        drop_unkept(lock, user, mode);
        entries_ += lock.users[user].logs[mode].size();
      }
    }
  }
  next_collection_ = tuning_.next_collection(entries_);
}

/// Removes the entries of one log that are not marked, and moves every consumer's cursor along.
void RuleB::drop_unkept(Lock& lock, std::size_t user, std::size_t mode) {
  Log& log = lock.users[user].logs[mode];
  std::vector<std::uint32_t> kept_before(log.size() + 1);
  for (std::size_t i = 0; i < log.size(); ++i) kept_before[i + 1] = kept_before[i] + (log[i].keep ? 1 : 0);
  for (User& consumer : lock.users) {
    if (user >= consumer.cursors.size()) continue;
    std::uint32_t& cursor = consumer.cursors[user][mode];
    cursor = kept_before[cursor];
  }
  for (const Section& section : log) {
    if (!section.keep) section.release.pooled()->in_log = false;
  }
  std::erase_if(log, [](const Section& section) { return !section.keep; });
  for (Section& section : log) section.keep = false;
  log.shrink_to_fit();
}

}  // namespace omen
