#include "capture/runtime/schedule/explore/strategy.hpp"

namespace omen::rt::explore {

void Strategy::begin(StrategyKind kind, std::uint64_t seed, std::uint32_t depth, std::uint64_t steps) {
  kind_ = kind;
  random_ = Random(seed);
  threads_ = 0;
  step_ = 0;
  lowest_ = kChanged - 1;
  changes_ = depth == 0 ? 0 : depth - 1;
  if (changes_ > kMostDepth) changes_ = kMostDepth;
  if (steps == 0) steps = 1;
  const std::uint32_t bound = steps > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(steps);
  for (std::uint32_t i = 0; i < changes_; ++i) change_at_[i] = 1 + random_.below(bound);
}

void Strategy::add(std::uint32_t thread) {
  if (thread >= kMostThreads) return;
  if (thread >= threads_) threads_ = thread + 1;
  // The low bits make priorities distinct; a new thread gets any rank among the others.
  priority_[thread] = kInitial | (random_.next() >> 1 & ~std::uint64_t{kMostThreads - 1}) | thread;
  pending_[thread] = {};
}

void Strategy::arrive(std::uint32_t thread, const Pending& pending) {
  pending_[thread] = pending;
  if (kind_ == StrategyKind::Pos) priority_[thread] = random_.next();
}

void Strategy::yield(std::uint32_t thread) {
  if (kind_ == StrategyKind::Pct) priority_[thread] = --lowest_;
}

std::uint32_t Strategy::highest(const std::uint32_t* ready, std::uint32_t count) const {
  std::uint32_t best = ready[0];
  for (std::uint32_t i = 1; i < count; ++i) {
    if (priority_[ready[i]] > priority_[best]) best = ready[i];
  }
  return best;
}

std::uint32_t Strategy::choose(const std::uint32_t* ready, std::uint32_t count) {
  if (count > 1) ++step_;
  if (kind_ == StrategyKind::Random) return ready[random_.below(count)];
  std::uint32_t chosen = highest(ready, count);
  if (kind_ == StrategyKind::Pct) {
    if (count == 1) return chosen;
    for (std::uint32_t i = 0; i < changes_; ++i) {
      if (change_at_[i] != step_) continue;
      priority_[chosen] = kChanged + i;
      chosen = highest(ready, count);
    }
    return chosen;
  }
  for (std::uint32_t other = 0; other < threads_; ++other) {
    if (other != chosen && races(pending_[other], pending_[chosen])) priority_[other] = random_.next();
  }
  return chosen;
}

}  // namespace omen::rt::explore
