/// \file
/// Finds the certificate (certificate.hpp) of a pair that is not predictable under LW.
///
/// The needs of the pair become known. If they already contain one of the accesses, the certificate is a chain of
/// `follow`. Otherwise the disjunctions over known events (rival sections; readers and other writers; lives) are
/// decided:
/// 1. those with an alternative that closes a cycle, to a fixpoint;
/// 2. those with an alternative that does so once its needs are known as well (probing);
/// 3. any other: one alternative is refuted in a branch of its own, and the other is taken.
/// If no clause is left and there is no contradiction, the known events in any order that extends the must-order are a
/// witness. So without a limit every pair that is not predictable has a certificate. The tree may be exponential in the
/// trace; `work` bounds it.
///
/// The search does not depend on the step that decided the pair (order, search or Z3).
#pragma once

#include <cstdint>
#include <optional>

#include "vindicate/certificate.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

struct CertifyBudget {
  std::size_t entries = 0;  ///< entries of the clocks of a branch: events times threads
  std::uint64_t work = 0;   ///< clauses examined, and clock entries copied into branches

  /// `window` as for `Budget::of`.
  static CertifyBudget of(std::uint64_t window);
};

struct Certification {
  enum class Kind : std::uint8_t { Certified, TooLarge, TooMuchWork, Predictable };

  Kind kind;
  /// If the pair was certified.
  std::optional<Certificate> certificate{};  // NOLINT(readability-redundant-member-init): GCC wants it
};

/// The pair must conflict.
Certification certify(const TraceIndex& index, Pair pair, const CertifyBudget& budget);

}  // namespace omen::vindicate
