#include "capture/pass/barriers.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include "capture/pass/checks.hpp"
#include "capture/pass/instrumented.hpp"
#include "capture/pass/summaries.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// What ThreadSanitizer's pass makes of an atomic operation: its orders are the last arguments, 0 is relaxed.
/// Above the order itself stands whether the result is used (updates.cpp).
constexpr uint64_t kOrders = 0x10000;

bool is_relaxed_callback(const CallBase& call, StringRef name) {
  const unsigned orders = name.contains("compare_exchange") ? 2 : 1;
  if (call.arg_size() <= orders) return false;  // a fence
  for (unsigned at = call.arg_size() - orders; at < call.arg_size(); ++at) {
    const auto* const order = dyn_cast<ConstantInt>(call.getArgOperand(at));
    if (order == nullptr || order->getZExtValue() % kOrders != 0) return false;
  }
  return true;
}

Effects of_declared(const CallBase& call) {
  const bool orders = !call.doesNotAccessMemory() && !call.hasFnAttr(Attribute::NoSync);
  const bool frees = !call.doesNotAccessMemory() && !call.hasFnAttr(Attribute::NoFree);
  return {orders, frees, !call.hasFnAttr(Attribute::WillReturn) || !call.doesNotThrow(), !call.doesNotAccessMemory()};
}

Effects of_call(const CallBase& call) {
  if (call.isInlineAsm()) return of_declared(call);
  if (const auto* const copy = dyn_cast<AnyMemIntrinsic>(&call)) return {false, false, false, copy->isVolatile()};
  const Function* const callee = call.getCalledFunction();
  if (callee == nullptr) return of_declared(call);
  const StringRef name = callee->getName();
  if (is_check_function(name)) return {false, false, false, name.contains("volatile")};
  if (name.starts_with("__omen_read_update")) return {};
  if (name == "__tsan_memcpy" || name == "__tsan_memmove" || name == "__tsan_memset") return {};
  if (name.starts_with("__tsan_atomic") && is_relaxed_callback(call, name)) return {false, false, false, true};
  if (const auto known = summary_of(*callee)) return *known;
  return of_declared(call);
}

}  // namespace

Effects effects_of(const Instruction& instruction) {
  if (const auto* const call = dyn_cast<CallBase>(&instruction)) return of_call(*call);
  Effects effects;
  effects.may_not_return = instruction.mayThrow() || !instruction.willReturn();
  effects.is_observable = instruction.isAtomic() || instruction.isVolatile();
  if (const auto* const load = dyn_cast<LoadInst>(&instruction)) {
    if (load->isAtomic() && load->hasMetadata(kLook)) return {};
    effects.synchronises = isStrongerThanMonotonic(load->getOrdering());
    if (load->isVolatile()) effects.may_not_return = false;
  } else if (const auto* const store = dyn_cast<StoreInst>(&instruction)) {
    effects.synchronises = isStrongerThanMonotonic(store->getOrdering());
    if (store->isVolatile()) effects.may_not_return = false;
  } else {
    effects.synchronises = instruction.isAtomic() && !isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction);
    if (const auto* const rmw = dyn_cast<AtomicRMWInst>(&instruction))
      effects.synchronises = isStrongerThanMonotonic(rmw->getOrdering());
    if (const auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      effects.synchronises = isStrongerThanMonotonic(exchange->getMergedOrdering());
  }
  return effects;
}

}  // namespace omen::placement
