/// \file
/// The disjunctions that hold in every correct reordering, over the events that a branch knows.
///
/// - *Rivals.* Of two rival sections that have begun, one ends before the other begins.
/// - *Writers.* A read, atomic load or rmw sees the same writer as in the trace, and an access is in the same life. So
///   another event that writes the same object comes after the reader, or before its writer. For the racing accesses,
///   which may read another value, only the life matters.
#pragma once

#include <unordered_map>
#include <vector>

#include "vindicate/certificate_refutation.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

class CertificateClauses {
 public:
  CertificateClauses(const TraceIndex& index, Pair pair);

  /// Adds an event that has become known. Appends the clauses between it and earlier known events to `clauses`.
  void add(EventNo e, std::vector<Clause>& clauses);

 private:
  /// The state of a variable or an atomic.
  struct Cell {
    std::vector<EventNo> readers;  ///< that must see their writer
    std::vector<EventNo> writers;
    std::vector<EventNo> accesses;  ///< that have a life
    std::vector<EventNo> allocations;
  };

  void add_section(EventNo start, std::vector<Clause>& clauses);
  Clause writers(EventNo reader, EventNo writer, EventNo seen) const;

  const TraceIndex& index_;
  Pair pair_;
  std::unordered_map<VariableId, Cell> variables_;
  std::unordered_map<std::uint32_t, Cell> atomics_;
  std::unordered_map<LockId, std::vector<EventNo>> starts_;
};

}  // namespace omen::vindicate
