/// \file
/// Checks of several source lines in one call, `__omen_read_write_lines` (capture/abi/check_group.hpp): how they are
/// written, and read back. grouped_checks.hpp makes them.
///
/// The places of a function's members are a function beside it, of one byte for each, which is never called. Its debug
/// information says that it is the function itself: the same name, inlined from the same calls.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <optional>

namespace omen::placement {

struct GroupMember {
  uint64_t mask = 0;  ///< of bytes from the group's address on
  bool is_write = false;
  const llvm::DILocation* line = nullptr;
};

struct CheckGroup {
  llvm::CallInst* call = nullptr;
  llvm::Value* address = nullptr;
  llvm::SmallVector<GroupMember, 4> members;  ///< in the order in which they are looked at

  uint64_t read() const { return mask_of(false); }
  uint64_t written() const { return mask_of(true); }

 private:
  uint64_t mask_of(bool is_write) const;
};

/// Whether lines of the function can be told apart: it has debug information.
bool can_have_groups(const llvm::Function& function);

llvm::CallInst* make_group(llvm::IRBuilderBase& builder, llvm::Value* address, llvm::ArrayRef<GroupMember> members);

/// The group that a call is. None for anything else, and for one that is made only where a look says so.
std::optional<CheckGroup> as_group(llvm::Instruction& instruction);

}  // namespace omen::placement
