/// \file
/// What a report would call the place of a check: a line, in a function, where that was inlined. Only checks of one
/// place are joined, so that reports name the line that they would have named.
#pragma once

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

#include <tuple>

namespace omen::placement {

/// Line, file, function, where that is inlined. Blocks within the function do not matter.
using SourceLine = std::tuple<unsigned, const llvm::Metadata*, const llvm::Metadata*, const llvm::Metadata*>;

inline SourceLine source_line(const llvm::Instruction& instruction) {
  const llvm::DILocation* const location = instruction.getDebugLoc();
  if (location == nullptr) return {0, nullptr, nullptr, nullptr};
  const llvm::DILocalScope* const scope = location->getScope();
  return {location->getLine(), scope->getFile(), scope->getSubprogram(), location->getInlinedAt()};
}

}  // namespace omen::placement
