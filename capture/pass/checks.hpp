/// \file
/// What a check is: a call that the instrumentation put in front of an access, or that takes the place of several such
/// calls.
///
/// A check names a kind, an address and bytes. The bytes are known (runs beside the address), or they are a range whose
/// length is computed. Everything that the other files do is to read checks, take some away and make others.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Alignment.h"

#include <cstdint>
#include <optional>

namespace omen::placement {

/// ReadWrite is a compound access such as `++x`: a read, then a write.
enum class Kind : uint8_t { Read, Write, ReadWrite };

/// Bytes from `begin` up to, and without, `end`, counted from an address.
struct Run {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

/// In order, and apart from each other.
using Runs = llvm::SmallVector<Run, 2>;

struct Check {
  llvm::CallInst* call = nullptr;
  Kind kind = Kind::Read;
  llvm::Value* address = nullptr;
  Runs runs;                      ///< empty if the length is computed
  llvm::Value* length = nullptr;  ///< of a range, if it is not a constant
  llvm::Align alignment;          ///< of the address, as far as the call tells
};

/// Whether something is a call of a function that only looks at accesses: it neither synchronises nor frees.
bool is_check_function(llvm::StringRef name);

/// The check that a call is. None for anything else; for an access that is volatile, as when those happen is what
/// matters about them; and for a check that is made only where a look says so. Their checks stay where they are.
std::optional<Check> as_check(llvm::Instruction& instruction);

/// The check of an update (updates.hpp): a read and a write of known bytes, which stay together in their place.
std::optional<Check> as_update(llvm::Instruction& instruction);

/// The runs as one list in order, where neighbours and overlapping runs are one.
void unite(Runs& runs);

/// A bit for each byte of the runs, which are within 64 bytes from `begin` on.
uint64_t mask_of(llvm::ArrayRef<Run> runs, int64_t begin);

/// What a mask says, as runs.
Runs runs_of(uint64_t mask);

/// A call, at the builder's place, for known bytes beside `address`, the first of which has an alignment. Only for what
/// `has_function` says exists. It is said to touch no memory, as all checks are while they are placed
/// (placed_checks.hpp).
llvm::CallInst* make_check(llvm::IRBuilderBase& builder, Kind kind, llvm::Value* address, llvm::ArrayRef<Run> runs,
                           llvm::Align alignment);
bool has_function(Kind kind, llvm::ArrayRef<Run> runs, llvm::Align alignment);

/// Bytes that one mask can name.
inline constexpr int64_t kMaskBytes = 64;

/// As `make_check`, of a read and then a write: one call if there is a function for these bytes, or else two.
void make_read_write_checks(llvm::IRBuilderBase& builder, llvm::Value* address, llvm::ArrayRef<Run> runs,
                            llvm::Align alignment);

/// A call for those of 64 bytes that a mask, computed at run time, selects.
llvm::CallInst* make_mask_check(llvm::IRBuilderBase& builder, Kind kind, llvm::Value* address, llvm::Value* mask);

/// The same of `count` places, each `stride` bytes behind the one before. What it checks cannot be read back by
/// `as_check`: it stays where it is.
llvm::CallInst* make_strided_check(llvm::IRBuilderBase& builder, Kind kind, llvm::Value* address, llvm::Value* count,
                                   llvm::Value* stride, llvm::Value* mask);
/// Of a call that `make_strided_check` has made.
std::optional<Kind> kind_of_strided_check(const llvm::Instruction& instruction);

/// A call for `length` bytes.
llvm::CallInst* make_range_check(llvm::IRBuilderBase& builder, Kind kind, llvm::Value* address, llvm::Value* length);

}  // namespace omen::placement
