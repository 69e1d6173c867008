#include "capture/pass/reachable_memory.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"

#include "capture/pass/summaries.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// Uses of one variable that are looked at before it counts as given away: without optimisation each mention is one.
constexpr unsigned kMostUses = 4096;

/// Whether an address is given to anybody. A call that copies the variable does not learn its address, one that is
/// known to keep none forgets it, and a comparison tells nobody.
struct Giving : CaptureTracker {
  bool found = false;

  void tooManyUses() override { found = true; }
  bool captured(const Use* use) override {
    if (isa<ICmpInst>(use->getUser())) return false;
    const auto* call = dyn_cast<CallBase>(use->getUser());
    if (call != nullptr && call->isArgOperand(use) && forgets(*call, call->getArgOperandNo(use))) return false;
    found = true;
    return true;
  }

  static bool forgets(const CallBase& call, unsigned argument) {
    if (call.isByValArgument(argument)) return true;
    const Function* const callee = call.getCalledFunction();
    return callee != nullptr && keeps_no_address(*callee, argument);
  }
};

/// A slot of a virtual table: what a pointer that is marked as one to such a table leads to.
bool is_virtual_table(const Value* object) {
  const auto* load = dyn_cast<LoadInst>(object);
  if (load == nullptr) return false;
  const MDNode* const tag = load->getMetadata(LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

/// Counters of coverage and profiles, which the compiler adds and the program does not know.
bool is_counter(const GlobalVariable& variable) {
  return variable.getName().starts_with("__llvm_") || variable.getName().starts_with("__prof");
}

}  // namespace

bool ReachableMemory::contains(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return any_of(objects, [&](const Value* object) { return is_reachable(object); });
}

bool ReachableMemory::is_reachable(const Value* object) {
  if (const auto* variable = dyn_cast<AllocaInst>(object)) return is_given_away(variable);
  if (const auto* variable = dyn_cast<GlobalVariable>(object)) {
    return !variable->isConstant() && !is_counter(*variable);
  }
  return !is_virtual_table(object);
}

bool ReachableMemory::is_given_away(const AllocaInst* variable) {
  const auto [place, is_new] = given_away_.try_emplace(variable, true);
  if (is_new) place->second = placement::is_given_away(*variable);
  return place->second;
}

bool is_given_away(const Value& pointer) {
  Giving giving;
  PointerMayBeCaptured(&pointer, &giving, kMostUses);
  return giving.found;
}

}  // namespace omen::placement
