/// \file
/// A refutation in the making: the steps of one branch up to its contradiction, reduced to those that the contradiction
/// depends on.
///
/// A clause has two alternatives; a branch refutes one and continues with the other. A refutation stores the facts that
/// it depends on: if it does not depend on its own assumption, it refutes the parent too, and the clause is dropped
/// (backjumping).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "vindicate/certificate.hpp"
#include "vindicate/certificate_order.hpp"

namespace omen::vindicate {

/// `from` comes before `to`. If `from` is `kNone`, no reordering takes this alternative.
struct Alternative {
  EventNo from = kNone;
  EventNo to = kNone;
  bool possible() const { return from != kNone; }
};

/// One of the alternatives holds.
struct Clause {
  CertificateStep::Kind kind;  ///< rivals or writers
  EventNo first;
  EventNo second;
  std::array<Alternative, 2> alternatives;
};

struct Refutation;

struct RefutationStep {
  /// The decision of a clause: the alternative that the branch continues with, and how the other one is refuted.
  struct Choice {
    Clause clause;
    std::size_t refuted;
    std::unique_ptr<Refutation> refutation;  ///< null: the alternative is not possible
    Alternative taken() const { return clause.alternatives[1 - refuted]; }
  };

  Edge edge{};                     ///< without a choice: its source becomes known
  std::unique_ptr<Choice> choice;  ///< otherwise the `from` of its taken alternative becomes known
  std::uint32_t known_before = 0;  ///< how many events of that thread were known
};

/// The facts that a refutation depends on. A known event stands for the prefix of its thread up to it.
struct Footing {
  std::set<std::pair<std::size_t, std::uint32_t>> known;  ///< thread, position
  std::set<std::pair<EventNo, EventNo>> assumed;

  /// Removes the events of the thread at or after `position`. True if some were needed.
  bool release(std::size_t thread, std::uint32_t position);
  void add(const Footing& other);
};

/// Ends with a cycle, or with a clause both of whose alternatives are impossible.
struct Refutation {
  std::vector<RefutationStep> steps;
  std::vector<Edge> cycle;
  std::optional<Clause> dead_end;
  Footing footing;  ///< set by `reduce`
};

/// Drops the steps that the cycle does not depend on.
void reduce(Refutation& refutation, const TraceIndex& index, Pair pair);

/// Converts the refutation to a certificate.
Certificate certificate_of(const Refutation& refutation, Pair pair);

}  // namespace omen::vindicate
