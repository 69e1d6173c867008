#include "capture/pass/barriers.hpp"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

bool may_be_barrier(const CallBase& call) {
  if (const Function* callee = call.getCalledFunction(); callee != nullptr && is_check_function(callee->getName()))
    return false;
  if (isa<AnyMemIntrinsic>(call)) return true;
  if (!call.hasFnAttr(Attribute::WillReturn) || !call.doesNotThrow()) return true;
  return !call.doesNotAccessMemory() && !(call.hasFnAttr(Attribute::NoSync) && call.hasFnAttr(Attribute::NoFree));
}

}  // namespace

bool is_barrier(const Instruction& instruction) {
  if (const auto* call = dyn_cast<CallBase>(&instruction)) return may_be_barrier(*call);
  return instruction.isAtomic() || instruction.isVolatile() || instruction.mayThrow() || !instruction.willReturn();
}

}  // namespace omen::placement
