/// \file
/// A refutation on its way to a certificate: the steps of one branch up to its contradiction, reduced to those that the
/// contradiction rests on.
///
/// A clause has two alternatives; a branch refutes one and continues with the other. A refutation carries the facts it
/// rests on: if it does not rest on its own assumption, it refutes the parent too, and the clause is dropped
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

/// `from` comes before `to`. `from` is `kNone`: no reordering takes this alternative.
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
  /// Of a clause: what the branch goes on with, and how the other alternative is refuted.
  struct Choice {
    Clause clause;
    std::size_t refuted;
    std::unique_ptr<Refutation> refutation;  ///< none: it is not possible
    Alternative taken() const { return clause.alternatives[1 - refuted]; }
  };

  Edge edge{};                     ///< without a choice: whose source becomes known
  std::unique_ptr<Choice> choice;  ///< else its taken alternative's `from` does
  std::uint32_t known_before = 0;  ///< how many events of that thread were
};

/// The facts that a refutation rests on. A known event stands for the prefix of its thread up to it.
struct Footing {
  std::set<std::pair<std::size_t, std::uint32_t>> known;  ///< thread, position
  std::set<std::pair<EventNo, EventNo>> assumed;

  /// True if some event of the thread at or after `position` was needed; none is any more.
  bool release(std::size_t thread, std::uint32_t position);
  void add(const Footing& other);
};

/// Ends with a cycle, or with a clause of which both alternatives are impossible.
struct Refutation {
  std::vector<RefutationStep> steps;
  std::vector<Edge> cycle;
  std::optional<Clause> dead_end;
  Footing footing;  ///< set by `reduce`
};

/// Drops the steps that the cycle does not rest on.
void reduce(Refutation& refutation, const TraceIndex& index, Pair pair);

/// The certificate that it is.
Certificate certificate_of(const Refutation& refutation, Pair pair);

}  // namespace omen::vindicate
