/// \file
/// Adds the checks that GCC's ThreadSanitizer pass leaves out: of memory that a call copies as an argument, of memory
/// that a call returns into, and of copies and fills that a program asks of a builtin function by its own name
/// (docs/instrumentation.md).
///
/// Runs ahead of GCC's pass, which adds the checks of all other accesses. Like GCC's pass it leaves out local variables
/// whose address no other thread can have.
#pragma once

#include "capture/gcc/instrumenting_pass.hpp"

namespace omen::gcc_plugin {

InstrumentingPass* missing_checks_pass(gcc::context* context, Level level);

}  // namespace omen::gcc_plugin
