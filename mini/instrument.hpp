/// \file
/// VectorClock race detection as a source-to-source pass: *Verifying Dynamic Race Detection*,
/// Figures 8 and 9, with the locks of section 4.3.
///
/// The clocks C, L, R and W of Figure 2 become shared arrays of the program, one entry per thread: `vc_C` holds the
/// rows C[t]; `vc_W_x` and `vc_R_x` belong to the variable x, `vc_L_m` to the lock m, and are fields if x or m is a
/// field. `vc_X_x` is the lock X[x] that guards x's metadata. An access that races fails an assertion.
///
/// Departures from the paper:
/// - Figure 8's max(p, q) stores into p; Figure 9 uses it as if it stored into q, and so does this pass.
/// - An entry is stored only if the maximum changes it.
/// - C[t][t] is initially 1, as in Figure 2's initial state (memory of its language is initially 0).
/// - `wait u` does not increment C[u]: section 3.4, so that several threads may wait for one.
/// - Expressions here hold several loads, calls and divisions. They are split, one statement for each in the order of
///   evaluation, so that each load has its own instrumentation and faults occur at the same points.
/// - The thread's number is not known statically: it is a parameter `vc_t` of every function.
///
/// Programs must not unlock locks that they do not hold, nor spawn two threads of one number: such faults occur only
/// after the metadata has changed.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "mini/ast.hpp"
#include "trace/error.hpp"

namespace omen::mini {

/// The source of the instrumented program. `program` was accepted by the checker and has no name that begins with
/// `vc_`. `threads` is one more than the largest number of a thread; without it, the numbers in the program's spawns
/// must be constants.
std::expected<std::string, InputError> instrument(const Program& program, std::optional<std::uint32_t> threads = {});

}  // namespace omen::mini
