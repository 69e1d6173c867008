#include "report/trace_scan.hpp"

#include <algorithm>
#include <utility>

namespace omen::report {
namespace {

/// The critical sections that a thread is in, in the order in which they began.
class OpenSections {
 public:
  void acquire(LockId lock, bool shared, std::uint64_t event) {
    const auto found = std::ranges::find(held_, lock, &LockHeld::lock);
    if (found != held_.end()) {
      ++found->depth;
    } else {
      held_.push_back({lock, shared, event, 1});
    }
  }
  void release(LockId lock) {
    const auto found = std::ranges::find(held_, lock, &LockHeld::lock);
    if (found != held_.end() && --found->depth == 0) held_.erase(found);
  }
  void wait(LockId lock) {
    const auto found = std::ranges::find(held_, lock, &LockHeld::lock);
    if (found == held_.end()) return;
    waited_ = found->depth;
    held_.erase(found);
  }
  void wake(LockId lock, std::uint64_t event) { held_.push_back({lock, false, event, std::exchange(waited_, 1)}); }
  const std::vector<LockHeld>& held() const { return held_; }

 private:
  std::vector<LockHeld> held_;
  std::uint32_t waited_ = 1;  ///< the depth to restore after a wait; a thread waits with one mutex at a time
};

}  // namespace

bool is_synchronisation(Op op) {
  switch (op) {
    case Op::Read:
    case Op::Write:
    case Op::Begin:
    case Op::End:
    case Op::Allocate:
    case Op::Free:
      return false;
    default:
      return true;
  }
}

TraceScan scan(const Trace& trace, std::span<const std::uint64_t> events) {
  TraceScan result;
  result.finished.resize(trace.threads());
  std::vector<OpenSections> open(trace.threads());
  std::vector<std::uint64_t> asked(events.begin(), events.end());
  std::ranges::sort(asked);
  std::size_t next = 0;
  for (std::uint64_t i = 0; i < trace.size(); ++i) {
    const Event& event = trace.events[i];
    OpenSections& mine = open[index(event.thread)];
    for (; next < asked.size() && asked[next] == i; ++next) result.held[i] = mine.held();
    if (is_synchronisation(event.op)) ++result.synchronisations;
    switch (event.op) {
      case Op::Acquire:
      case Op::AcquireShared:
        mine.acquire(event.lock(), event.op == Op::AcquireShared, i);
        break;
      case Op::Release:
      case Op::ReleaseShared:
        mine.release(event.lock());
        break;
      case Op::Wait:
        mine.wait(event.lock());
        break;
      case Op::Wake:
        mine.wake(event.lock(), i);
        break;
      case Op::End:
        result.finished[index(event.thread)] = true;
        break;
      case Op::Join:
        result.finished[index(event.target())] = true;
        break;
      default:
        break;
    }
  }
  return result;
}

}  // namespace omen::report
