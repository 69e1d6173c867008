#include "capture/pass/memory_loops.hpp"

#include <algorithm>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

namespace omen::placement {

using namespace llvm;

namespace {

constexpr std::uint64_t kWord = 8;

/// The memory of one call: some bytes, then words, then bytes.
class Pieces {
 public:
  explicit Pieces(MemIntrinsic& call)
      : call_(call),
        builder_(&call),
        word_(std::min(kWord, aligned(call).value())),
        length_(builder_.CreateZExtOrTrunc(call.getLength(), builder_.getInt64Ty())) {
    if (word_ == 1) {
      word_ = kWord;
      first_ = bytes_before_words();
    } else {
      first_ = builder_.getInt64(0);
    }
    Value* const rest = builder_.CreateSub(length_, first_);
    words_ = builder_.CreateUDiv(rest, builder_.getInt64(word_));
    behind_ = builder_.CreateAdd(first_, builder_.CreateMul(words_, builder_.getInt64(word_)));
  }

  /// Calls emit(builder, offset, type, alignment) for the code of one piece.
  template <class Emit>
  void loops(Emit&& emit) {
    IntegerType* const byte = builder_.getInt8Ty();
    loop(first_, builder_.getInt64(0), byte, emit);
    loop(words_, first_, builder_.getIntNTy(static_cast<unsigned>(8 * word_)), emit);
    loop(builder_.CreateSub(length_, behind_), behind_, byte, emit);
  }

 private:
  /// All addresses of the call, as far as that is known.
  static Align aligned(MemIntrinsic& call) {
    const DataLayout& layout = call.getModule()->getDataLayout();
    const Align to = std::max(call.getDestAlign().valueOrOne(), getKnownAlignment(call.getRawDest(), layout));
    auto* const copy = dyn_cast<MemTransferInst>(&call);
    if (copy == nullptr) return to;
    return std::min(to, std::max(copy->getSourceAlign().valueOrOne(), getKnownAlignment(copy->getRawSource(), layout)));
  }

  /// All of them, if the two addresses are never aligned together.
  Value* bytes_before_words() {
    const auto number = [&](Value* pointer) { return builder_.CreatePtrToInt(pointer, builder_.getInt64Ty()); };
    Value* const to = number(call_.getRawDest());
    Value* const last = builder_.getInt64(kWord - 1);
    Value* const before = builder_.CreateAnd(builder_.CreateNeg(to), last);
    Value* const first = builder_.CreateSelect(builder_.CreateICmpULT(before, length_), before, length_);
    const auto* const copy = dyn_cast<MemTransferInst>(&call_);
    if (copy == nullptr) return first;
    Value* const apart = builder_.CreateAnd(builder_.CreateSub(to, number(copy->getRawSource())), last);
    return builder_.CreateSelect(builder_.CreateICmpEQ(apart, builder_.getInt64(0)), first, length_);
  }

  template <class Emit>
  void loop(Value* count, Value* from, IntegerType* type, Emit& emit) {
    const std::uint64_t bytes = type->getBitWidth() / 8;
    Instruction* at = &call_;
    if (const auto* const known = dyn_cast<ConstantInt>(count)) {
      if (known->isZero()) return;
    } else {
      builder_.SetInsertPoint(&call_);
      at = SplitBlockAndInsertIfThen(builder_.CreateICmpNE(count, builder_.getInt64(0)), at, /*Unreachable=*/false);
    }
    const auto [body, index] = SplitBlockAndInsertSimpleForLoop(count, at);
    IRBuilder<> builder(body);
    builder.SetCurrentDebugLocation(call_.getDebugLoc());
    emit(builder, builder.CreateAdd(from, builder.CreateMul(index, builder.getInt64(bytes))), type, Align(bytes));
    builder_.SetInsertPoint(&call_);
  }

  MemIntrinsic& call_;
  IRBuilder<> builder_;
  std::uint64_t word_;
  Value* length_;
  Value* first_ = nullptr;   ///< bytes
  Value* words_ = nullptr;   ///< how many
  Value* behind_ = nullptr;  ///< where the words end
};

Value* at_offset(IRBuilder<>& builder, Value* pointer, Value* offset) {
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), pointer, offset);
}

void expand(MemSetInst& set) {
  Pieces(set).loops([&](IRBuilder<>& builder, Value* offset, IntegerType* type, Align aligned) {
    Value* value = builder.CreateZExt(set.getValue(), type);
    if (type->getBitWidth() > 8) {
      value = builder.CreateMul(value, ConstantInt::get(type, APInt::getSplat(type->getBitWidth(), APInt(8, 1))));
    }
    builder.CreateAlignedStore(value, at_offset(builder, set.getRawDest(), offset), aligned, set.isVolatile());
  });
}

void expand(MemCpyInst& copy) {
  Pieces(copy).loops([&](IRBuilder<>& builder, Value* offset, IntegerType* type, Align aligned) {
    Value* const value =
        builder.CreateAlignedLoad(type, at_offset(builder, copy.getRawSource(), offset), aligned, copy.isVolatile());
    builder.CreateAlignedStore(value, at_offset(builder, copy.getRawDest(), offset), aligned, copy.isVolatile());
  });
}

}  // namespace

void expand_memory_intrinsics(Function& function, const TargetTransformInfo& target) {
  SmallVector<MemIntrinsic*, 8> all;
  for (Instruction& instruction : instructions(function)) {
    if (auto* const call = dyn_cast<MemIntrinsic>(&instruction)) all.push_back(call);
  }
  for (MemIntrinsic* const call : all) {
    if (auto* const copy = dyn_cast<MemCpyInst>(call)) {
      expand(*copy);
    } else if (auto* const set = dyn_cast<MemSetInst>(call)) {
      expand(*set);
    } else if (auto* const move = dyn_cast<MemMoveInst>(call); move == nullptr || !expandMemMoveAsLoop(move, target)) {
      continue;
    }
    call->eraseFromParent();
  }
}

}  // namespace omen::placement
