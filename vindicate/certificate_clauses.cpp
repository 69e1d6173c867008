#include "vindicate/certificate_clauses.hpp"

namespace omen::vindicate {

using Kind = CertificateStep::Kind;

CertificateClauses::CertificateClauses(const TraceIndex& index, Pair pair) : index_(index), pair_(pair) {
  // Both accesses are in the same life, so one of them is enough.
  variables_[index.event(pair.first).variable()].accesses.push_back(pair.first);
}

Clause CertificateClauses::writers(EventNo reader, EventNo writer, EventNo seen) const {
  const bool racing = reader == pair_.first || reader == pair_.second;
  return {Kind::Writers,
          reader,
          writer,
          {Alternative{racing ? kNone : reader, writer}, Alternative{seen == kNone ? kNone : writer, seen}}};
}

void CertificateClauses::add(EventNo e, std::vector<Clause>& clauses) {
  const Event& event = index_.event(e);
  if (starts_section(event)) add_section(e, clauses);
  const OperandKind operand = traits(event.op).operand;
  if (operand != OperandKind::Variable && operand != OperandKind::Atomic) return;
  const bool atomic = operand == OperandKind::Atomic;
  Cell& cell = atomic ? atomics_[event.operand] : variables_[event.variable()];
  const bool reads = event.op == Op::Read || event.op == Op::AtomicLoad || event.op == Op::AtomicRmw;
  const bool writes = is_write(event.op) || event.op == Op::AtomicStore || event.op == Op::AtomicRmw;
  const auto sees = [&](EventNo reader, EventNo writer) {
    const EventNo seen = index_.link(reader);
    if (seen != writer) clauses.push_back(writers(reader, writer, seen));
  };
  const auto lives = [&](EventNo access, EventNo allocation) {
    const EventNo life = index_.life(access);
    if (life != allocation) clauses.push_back(writers(access, allocation, life));
  };
  if (reads) {
    for (const EventNo writer : cell.writers) sees(e, writer);
    cell.readers.push_back(e);
  }
  if (writes) {
    for (const EventNo reader : cell.readers) {
      if (reader != e) sees(reader, e);
    }
    cell.writers.push_back(e);
  }
  if (event.op == Op::Allocate) {
    for (const EventNo access : cell.accesses) lives(access, e);
    cell.allocations.push_back(e);
  } else if (!atomic) {
    for (const EventNo allocation : cell.allocations) lives(e, allocation);
    cell.accesses.push_back(e);
  }
}

void CertificateClauses::add_section(EventNo start, std::vector<Clause>& clauses) {
  const Section& section = index_.section(index_.link(start));
  std::vector<EventNo>& others = starts_[index_.event(start).lock()];
  for (const EventNo other : others) {
    const Section& rival = index_.section(index_.link(other));
    if (index_.thread(other) == index_.thread(start) || (index_.shared(section) && index_.shared(rival))) continue;
    clauses.push_back({Kind::Rivals,
                       other,
                       start,
                       {Alternative{rival.end, rival.end == kNone ? kNone : start},
                        Alternative{section.end, section.end == kNone ? kNone : other}}});
  }
  others.push_back(start);
}

}  // namespace omen::vindicate
