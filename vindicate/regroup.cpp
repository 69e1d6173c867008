#include "vindicate/regroup.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "trace/error.hpp"

namespace omen::vindicate {
namespace {

using Position = std::uint32_t;  ///< in the witness
constexpr Position kNone = ~Position{0};

/// The last accesses to an object in the witness.
struct Last {
  Position write = kNone;
  std::vector<Position> reads;  ///< since then
};

/// The witness as a graph: for each position the earlier ones that must stay before it.
class Order {
 public:
  Order(const Trace& trace, std::span<const std::uint32_t> witness) : trace_(trace), witness_(witness) {
    before_.resize(witness.size());
    last_of_thread_.assign(trace.threads(), kNone);
    created_by_.assign(trace.threads(), kNone);
    for (Position at = 0; at < witness.size(); ++at) add(at);
  }

  const std::vector<Position>& before(Position at) const { return before_[at]; }
  const Event& event(Position at) const { return trace_.events[witness_[at]]; }

 private:
  void behind(Position at, Position earlier) {
    if (earlier != kNone && earlier != at) before_[at].push_back(earlier);
  }

  void add(Position at) {
    const Event& event = this->event(at);
    const std::size_t thread = index(event.thread);
    if (last_of_thread_[thread] == kNone) behind(at, created_by_[thread]);
    behind(at, last_of_thread_[thread]);
    last_of_thread_[thread] = at;
    switch (event.op) {
      case Op::Fork:
        created_by_[event.operand] = at;
        return;
      case Op::Join:
        behind(at, last_of_thread_[event.operand]);
        return;
      case Op::Begin:
      case Op::End:
        return;
      case Op::Wake:
        for (const Position other : last_of_thread_) behind(at, other);
        return use(at, OperandKind::Lock, event.operand, true);
      case Op::Fence:
        return use(at, OperandKind::None, 0, true);
      default:
        break;
    }
    const OperandKind kind = traits(event.op).operand;
    const bool only_reads = event.op == Op::Read || event.op == Op::AtomicLoad;
    use(at, kind, event.operand, !only_reads);
    // A fence orders the atomic accesses around it, whatever their objects.
    if (kind == OperandKind::Atomic) use(at, OperandKind::None, 0, false);
  }

  void use(Position at, OperandKind kind, std::uint32_t operand, bool writes) {
    Last& last = last_[static_cast<std::uint64_t>(kind) << 32U | operand];
    behind(at, last.write);
    if (!writes) return last.reads.push_back(at);
    for (const Position read : last.reads) behind(at, read);
    last.reads.clear();
    last.write = at;
  }

  const Trace& trace_;
  std::span<const std::uint32_t> witness_;
  std::vector<std::vector<Position>> before_;
  std::vector<Position> last_of_thread_;
  std::vector<Position> created_by_;
  std::unordered_map<std::uint64_t, Last> last_;  ///< by object
};

class Regrouper {
 public:
  Regrouper(const Trace& trace, std::span<const std::uint32_t> witness)
      : trace_(trace), witness_(witness), order_(trace, witness) {}

  std::vector<std::uint32_t> run() {
    const std::size_t n = witness_.size();
    find_needed();
    std::vector<std::vector<Position>> queue(
        trace_.threads());  // the remaining events of each thread, the next one last
    for (Position at = static_cast<Position>(n - 2); at-- > 0;) {
      if (needed_[at]) queue[index(order_.event(at).thread)].push_back(at);
    }
    done_.assign(n, false);
    std::vector<std::uint32_t> result;
    while (true) {
      const std::size_t thread = next_thread(queue);
      if (thread == queue.size()) break;
      while (!queue[thread].empty() && is_ready(queue[thread].back())) {
        const Position at = queue[thread].back();
        queue[thread].pop_back();
        done_[at] = true;
        result.push_back(witness_[at]);
      }
    }
    OMEN_CHECK(std::ranges::all_of(queue, &std::vector<Position>::empty));
    result.insert(result.end(), witness_.end() - 2, witness_.end());
    return result;
  }

 private:
  void find_needed() {
    const std::size_t n = witness_.size();
    needed_.assign(n, false);
    needed_[n - 1] = needed_[n - 2] = true;
    for (Position at = static_cast<Position>(n); at-- > 0;) {
      if (!needed_[at]) continue;
      for (const Position earlier : order_.before(at)) needed_[earlier] = true;
    }
  }

  bool is_ready(Position at) const {
    return std::ranges::all_of(order_.before(at), [&](Position earlier) { return done_[earlier]; });
  }

  /// Of the threads that can continue, the one whose next event came first in the witness. The racing threads come
  /// after all others, and the one with the first access at the very end, so that its access needs no switch.
  std::size_t next_thread(const std::vector<std::vector<Position>>& queue) const {
    const std::size_t first = index(order_.event(static_cast<Position>(witness_.size() - 2)).thread);
    const std::size_t second = index(order_.event(static_cast<Position>(witness_.size() - 1)).thread);
    std::size_t best = queue.size();
    std::pair<int, Position> best_rank;
    for (std::size_t thread = 0; thread < queue.size(); ++thread) {
      if (queue[thread].empty() || !is_ready(queue[thread].back())) continue;
      const std::pair<int, Position> rank{thread == first ? 2 : thread == second ? 1 : 0, queue[thread].back()};
      if (best != queue.size() && best_rank <= rank) continue;
      best = thread;
      best_rank = rank;
    }
    return best;
  }

  const Trace& trace_;
  std::span<const std::uint32_t> witness_;
  const Order order_;
  std::vector<bool> needed_;
  std::vector<bool> done_;
};

}  // namespace

std::size_t switches(const Trace& trace, std::span<const std::uint32_t> witness) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < witness.size(); ++i) {
    if (trace.events[witness[i]].thread != trace.events[witness[i - 1]].thread) ++count;
  }
  return count;
}

std::vector<std::uint32_t> regrouped(const Trace& trace, std::span<const std::uint32_t> witness) {
  if (witness.size() < 2) return {witness.begin(), witness.end()};
  return Regrouper(trace, witness).run();
}

}  // namespace omen::vindicate
