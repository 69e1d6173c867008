#include "trace/counts.hpp"

#include <algorithm>

namespace omen {

void Counts::add(std::span<const Event> events) {
  events_ += events.size();
  for (const Event& event : events) {
    ++operations_[static_cast<std::size_t>(event.op)];
    if (index(event.thread) >= threads_.size()) threads_.resize(index(event.thread) + 1);
    Thread& thread = threads_[index(event.thread)];
    ++thread.events;
    if (is_access(event.op)) {
      ++accesses_by_held_[std::min<std::size_t>(thread.held, kHeldLocks - 1)];
    } else {
      hold(thread, event);
    }
    const auto location = static_cast<std::uint32_t>(event.location);
    if ((location & kNumericLocation) != 0) see_number(location & ~kNumericLocation);
  }
}

void Counts::hold(Thread& thread, const Event& event) {
  if (event.nested) return;
  switch (event.op) {
    case Op::Acquire:
    case Op::AcquireShared:
    case Op::Wake:
      most_held_ = std::max(most_held_, ++thread.held);
      break;
    case Op::Release:
    case Op::ReleaseShared:
    case Op::Wait:
      --thread.held;
      break;
    default:
      break;
  }
}

void Counts::see_number(std::uint32_t number) {
  const std::size_t at = number / kChunkBits;
  if (at >= numbers_seen_.size()) numbers_seen_.resize(at + 1);
  if (!numbers_seen_[at]) numbers_seen_[at] = std::make_unique<Chunk>();
  auto bit = (*numbers_seen_[at])[number % kChunkBits];
  if (bit) return;
  bit = true;
  ++numeric_locations_;
}

std::uint64_t Counts::accesses() const {
  return of(Op::Read) + of(Op::Write) + of(Op::Free);
}

std::uint64_t Counts::synchronisation() const {
  std::uint64_t sum = 0;
  for (const OpTraits& op : kOpTraits) sum += is_synchronisation(op.op) ? of(op.op) : 0;
  return sum;
}

std::uint64_t Counts::threads_with_events() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(threads_, [](const Thread& t) { return t.events != 0; }));
}

}  // namespace omen
