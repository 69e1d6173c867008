#include "capture/pass/deciding_loads.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include "capture/pass/addresses.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

bool only_computes(const Instruction& instruction) {
  if (const auto* const operation = dyn_cast<BinaryOperator>(&instruction)) return !operation->isIntDivRem();
  if (const auto* const call = dyn_cast<IntrinsicInst>(&instruction)) {
    return call->doesNotAccessMemory() && call->willReturn() && !call->isAssumeLikeIntrinsic();
  }
  return isa<CastInst, CmpInst, SelectInst, PHINode, FreezeInst, UnaryOperator, GetElementPtrInst, ExtractValueInst,
             InsertValueInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(instruction);
}

}  // namespace

DecidingLoads::Role DecidingLoads::role_of(const LoadInst& load, SmallVectorImpl<const StoreInst*>& stores) const {
  SmallVector<const Value*, 8> values{&load};
  SmallPtrSet<const Value*, 16> known{&load};
  while (!values.empty()) {
    const Value* const value = values.pop_back_val();
    for (const Use& use : value->uses()) {
      const auto* const user = dyn_cast<Instruction>(use.getUser());
      if (user == nullptr) return Role::Decides;
      if (!loop_.contains(user)) continue;
      if (const auto* const store = dyn_cast<StoreInst>(user); store != nullptr && use.getOperandNo() == 0) {
        stores.push_back(store);
      } else if (!only_computes(*user)) {
        return Role::Decides;
      } else if (known.insert(user).second) {
        values.push_back(user);
      }
    }
  }
  return stores.empty() ? Role::None : Role::Stored;
}

DecidingLoads::DecidingLoads(const Loop& loop, AAResults& aliases) : loop_(loop) {
  SmallVector<std::pair<const LoadInst*, SmallVector<const StoreInst*, 2>>, 4> stored;
  SmallVector<const CallBase*, 4> calls;
  for (const BasicBlock* const block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      if (const auto* const call = dyn_cast<CallBase>(&instruction); call != nullptr && call->mayReadFromMemory()) {
        calls.push_back(call);
      }
      const auto* const load = dyn_cast<LoadInst>(&instruction);
      if (load == nullptr) continue;
      SmallVector<const StoreInst*, 2> stores;
      const Role role = role_of(*load, stores);
      if (role == Role::Decides) loads_.insert(load);
      if (role == Role::Stored) stored.emplace_back(load, std::move(stores));
    }
  }
  const auto is_seen = [&](const StoreInst* store) {
    const MemoryLocation place = MemoryLocation::getBeforeOrAfter(store->getPointerOperand());
    return any_of(loads_,
                  [&](const LoadInst* load) {
                    return !aliases.isNoAlias(place, MemoryLocation::getBeforeOrAfter(load->getPointerOperand()));
                  }) ||
           any_of(calls, [&](const CallBase* call) { return isRefSet(aliases.getModRefInfo(call, place)); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [load, stores] : stored) {
      if (!loads_.contains(load) && any_of(stores, is_seen)) changed |= loads_.insert(load).second;
    }
  }
}

bool DecidingLoads::are_checked_by(const Check& check, ScalarEvolution& evolution) const {
  const Place place = place_of(check.address, evolution);
  return any_of(loads_, [&](const LoadInst* load) {
    const Place other = place_of(const_cast<Value*>(load->getPointerOperand()), evolution);
    if (place.base == nullptr || other.base == nullptr) return true;
    if (place.base != other.base) return false;
    const TypeSize size = load->getModule()->getDataLayout().getTypeStoreSize(load->getType());
    if (size.isScalable()) return true;
    const int64_t end = other.offset + static_cast<int64_t>(size.getFixedValue());
    return any_of(check.runs, [&](const Run& run) {
      return place.offset + run.begin < end && other.offset < place.offset + run.end;
    });
  });
}

}  // namespace omen::placement
