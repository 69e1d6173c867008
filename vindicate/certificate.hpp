/// \file
/// A certificate proves that a pair of accesses is not predictable under LW. It is a proof tree that a small checker
/// follows (proofs/CertificateSound.v; run by `omen check --certificates`). This file defines its form, in memory and
/// as text.
///
/// The tree derives facts that would hold in every correct reordering after which both accesses come next: which events
/// are executed, a prefix of each thread, and which comes before which. The pair comes after all of them, as one node.
///
/// | step | branches | says |
/// | --- | --- | --- |
/// | `follow RULE A B` | 1 | B is executed and A comes before it, so A is executed |
/// | `rivals A B` | 2 | A and B start rival sections: A's ends before B, or B's ends before A |
/// | `writers R W` | 2 | W writes what R sees and R does not see W: R is before W, or W before what R sees |
/// | `cycle RULE A B …` | 0 | these edges form a cycle |
/// | `impossible` | 0 | in place of a branch that no reordering takes, for example because a section never ends |
///
/// Edge rules: `thread` (program order), `hard` (fork, join, barrier), `source` (what B reads, or the allocation that
/// began the life in which B accesses), `assumed` (the assumption of the branch), `pair` (A is executed, B is one of
/// the pair).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "trace/error.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

enum class EdgeRule : std::uint8_t { Thread, Hard, Source, Assumed, Pair };
std::string_view name(EdgeRule rule);

struct Edge {
  EdgeRule rule;
  EventNo from;
  EventNo to;
};

struct CertificateStep {
  enum class Kind : std::uint8_t { Follow, Rivals, Writers, Cycle, Impossible };

  Kind kind;
  EventNo first = kNone;  ///< of rivals and writers
  EventNo second = kNone;
  /// Of a cycle: its edges; of `follow`: one edge.
  std::vector<Edge> edges{};  // NOLINT(readability-redundant-member-init): GCC wants it
};

/// The number of branches of a step of this kind.
std::size_t branches(CertificateStep::Kind kind);

struct Certificate {
  Pair pair;
  std::vector<CertificateStep> steps;  ///< a step, then its branches in order
};

/// One step per line, below `pair I J`.
std::string to_text(const Certificate& certificate);

/// All certificates of a file. Lines that begin with `#` are comments.
std::expected<std::vector<Certificate>, InputError> read_certificates(const std::string& path);

}  // namespace omen::vindicate
