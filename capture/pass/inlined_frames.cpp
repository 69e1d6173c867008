#include "capture/pass/inlined_frames.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include "capture/abi/layout.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// What the runtime's own functions find for the place of a frame is at least so far below the return address: theirs,
/// and a register that is saved. So frames are in order whoever made them.
constexpr uint64_t kBelowReturn = 24;

class Inliner {
 public:
  explicit Inliner(Module& module)
      : module_(module),
        context_(module.getContext()),
        word_(Type::getInt64Ty(context_)),
        pointer_(PointerType::getUnqual(context_)),
        stack_(cast<GlobalVariable>(module.getOrInsertGlobal(abi::kStackSymbol, pointer_))) {
    stack_->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  }

  /// The thread's top frame is one of a caller, as nearly always, and there is room for another one.
  void inline_entry(CallInst* call) {
    IRBuilder<> builder(call);
    Value* const place = place_of_frame(builder);
    Value* const stack = load(builder, pointer_, builder.CreateThreadLocalAddress(stack_));
    Value* const top = load(builder, pointer_, at(builder, stack, abi::kStackTop));
    Value* const last = load(builder, pointer_, at(builder, stack, abi::kStackLast));
    Value* const is_caller = builder.CreateICmpUGT(load(builder, word_, at(builder, top, abi::kFrameStack)), place);
    Value* const has_room = builder.CreateICmpULT(top, last);
    builder.SetInsertPoint(instead_of(call, builder.CreateAnd(is_caller, has_room)));
    Value* const frame = at(builder, top, abi::kFrameSize);
    store(builder, call->getArgOperand(0), at(builder, frame, abi::kFramePc));
    store(builder, place, at(builder, frame, abi::kFrameStack));
    store(builder, builder.getInt64(0), at(builder, frame, abi::kFrameNode));
    store(builder, frame, at(builder, stack, abi::kStackTop));
  }

  /// The thread's top frame is that of this function.
  void inline_exit(CallInst* call) {
    IRBuilder<> builder(call);
    Value* const place = place_of_frame(builder);
    Value* const stack = load(builder, pointer_, builder.CreateThreadLocalAddress(stack_));
    Value* const top = load(builder, pointer_, at(builder, stack, abi::kStackTop));
    Value* const is_own = builder.CreateICmpEQ(load(builder, word_, at(builder, top, abi::kFrameStack)), place);
    builder.SetInsertPoint(instead_of(call, is_own));
    store(builder, at(builder, top, -abi::kFrameSize), at(builder, stack, abi::kStackTop));
  }

 private:
  /// Where to build what is done if the condition holds; otherwise the call is made.
  static Instruction* instead_of(CallInst* call, Value* condition) {
    Instruction* then = nullptr;
    Instruction* otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(condition, call, &then, &otherwise,
                                  MDBuilder(call->getContext()).createLikelyBranchWeights());
    call->moveBefore(otherwise);
    return then;
  }

  Value* place_of_frame(IRBuilder<>& builder) {
    Function* const intrinsic =
        Intrinsic::getDeclaration(&module_, Intrinsic::addressofreturnaddress, {builder.getPtrTy()});
    return builder.CreateSub(builder.CreatePtrToInt(builder.CreateCall(intrinsic), word_),
                             builder.getInt64(kBelowReturn));
  }
  static Value* at(IRBuilder<>& builder, Value* place, uint64_t offset) {
    return builder.CreatePtrAdd(place, builder.getInt64(offset));
  }
  static Value* load(IRBuilder<>& builder, Type* type, Value* place) {
    return builder.CreateAlignedLoad(type, place, Align(8));
  }
  static void store(IRBuilder<>& builder, Value* value, Value* place) {
    builder.CreateAlignedStore(value, place, Align(8));
  }

  Module& module_;
  LLVMContext& context_;
  Type* word_;
  Type* pointer_;
  GlobalVariable* stack_;
};

/// Memory of the function's frame is static only in its first block, which is going to be split.
void move_allocations_before(CallInst* call) {
  SmallVector<AllocaInst*, 8> allocations;
  for (Instruction& instruction : *call->getParent()) {
    auto* const allocation = dyn_cast<AllocaInst>(&instruction);
    if (allocation != nullptr && allocation->isStaticAlloca()) allocations.push_back(allocation);
  }
  for (AllocaInst* const allocation : allocations) {
    if (call->comesBefore(allocation)) allocation->moveBefore(call);
  }
}

}  // namespace

void inline_frames(Function& function) {
  if (Triple(function.getParent()->getTargetTriple()).getArch() != Triple::x86_64) return;
  SmallVector<CallInst*, 2> entries;
  SmallVector<CallInst*, 8> exits;
  for (Instruction& instruction : instructions(function)) {
    auto* const call = dyn_cast<CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (call->getCalledFunction()->getName() == "__tsan_func_entry") entries.push_back(call);
    if (call->getCalledFunction()->getName() == "__tsan_func_exit") exits.push_back(call);
  }
  if (entries.empty()) return;
  Inliner inliner(*function.getParent());
  for (CallInst* const call : entries) {
    move_allocations_before(call);
    inliner.inline_entry(call);
  }
  for (CallInst* const call : exits) inliner.inline_exit(call);
}

}  // namespace omen::placement
