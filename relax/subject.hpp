/// \file
/// What is predicted from: a plain trace, or a value trace with what its front end offers.
#pragma once

#include "relax/execution.hpp"
#include "trace/trace.hpp"
#include "trace/values/front_end.hpp"

namespace omen::relax {

/// Exactly one of `plain` and `values` is set. All outlive the prediction.
struct Subject {
  const Trace* plain = nullptr;
  values::ValueTrace* values = nullptr;  ///< path providers add to it
  values::PathProvider* paths = nullptr;
  const values::Reexecutor* reexecutor = nullptr;

  std::size_t size() const { return plain != nullptr ? plain->size() : values->size(); }
  const Names& names() const { return plain != nullptr ? plain->names : values->names; }
  Execution execution(const Window& window, const Turn& turn = {}) const {
    return plain != nullptr ? execution_of(*plain, window) : execution_of(*values, window, turn);
  }
};

}  // namespace omen::relax
