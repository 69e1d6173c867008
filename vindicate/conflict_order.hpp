/// \file
/// The order that CA adds to needs (docs/event-model.md, "Reorderings"): an access comes after every earlier one that
/// it conflicts with, an atomic access after every earlier one of the same atomic unless both only read.
///
/// Edges exist only for newly established order: a write has edges from the accesses back to, and including, the
/// previous write; the rest follows by transitivity. A read's edge is from its last writer, which it needs anyway.
#pragma once

#include <span>
#include <vector>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

class ConflictOrder {
 public:
  explicit ConflictOrder(const TraceIndex& index);

  /// For a write, a free, an atomic store or rmw: the accesses since the previous write, and that write. For an
  /// allocation the same, to separate lives; that is stricter than CA.
  template <class Visit>
  void for_each_earlier(EventNo e, Visit visit) const {
    if (!writes(e)) return;
    for (EventNo f = previous_[e]; f != kNone; f = previous_[f]) {
      visit(f);
      if (writes(f)) return;
    }
  }

  /// True if the witness, the pair last, keeps the order of CA.
  bool kept_by(std::span<const EventNo> witness) const;
  /// True if `e` may be next after `done`, under CA. A racing access does not wait for its partner.
  bool allows(EventNo e, const Cut& done, EventNo partner = kNone) const {
    if (!between_threads_[e]) return true;
    bool kept = true;
    const auto check = [&](EventNo f) { kept = kept && (f == partner || index_.in(done, f)); };
    const Op op = index_.event(e).op;
    if (op == Op::Read && index_.link(e) != kNone) check(index_.link(e));
    if (op != Op::Allocate) for_each_earlier(e, check);
    return kept;
  }

 private:
  bool writes(EventNo e) const {
    const Op op = index_.event(e).op;
    return is_write(op) || op == Op::AtomicStore || op == Op::AtomicRmw || op == Op::Allocate;
  }

  const TraceIndex& index_;
  std::vector<EventNo> previous_;      ///< access, allocation or atomic access to the same object
  std::vector<bool> between_threads_;  ///< this order puts `e` after an access of another thread
};

}  // namespace omen::vindicate
