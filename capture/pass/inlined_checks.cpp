#include "capture/pass/inlined_checks.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include "capture/abi/layout.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/checks.hpp"
#include "capture/pass/instrumented.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

using abi::kLineSize;
using abi::kRegions;
using abi::kRegionShift;

/// Which loops have no barrier.
class Loops {
 public:
  explicit Loops(Function& function) : dominators_(function), loops_(dominators_) {}

  bool is_in_one_without_barriers(const BasicBlock& block) {
    const Loop* const loop = loops_.getLoopFor(&block);
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

bool lies_in_a_line(const Check& check) {
  const int64_t bytes = check.runs.back().end;
  return check.runs.size() == 1 && check.runs[0].begin == 0 && isPowerOf2_64(static_cast<uint64_t>(bytes)) &&
         check.alignment.value() >= static_cast<uint64_t>(bytes);
}

class Inliner {
 public:
  explicit Inliner(Module& module)
      : context_(module.getContext()),
        word_(Type::getInt64Ty(context_)),
        lines_(cast<GlobalVariable>(module.getOrInsertGlobal(abi::kLinesSymbol, ArrayType::get(word_, kRegions)))),
        now_(cast<GlobalVariable>(module.getOrInsertGlobal(abi::kNowSymbol, word_))) {
    now_->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
  }

  void inline_check(const Check& check) {
    BasicBlock* const before = check.call->getParent();
    BasicBlock* const calls = before->splitBasicBlock(check.call);
    BasicBlock* const behind = calls->splitBasicBlock(check.call->getNextNode());
    BasicBlock* const looks = BasicBlock::Create(context_, "", before->getParent(), calls);
    MDNode* const likely = MDBuilder(context_).createLikelyBranchWeights();
    check.call->addFnAttr(Attribute::get(context_, kLooked));

    before->getTerminator()->eraseFromParent();
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(check.call->getDebugLoc());
    Value* const address = builder.CreatePtrToInt(check.address, word_);
    Value* const offset = builder.CreateAnd(address, kLineSize - 1);
    Value* const region = builder.CreateAnd(builder.CreateLShr(address, kRegionShift), kRegions - 1);
    Value* const bias = load(builder, builder.CreateInBoundsGEP(word_, lines_, region));
    Value* found = builder.CreateIsNotNull(bias);
    if (!lies_in_a_line(check)) {
      const uint64_t last = kLineSize - static_cast<uint64_t>(check.runs.back().end);
      found = builder.CreateAnd(found, builder.CreateICmpULE(offset, builder.getInt64(last)));
    }
    builder.CreateCondBr(found, looks, calls, likely);

    builder.SetInsertPoint(looks);
    Value* const line = builder.CreateIntToPtr(builder.CreateAdd(bias, builder.CreateAnd(address, ~(kLineSize - 1))),
                                               builder.getPtrTy());
    Value* const now = load(builder, builder.CreateThreadLocalAddress(now_));
    Value* known = bytes_of_now(builder, line, abi::kLineWritten, now);
    if (check.kind == Kind::Read) known = builder.CreateOr(known, bytes_of_now(builder, line, abi::kLineRead, now));
    Value* const wanted = builder.CreateShl(builder.getInt64(mask_of(check.runs, 0)), offset);
    Value* const unknown = builder.CreateAnd(wanted, builder.CreateNot(known));
    builder.CreateCondBr(builder.CreateIsNull(unknown), behind, calls, likely);
  }

 private:
  /// Other threads may write it.
  Value* load(IRBuilder<>& builder, Value* place) {
    LoadInst* const value = builder.CreateAlignedLoad(word_, place, Align(8));
    value->setAtomic(AtomicOrdering::Monotonic);
    value->setMetadata(kLook, MDNode::get(context_, {}));
    return value;
  }
  /// The bytes of an epoch, if it is that of now.
  Value* bytes_of_now(IRBuilder<>& builder, Value* line, uint64_t at, Value* now) {
    Value* const epoch = load(builder, builder.CreatePtrAdd(line, builder.getInt64(at)));
    Value* const bytes = load(builder, builder.CreatePtrAdd(line, builder.getInt64(at + abi::kBytesBehindEpoch)));
    return builder.CreateSelect(builder.CreateICmpEQ(epoch, now), bytes, builder.getInt64(0));
  }

  LLVMContext& context_;
  Type* word_;
  GlobalVariable* lines_;
  GlobalVariable* now_;
};

bool can_be_inlined(const Check& check) {
  return !check.runs.empty() && check.length == nullptr && check.runs.front().begin >= 0 &&
         check.runs.back().end <= static_cast<int64_t>(kLineSize);
}

}  // namespace

void inline_checks(Function& function) {
  Loops loops(function);
  SmallVector<Check, 16> found;
  for (BasicBlock& block : function) {
    if (!loops.is_in_one_without_barriers(block)) continue;
    for (Instruction& instruction : block) {
      const auto check = as_check(instruction);
      if (check && can_be_inlined(*check)) found.push_back(*check);
    }
  }
  if (found.empty()) return;
  Inliner inliner(*function.getParent());
  for (const Check& check : found) inliner.inline_check(check);
}

}  // namespace omen::placement
