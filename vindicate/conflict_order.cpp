#include "vindicate/conflict_order.hpp"

namespace omen::vindicate {

ConflictOrder::ConflictOrder(const TraceIndex& index)
    : index_(index), previous_(index.size(), kNone), between_threads_(index.size(), false) {
  const Names& names = index.trace().names;
  std::vector<EventNo> variables(names.of(OperandKind::Variable).size(), kNone);
  std::vector<EventNo> atomics(names.of(OperandKind::Atomic).size(), kNone);
  for (EventNo e = 0; e < index.size(); ++e) {
    const Event& event = index.event(e);
    const OperandKind kind = traits(event.op).operand;
    if (kind != OperandKind::Variable && kind != OperandKind::Atomic) continue;
    EventNo& last = (kind == OperandKind::Variable ? variables : atomics)[event.operand];
    previous_[e] = last;
    last = e;
    const auto check = [&](EventNo f) {
      if (index.thread(f) != index.thread(e)) between_threads_[e] = true;
    };
    if (event.op == Op::Read || event.op == Op::AtomicLoad) {
      if (index.link(e) != kNone) check(index.link(e));
    } else {
      for_each_earlier(e, check);
    }
  }
}

bool ConflictOrder::kept_by(std::span<const EventNo> witness) const {
  Cut done(index_.threads(), 0);
  const std::size_t n = witness.size();
  for (const EventNo e : witness.first(n - 2)) {
    if (!allows(e, done)) return false;
    ++done[index_.thread(e)];
  }
  return allows(witness[n - 2], done, witness[n - 1]) && allows(witness[n - 1], done, witness[n - 2]);
}

}  // namespace omen::vindicate
