/// \file
/// The other paths that a recorded thread may take from one of its branches: RECIPE, section IV.
///
/// The recorded run is replayed up to the branch; there the interpreter is forced into the other direction, with the
/// memory at that point as a guess of the values it will read. Values stay symbolic, so a later branch on one may go in
/// both directions; an index or an object that depends on one is fixed to its guess. Divisors are assumed not to be 0,
/// and assertions to hold. Each loop is entered at most once more by a condition on values. A path ends at the thread's
/// end, at a fault caused by a guess, where it would wait for a thread that has not ended in the recorded run, where it
/// would spawn a thread of a number that the recorded run has used differently (by another thread, before the branch,
/// or with other arguments), or at the bounds below.
#pragma once

#include <memory>

#include "mini/recorder.hpp"
#include "trace/values/front_end.hpp"

namespace omen::mini {

struct PathBounds {
  std::size_t events = 300;  ///< of one path
  std::size_t paths = 16;    ///< from one branch
};

/// For the value trace that `record` returned for this schedule. `code` outlives the provider.
std::unique_ptr<values::PathProvider> path_provider(const Code& code, Schedule schedule, PathBounds bounds = {});

}  // namespace omen::mini
