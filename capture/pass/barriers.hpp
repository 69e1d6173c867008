/// \file
/// What no check may be moved over, and what ends the validity of a check that was made.
///
/// BigFoot, section 2: a check is legitimate before its access if no acquire lies between, and it covers later accesses
/// up to the next release. For happens-before the two could be told apart; a predictive relation also asks in which
/// critical section an access is. So a check is neither moved over an acquire or release nor taken to hold behind one,
/// whichever it is: it stays in the critical sections of its access. Freed memory becomes another variable, so a free
/// ends what is known too.
///
/// A check that is moved ahead must also be sure to have its access: what may not return, may unwind or may wait for
/// ever is a barrier to motion. It is none to validity, as a check that was made was made.
///
/// Relaxed atomic operations and volatile accesses order nothing, so they are no barriers. Their own checks stay where
/// they are. What overtakes them is done whatever they read: it is sure to happen, with its address known.
#pragma once

#include "llvm/IR/Instruction.h"

namespace omen::placement {

/// What an instruction, or a call with all that is called by it, may do.
struct Effects {
  bool synchronises = false;
  bool frees = false;
  bool may_not_return = false;
  bool is_observable = false;  ///< atomic or volatile accesses, or input and output: a loop may do it for ever

  Effects& operator|=(const Effects& other) {
    synchronises |= other.synchronises;
    frees |= other.frees;
    may_not_return |= other.may_not_return;
    is_observable |= other.is_observable;
    return *this;
  }
  static constexpr Effects all() { return {true, true, true, true}; }
};

Effects effects_of(const llvm::Instruction& instruction);

/// No check is moved over it.
inline bool is_barrier(const llvm::Instruction& instruction) {
  const Effects effects = effects_of(instruction);
  return effects.synchronises || effects.frees || effects.may_not_return;
}

/// No check that was made before it covers an access behind it.
inline bool ends_validity(const llvm::Instruction& instruction) {
  const Effects effects = effects_of(instruction);
  return effects.synchronises || effects.frees;
}

}  // namespace omen::placement
