#include "capture/pass/private_checks.hpp"

#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

#include "capture/pass/checks.hpp"
#include "capture/pass/reachable_memory.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

bool is_plain(const Instruction& instruction) {
  if (const auto* const load = dyn_cast<LoadInst>(&instruction)) return load->isSimple();
  const auto* const store = dyn_cast<StoreInst>(&instruction);
  return store != nullptr && store->isSimple();
}

/// The C library's, and operator new where this file has none of its own: a pool hands the same blocks around.
bool is_new_block(const Value* object, const TargetLibraryInfo& library) {
  const auto* const call = dyn_cast<CallBase>(object);
  if (call == nullptr || call->getCalledFunction() == nullptr || !call->getCalledFunction()->isDeclaration()) {
    return false;
  }
  return isAllocationFn(call, &library) && !isReallocLikeFn(call->getCalledFunction());
}

/// The instrumentation sees that an address is in a constant, but not that it is in one of two, or goes along one.
bool is_constant(const Value* object) {
  const auto* const variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr && variable->isConstant();
}

}  // namespace

PrivateChecks::PrivateChecks(Function& function, const TargetLibraryInfo& library) : library_(library) {
  for (Instruction& instruction : instructions(function)) {
    if (is_plain(instruction) && is_private(getLoadStorePointerOperand(&instruction)))
      accesses_.push_back(&instruction);
  }
}

bool PrivateChecks::is_private(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return all_of(objects, [&](const Value* object) { return is_constant(object) || is_private_object(object); });
}

bool PrivateChecks::is_private_object(const Value* object) {
  const auto [place, is_new] = objects_.try_emplace(object, false);
  if (is_new) {
    place->second = (isa<AllocaInst>(object) || is_new_block(object, library_)) && !is_given_away(*object);
  }
  return place->second;
}

void PrivateChecks::remove() const {
  for (Instruction* const access : accesses_) {
    Instruction* const before = access->getPrevNonDebugInstruction();
    if (before == nullptr) continue;
    const auto check = as_check(*before);
    if (check && check->address == getLoadStorePointerOperand(access)) before->eraseFromParent();
  }
}

}  // namespace omen::placement
