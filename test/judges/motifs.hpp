/// \file
/// Motifs: small executions, each known to distinguish two relations or to have misled an implementation. The generator
/// perturbs them, because random steps alone rarely produce them.
#pragma once

#include <cstddef>
#include <vector>

#include "test/judges/interleaver.hpp"

namespace omen::judges {

struct MotifStep {
  std::size_t thread;
  Step step;
};
using Motif = std::vector<MotifStep>;

/// How a motif passes order from one thread to the next: conflicting sections, or an operation that orders by itself.
/// `AtomicSection`: sections whose only common data is an atomic.
enum class Link { Section, Sync, Atomic, Barrier, AtomicSection };

/// HB against WCP: SmartTrack's Figure 1 (Vindicator's too). Sections on one lock without a conflict.
Motif sections_without_conflict(Random& random);

/// WCP against DC: Figure 2. A conflict's order followed by sections without one.
Motif order_composed_with_hb(Random& random);

/// DC against WDC: Figure 4. Order that leaves a section and comes back into a later one on the same lock.
Motif order_between_sections(Random& random, const std::vector<Link>& links);

/// SmartTrack's Figures 3 and 5: an access in a section that is still open when another thread, ordered after the
/// access, accesses the variable too; a third thread's access must still be ordered after the section's end.
Motif section_outlives_access(Random& random, const std::vector<Link>& links);

/// Order that travels from a thread to another, back, and on to a third.
Motif round_trip(Random& random);

/// Rule (b) of WCP between two sections of one thread: order that leaves the first and comes back into the second.
Motif back_into_own_section(Random& random, const std::vector<Link>& links);

/// Rule (b) on one lock whose condition holds only by rule (b) on another.
Motif rule_b_twice(Random& random, const std::vector<Link>& links);

/// A thread accesses a variable several times, inside and outside of sections on one lock. Another accesses it after
/// that, by order that is not WCP, and a third after both, in a section on the lock. A race on another variable depends
/// on which of the first thread's sections the third comes after.
Motif sections_of_earlier_accesses(Random& random, const std::vector<Link>& links);

/// An access, an atomic write, rmws of other threads, an atomic read, an access; any orders, with and without fences.
Motif publication(Random& random);

/// A section that is open at a fork, and sections on its lock of the new thread or of one that it forks.
Motif fork_in_section(Random& random);

/// A thread is joined inside a section on a lock that it has used too.
Motif join_in_section(Random& random);

/// Sections of several threads that read and write an atomic, some of them shared, between two accesses.
Motif atomics_in_sections(Random& random);

/// Two readers, where a section of one orders the other before a writer.
Motif two_readers_one_writer(Random& random);

}  // namespace omen::judges
