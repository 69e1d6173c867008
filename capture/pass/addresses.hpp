/// \file
/// When two addresses are a known number of bytes apart: they are written as a base and an offset, and the bases are
/// the same.
///
/// Scalar evolution says what an address is made of, and keeps equal expressions once, so bases compare as pointers. A
/// base stands for a value as long as no loop in which it varies begins another iteration.
#pragma once

#include "llvm/Analysis/ScalarEvolution.h"

#include <cstdint>

namespace omen::placement {

struct Place {
  const llvm::SCEV* base = nullptr;  ///< null: nothing is known of the address
  int64_t offset = 0;
};

Place place_of(llvm::Value* address, llvm::ScalarEvolution& evolution);

}  // namespace omen::placement
