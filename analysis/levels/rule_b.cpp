/// \file
/// The cold half of rule (b): logging releases, and collecting log entries that no clock can need any more.
#include <algorithm>
#include <bit>
#include <limits>

#include "analysis/levels/rule_b.hpp"

namespace omen {

std::size_t RuleB::add_user(Lock& lock, ThreadId t) {
  if (index(t) >= lock.slots.size()) lock.slots.resize(index(t) + 1);
  lock.users.push_back({t, 0});
  lock.slots[index(t)] = static_cast<std::uint32_t>(lock.users.size());
  const std::size_t old_width = lock.width;
  if (lock.users.size() > lock.width) lock.width = std::max<std::size_t>(4, 2 * lock.width);
  const std::size_t me = lock.users.size() - 1;
  for (Logs& logs : lock.logs) {
    if (lock.width != old_width) {
      std::vector<std::uint32_t> cursors(lock.width * lock.width);
      std::vector<Time> next(lock.width * lock.width, kNone);
      for (std::size_t row = 0; row < old_width; ++row) {
        for (std::size_t column = 0; column < old_width; ++column) {
          cursors[row * lock.width + column] = logs.cursors[row * old_width + column];
          next[row * lock.width + column] = logs.next[row * old_width + column];
        }
      }
      logs.cursors = std::move(cursors);
      logs.next = std::move(next);
    }
    logs.of.emplace_back();
    // A new consumer starts at the beginning of every log.
    for (std::size_t them = 0; them < me; ++them) {
      if (!logs.of[them].empty()) logs.next[me * lock.width + them] = logs.of[them].front().acquired;
    }
  }
  return me;
}

void RuleB::released(ThreadId t, LockId m, SectionMode mode, Time now, const VectorClock& release) {
  Lock& shared = lock(m);
  const std::size_t me = slot(shared, t);
  Logs& logs = shared.logs[static_cast<std::size_t>(mode)];
  const Time acquired = shared.users[me].acquired;
  logs.of[me].push_back({acquired, now, release});
  for (std::size_t consumer = 0; consumer < shared.users.size(); ++consumer) {
    Time& next = logs.next[consumer * shared.width + me];
    if (next == kNone) next = acquired;
  }
  if (mode == SectionMode::Shared) shared.has_shared = true;
  ++entries_;
}

/// The local times of each thread in live clocks: a bit per time, from the oldest section in the logs on.
class RuleB::LiveTimes {
 public:
  explicit LiveTimes(std::vector<Time> oldest) : oldest_(std::move(oldest)), times_(oldest_.size()) {}

  void add(const VectorClock& clock) {
    const std::size_t n = std::min(clock.size(), oldest_.size());
    for (std::size_t u = 0; u < n; ++u) {
      const Time time = clock[ThreadId{static_cast<std::uint32_t>(u)}];
      if (time >= oldest_[u]) set(times_[u], time - oldest_[u]);
    }
  }

  /// True if there is a live time of `u` in [from, to).
  bool any(ThreadId u, Time from, Time to) const {
    const auto& bits = times_[index(u)];
    const std::size_t end = std::min<std::size_t>(to - oldest_[index(u)], bits.size() * 64);
    for (std::size_t i = from - oldest_[index(u)]; i < end;) {
      const std::uint64_t rest = bits[i / 64] >> (i % 64);
      if (rest != 0) return i + static_cast<std::size_t>(std::countr_zero(rest)) < end;
      i += 64 - i % 64;
    }
    return false;
  }

 private:
  static void set(std::vector<std::uint64_t>& bits, std::size_t i) {
    if (i / 64 >= bits.size()) bits.resize(i / 64 + 1);
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }

  std::vector<Time> oldest_;
  std::vector<std::vector<std::uint64_t>> times_;
};

template <class Visit>
void RuleB::for_each_log(Visit visit) {
  for (Lock& lock : locks_) {
    for (Logs& logs : lock.logs) {
      for (std::size_t user = 0; user < logs.of.size(); ++user) visit(lock.users[user].thread, logs.of[user]);
    }
  }
}

void RuleB::collect(const std::vector<const VectorClock*>& live) {
  std::vector<Time> oldest;
  for_each_log([&](ThreadId u, const std::vector<Section>& log) {
    if (index(u) >= oldest.size()) oldest.resize(index(u) + 1, std::numeric_limits<Time>::max());
    if (!log.empty()) oldest[index(u)] = std::min(oldest[index(u)], log.front().acquired);
  });
  LiveTimes times(std::move(oldest));
  for (const VectorClock* clock : live) times.add(*clock);
  for_each_log([&](ThreadId, const std::vector<Section>& log) {
    for (const Section& section : log) times.add(section.release);
  });
  for_each_log([&](ThreadId u, std::vector<Section>& log) {
    for (Section& section : log) section.keep = times.any(u, section.acquired, section.released);
  });
  entries_ = 0;
  for (Lock& lock : locks_) {
    for (Logs& logs : lock.logs) {
      for (std::size_t user = 0; user < logs.of.size(); ++user) {
        drop_unkept(lock, logs, user);
        entries_ += logs.of[user].size();
      }
    }
  }
  next_collection_ = tuning_.next_collection(entries_);
}

/// Removes the unmarked entries of one log, and adjusts every consumer's cursor.
void RuleB::drop_unkept(Lock& lock, Logs& logs, std::size_t user) {
  auto& log = logs.of[user];
  std::vector<std::uint32_t> kept_before(log.size() + 1);
  for (std::size_t i = 0; i < log.size(); ++i) kept_before[i + 1] = kept_before[i] + (log[i].keep ? 1 : 0);
  std::erase_if(log, [](const Section& section) { return !section.keep; });
  for (Section& section : log) section.keep = false;
  for (std::size_t consumer = 0; consumer < lock.users.size(); ++consumer) {
    std::uint32_t& cursor = logs.cursors[consumer * lock.width + user];
    cursor = kept_before[cursor];
    logs.next[consumer * lock.width + user] = cursor < log.size() ? log[cursor].acquired : kNone;
  }
}

}  // namespace omen
