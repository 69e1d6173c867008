/// \file
/// Copies in memory as loops of loads and stores, so that ThreadSanitizer's pass sees each of them and their values can
/// be recorded: words where both addresses are aligned to words, bytes elsewhere. A word keeps together what the
/// program accesses as a whole, and is one event where eight bytes are eight.
#pragma once

namespace llvm {
class Function;
class TargetTransformInfo;
}  // namespace llvm

namespace omen::placement {

void expand_memory_intrinsics(llvm::Function& function, const llvm::TargetTransformInfo& target);

}  // namespace omen::placement
