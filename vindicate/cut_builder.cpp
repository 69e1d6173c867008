#include "vindicate/cut_builder.hpp"

#include <algorithm>

namespace omen::vindicate {
namespace {

/// Checkpoints take a quarter of a byte per event, whatever the number of threads.
constexpr std::uint32_t kMinSpacing = 128;
constexpr std::uint32_t kSpacingPerThread = 16;

Cut no_limit(const TraceIndex& index) {
  Cut limit(index.threads());
  for (std::size_t t = 0; t < limit.size(); ++t) limit[t] = static_cast<std::uint32_t>(index.events_of(t).size());
  return limit;
}

}  // namespace

Checkpoints::Checkpoints(const TraceIndex& index)
    : threads_(index.threads()),
      spacing_(std::max(kMinSpacing, kSpacingPerThread * static_cast<std::uint32_t>(threads_))),
      first_(threads_ + 1, 0) {
  for (std::size_t t = 0; t < threads_; ++t) first_[t + 1] = first_[t] + index.events_of(t).size() / spacing_;
  made_.assign(first_.back(), false);
  clocks_.resize(first_.back() * threads_);
  // In trace order, so that the checkpoints of needs, which come earlier, exist.
  const Cut limit = no_limit(index);
  CutBuilder builder(index, this);
  for (EventNo e = 0; e < index.size(); ++e) {
    const std::uint32_t length = index.position(e) + 1;
    if (length % spacing_ != 0) continue;
    builder.start(limit);
    builder.want(e);
    builder.close();
    const std::size_t id = first_[index.thread(e)] + length / spacing_ - 1;
    std::ranges::copy(builder.cut(), clocks_.begin() + static_cast<std::ptrdiff_t>(id * threads_));
    made_[id] = true;
  }
}

CutBuilder::CutBuilder(const TraceIndex& index, const Checkpoints* checkpoints)
    : index_(index), checkpoints_(checkpoints), cut_(index.threads(), 0), limit_(no_limit(index)) {}

void CutBuilder::start(const Cut& limit, bool lenient) {
  std::ranges::fill(cut_, 0);
  steps_ += cut_.size();
  limit_ = limit;
  lenient_ = lenient;
  failed_ = false;
  work_.clear();
  seen_.clear();
}

/// Joins the last checkpoint within the work, if it adds anything.
void CutBuilder::jump(const Work& work) {
  if (checkpoints_ == nullptr) return;
  std::uint32_t n = work.length / checkpoints_->spacing();
  while (n > 0 && n * checkpoints_->spacing() > cut_[work.thread]) {
    const auto clock = checkpoints_->at(work.thread, n);
    steps_ += clock.size();
    if (!clock.empty()) {
      const bool allowed = std::ranges::equal(clock, limit_, [](std::uint32_t a, std::uint32_t b) { return a <= b; });
      if (!allowed && lenient_) return;  // go step by step: a part may be possible
      if (!allowed) {
        failed_ = true;
        return;
      }
      for (std::size_t t = 0; t < cut_.size(); ++t) cut_[t] = std::max(cut_[t], clock[t]);
      return;
    }
    --n;  // while the checkpoints are being built
  }
}

bool CutBuilder::close() {
  while (!work_.empty() && !failed_) {
    const Work work = work_.back();
    work_.pop_back();
    if (cut_[work.thread] >= work.length) continue;
    jump(work);
    const std::span<const EventNo> events = index_.events_of(work.thread);
    while (cut_[work.thread] < work.length && !failed_) {
      const EventNo e = events[cut_[work.thread]++];
      ++steps_;
      index_.for_each_need(e, [&](EventNo f) { want(f); });
    }
  }
  return !failed_;
}

/// Alternates needs and locks until nothing changes. `rule(m)` adds what lock m requires after a section on it was
/// entered.
template <class Rule>
bool CutBuilder::close_with_locks(Rule rule) {
  if (seen_.empty()) {
    seen_.assign(cut_.size(), 0);
    entered_.assign(index_.slots().size(), 0);
  }
  std::vector<LockId> changed;
  while (close()) {
    changed.clear();
    for (std::size_t t = 0; t < cut_.size(); ++t) {
      if (seen_[t] == cut_[t]) continue;
      seen_[t] = cut_[t];
      for (const std::uint32_t slot : index_.slots_of(ThreadId{static_cast<std::uint32_t>(t)})) {
        const std::size_t entered = index_.entered(slot, cut_[t]);
        if (entered == entered_[slot]) continue;
        entered_[slot] = entered;
        changed.push_back(index_.slots()[slot].lock);
      }
    }
    std::ranges::sort(changed);
    const auto rest = std::ranges::unique(changed);
    changed.erase(rest.begin(), rest.end());
    for (const LockId m : changed) rule(m);
    if (work_.empty()) return !failed_;
  }
  return false;
}

bool CutBuilder::close_in_order(std::size_t last, std::uint32_t from) {
  return close_with_locks([this, last, from](LockId m) { end_rivals(m, last, from); });
}

/// Only the last section of each thread can lack its end.
void CutBuilder::end_rivals(LockId m, std::size_t last, std::uint32_t from) {
  const auto time = [&](const Section& s) {
    return index_.thread(s.start) == last && index_.position(s.start) >= from ? kNone : s.start;
  };
  EventNo any = 0;
  EventNo exclusive = 0;  // the latest starts
  for (const std::uint32_t slot : index_.slots_of(m)) {
    const Section* latest = last_entered(slot);
    if (latest == nullptr) continue;
    any = std::max(any, time(*latest));
    const Section* writer = index_.last_exclusive(slot, entered_[slot]);
    if (writer != nullptr) exclusive = std::max(exclusive, time(*writer));
  }
  for (const std::uint32_t slot : index_.slots_of(m)) {
    const Section* open = last_entered(slot);
    if (open == nullptr || ends_within(*open, index(index_.slots()[slot].thread))) continue;
    if (time(*open) >= (index_.shared(*open) ? exclusive : any)) continue;
    if (open->end == kNone) {
      failed_ = true;
      return;
    }
    want(open->end);
  }
}

void CutBuilder::close_with_ends() {
  close_with_locks([this](LockId m) {
    for (const std::uint32_t slot : index_.slots_of(m)) {
      const Section* last = last_entered(slot);
      if (last != nullptr && last->end != kNone) want(last->end);
    }
  });
}

}  // namespace omen::vindicate
