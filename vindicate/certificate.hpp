/// \file
/// A certificate refutes that a pair of accesses is predictable under LW: a proof tree that a small checker follows
/// (proofs/CertificateSound.v; run by `omen check --certificates`). This file is its form, in memory and as text.
///
/// The tree collects what would hold in every correct reordering after which both accesses come next: which events are
/// executed, a prefix of each thread, and which comes before which. The pair stands behind all of them, as one node.
///
/// | step | branches | says |
/// | --- | --- | --- |
/// | `follow RULE A B` | 1 | B is executed and A comes before it, so A is executed |
/// | `rivals A B` | 2 | A and B start rival sections: A's ends before B, or B's ends before A |
/// | `writers R W` | 2 | W writes what R sees and R does not see W: R is before W, or W before what R sees |
/// | `cycle RULE A B …` | 0 | these edges lead back to where they began |
/// | `impossible` | 0 | in place of a branch that no reordering takes, as a section never ends |
///
/// Edge rules: `thread` (program order), `hard` (fork, join, barrier), `source` (what B reads, or the allocation that
/// began the life in which B accesses), `assumed` (the branch that was taken), `pair` (A is executed, B is of the
/// pair).
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
  /// Of a cycle; one of follow.
  std::vector<Edge> edges{};  // NOLINT(readability-redundant-member-init): GCC wants it
};

/// How many steps follow directly below a step of this kind.
std::size_t branches(CertificateStep::Kind kind);

struct Certificate {
  Pair pair;
  std::vector<CertificateStep> steps;  ///< a step, then its branches in order
};

/// One step a line, below `pair I J`.
std::string to_text(const Certificate& certificate);

/// All certificates of a file. Lines that begin with `#` are comments.
std::expected<std::vector<Certificate>, InputError> read_certificates(const std::string& path);

}  // namespace omen::vindicate
