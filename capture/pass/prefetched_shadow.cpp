#include "capture/pass/prefetched_shadow.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace omen::placement {

using namespace llvm;

bool prefetch_shadow(Function& function) {
  SmallVector<IntrinsicInst*, 4> found;
  for (Instruction& instruction : instructions(function)) {
    auto* const call = dyn_cast<IntrinsicInst>(&instruction);
    if (call != nullptr && call->getIntrinsicID() == Intrinsic::prefetch) found.push_back(call);
  }
  for (IntrinsicInst* call : found) {
    IRBuilder<> builder(call->getNextNode());
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    const FunctionCallee callee = function.getParent()->getOrInsertFunction(
        "__omen_prefetch", FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false));
    builder.CreateCall(callee, {call->getArgOperand(0)});
  }
  return !found.empty();
}

}  // namespace omen::placement
