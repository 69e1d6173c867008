/// \file
/// Runs the witness of a predicted race in the interpreter, step by step: the final check of every prediction.
#pragma once

#include <memory>

#include "mini/code.hpp"
#include "trace/values/front_end.hpp"

namespace omen::mini {

/// `code` outlives the result.
std::unique_ptr<values::Reexecutor> reexecutor(const Code& code);

}  // namespace omen::mini
