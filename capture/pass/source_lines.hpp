/// \file
/// What a report would call the place of a check: a line, in a function, where that was inlined. Only checks of one
/// place are joined, so that reports name the line that they would have named; those of several are groups
/// (check_groups.hpp).
#pragma once

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

#include <tuple>

namespace omen::placement {

/// Line, file, function, where that is inlined. Blocks within the function do not matter.
using SourceLine = std::tuple<unsigned, const llvm::Metadata*, const llvm::Metadata*, const llvm::Metadata*>;

inline SourceLine source_line(const llvm::DILocation& location) {
  const llvm::DILocalScope* const scope = location.getScope();
  return {location.getLine(), scope->getFile(), scope->getSubprogram(), location.getInlinedAt()};
}

inline SourceLine source_line(const llvm::Instruction& instruction) {
  const llvm::DILocation* const location = instruction.getDebugLoc();
  return location == nullptr ? SourceLine{0, nullptr, nullptr, nullptr} : source_line(*location);
}

}  // namespace omen::placement
