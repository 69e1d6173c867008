#include "trace/counts.hpp"

#include <algorithm>

namespace omen {

void Counts::add(std::span<const Event> events) {
  events_ += events.size();
  for (const Event& event : events) {
    ++operations_[static_cast<std::size_t>(event.op)];
    if (index(event.thread) >= held_.size()) held_.resize(index(event.thread) + 1);
    std::uint32_t& held = held_[index(event.thread)];
    if (is_access(event.op)) {
      ++accesses_by_held_[std::min<std::size_t>(held, kHeldLocks - 1)];
    } else {
      hold(held, event);
    }
    const auto location = static_cast<std::uint32_t>(event.location);
    if ((location & kNumericLocation) != 0) see_number(location & ~kNumericLocation);
  }
}

void Counts::hold(std::uint32_t& held, const Event& event) {
  if (event.nested) return;
  switch (event.op) {
    case Op::Acquire:
    case Op::AcquireShared:
    case Op::Wake:
      most_held_ = std::max(most_held_, ++held);
      break;
    case Op::Release:
    case Op::ReleaseShared:
    case Op::Wait:
      --held;
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

}  // namespace omen
