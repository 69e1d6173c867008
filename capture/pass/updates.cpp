#include "capture/pass/updates.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>
#include <string>

#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// Instructions that a value may go through. More than that is no update that anybody wrote.
constexpr unsigned kMostSteps = 32;

/// Gives a value from values, whatever these are: it cannot trap, branch or touch memory.
bool only_computes(const Instruction& instruction) {
  if (const auto* const operation = dyn_cast<BinaryOperator>(&instruction)) {
    switch (operation->getOpcode()) {
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::URem:
      case Instruction::SRem:
        return false;  // a divisor may be zero, a quotient too large
      default:
        return true;
    }
  }
  if (const auto* const call = dyn_cast<IntrinsicInst>(&instruction)) {
    switch (call->getIntrinsicID()) {
      case Intrinsic::abs:
      case Intrinsic::fabs:
      case Intrinsic::fma:
      case Intrinsic::fmuladd:
      case Intrinsic::fshl:
      case Intrinsic::fshr:
      case Intrinsic::maxnum:
      case Intrinsic::minnum:
      case Intrinsic::sadd_sat:
      case Intrinsic::smax:
      case Intrinsic::smin:
      case Intrinsic::ssub_sat:
      case Intrinsic::uadd_sat:
      case Intrinsic::umax:
      case Intrinsic::umin:
      case Intrinsic::usub_sat:
        return true;
      default:
        return false;
    }
  }
  return isa<CastInst, CmpInst, SelectInst, FreezeInst, UnaryOperator>(instruction);
}

bool goes_only_into(const LoadInst& load, const StoreInst& store) {
  SmallVector<const Value*, 8> values{&load};
  SmallPtrSet<const Value*, 8> known{&load};
  while (!values.empty()) {
    const Value* const value = values.pop_back_val();
    for (const Use& use : value->uses()) {
      if (use.getUser() == &store) {
        if (use.getOperandNo() != 0) return false;  // its address
        continue;
      }
      const auto* const user = dyn_cast<Instruction>(use.getUser());
      if (user == nullptr || !only_computes(*user) || known.size() == kMostSteps) return false;
      if (known.insert(user).second) values.push_back(user);
    }
  }
  return true;
}

/// The call in front of the access that checks it as a whole, if it is one of `__tsan_read8` and its like.
CallInst* plain_check_of(Instruction& access, StringRef kind) {
  auto* const call = dyn_cast_or_null<CallInst>(access.getPrevNonDebugInstruction());
  if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_size() != 1) return nullptr;
  StringRef name = call->getCalledFunction()->getName();
  if (!name.consume_front("__tsan_")) return nullptr;
  name.consume_front("unaligned_");
  if (!name.consume_front(kind) || call->getArgOperand(0) != getLoadStorePointerOperand(&access)) return nullptr;
  uint64_t bytes = 0;
  const TypeSize size = access.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  if (name.getAsInteger(10, bytes) || size.isScalable() || size.getFixedValue() != bytes || bytes > 8) return nullptr;
  return call;
}

struct Update {
  CallInst* read;
  CallInst* write;
  uint64_t bytes;
};

/// The update that begins with the load.
std::optional<Update> update_from(LoadInst& load) {
  if (!load.isSimple()) return std::nullopt;
  CallInst* const read = plain_check_of(load, "read");
  if (read == nullptr) return std::nullopt;
  for (Instruction* at = load.getNextNode(); at != nullptr; at = at->getNextNode()) {
    if (auto* const store = dyn_cast<StoreInst>(at)) {
      CallInst* const write = plain_check_of(*store, "write");
      const bool is_update = store->isSimple() && write != nullptr &&
                             store->getPointerOperand() == load.getPointerOperand() &&
                             store->getValueOperand()->getType() == load.getType() && goes_only_into(load, *store);
      if (!is_update) return std::nullopt;
      return Update{read, write, load.getModule()->getDataLayout().getTypeStoreSize(load.getType()).getFixedValue()};
    }
    const auto* const call = dyn_cast<CallInst>(at);
    const bool is_check =
        call != nullptr && call->getCalledFunction() != nullptr && plain_check_of(*at->getNextNode(), "write") == call;
    if (is_check || isa<DbgInfoIntrinsic>(at)) continue;
    if (!only_computes(*at) && !isa<GetElementPtrInst>(at)) return std::nullopt;
  }
  return std::nullopt;
}

/// Loops without barriers, whose checks placement moves.
class QuietLoops {
 public:
  explicit QuietLoops(Function& function) : dominators_(function), loops_(dominators_) {}

  bool contain(const BasicBlock* block) {
    const Loop* const loop = loops_.getLoopFor(block);
    if (loop == nullptr) return false;
    const auto [place, is_new] = known_.try_emplace(loop, false);
    if (is_new) place->second = none_of(loop->blocks(), [](const BasicBlock* of) { return any_of(*of, is_barrier); });
    return place->second;
  }

 private:
  DominatorTree dominators_;
  LoopInfo loops_;
  DenseMap<const Loop*, bool> known_;
};

void mark(const Update& update) {
  IRBuilder<> builder(update.read);
  builder.SetCurrentDebugLocation(update.write->getDebugLoc());
  AttributeList attributes;
  attributes = attributes.addFnAttribute(builder.getContext(), Attribute::NoUnwind);
  Module& module = *update.read->getModule();
  FunctionType* const type = FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  const std::string name = "__omen_read_update" + std::to_string(update.bytes);
  builder.CreateCall(module.getOrInsertFunction(name, type, attributes), {update.read->getArgOperand(0)})
      ->addFnAttr(Attribute::WillReturn);
  update.read->eraseFromParent();
  update.write->eraseFromParent();
}

/// Read-modify-writes whose result is not used, and which write something that is computed from it: the order's hint
/// says so (capture/runtime/dispatch/abi_atomics.cpp).
void mark_atomic(CallInst& call) {
  constexpr uint64_t kResultUnused = 0x10000;
  if (call.getCalledFunction() == nullptr || call.arg_size() != 3 || !call.use_empty()) return;
  StringRef name = call.getCalledFunction()->getName();
  if (!name.consume_front("__tsan_atomic")) return;
  name = name.drop_while([](char c) { return c >= '0' && c <= '9'; });
  const bool computes = name == "_fetch_add" || name == "_fetch_sub" || name == "_fetch_and" || name == "_fetch_or" ||
                        name == "_fetch_xor" || name == "_fetch_nand";
  auto* const order = dyn_cast<ConstantInt>(call.getArgOperand(2));
  if (computes && order != nullptr) {
    call.setArgOperand(2, ConstantInt::get(order->getType(), order->getZExtValue() | kResultUnused));
  }
}

}  // namespace

void mark_updates(Function& function) {
  SmallVector<Update, 8> updates;
  QuietLoops quiet(function);
  for (Instruction& instruction : instructions(function)) {
    if (auto* const call = dyn_cast<CallInst>(&instruction)) mark_atomic(*call);
    auto* const load = dyn_cast<LoadInst>(&instruction);
    if (load == nullptr || (!function.hasOptNone() && quiet.contain(load->getParent()))) continue;
    if (const auto update = update_from(*load)) updates.push_back(*update);
  }
  for (const Update& update : updates) mark(update);
}

}  // namespace omen::placement
