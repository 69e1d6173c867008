/// \file
/// Updates, as capture/pass/updates.hpp defines them, in GCC's code: a load whose value goes into a store to the same
/// place, and nowhere else. The two checks become one that says so, and an atomic operation whose result is not used
/// says so by its order.
///
/// Runs behind GCC's ThreadSanitizer pass. Invariant: between the load and the store only values are computed and other
/// memory is read, so the check of both stands where each of them would.
#pragma once

#include "capture/gcc/instrumenting_pass.hpp"

namespace omen::gcc_plugin {

InstrumentingPass* updates_pass(gcc::context* context, Level level);

}  // namespace omen::gcc_plugin
