#include "capture/pass/inlined_checks.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include "capture/abi/layout.hpp"
#include "capture/pass/barriers.hpp"
#include "capture/pass/check_groups.hpp"
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

/// What a check asks of the runtime's state.
struct Look {
  CallInst* call = nullptr;
  Value* address = nullptr;
  uint64_t read = 0;  ///< masks of bytes from the address on
  uint64_t written = 0;
  bool lies_in_a_line = false;

  uint64_t bytes() const { return 64 - static_cast<uint64_t>(countl_zero(read | written)); }
};

bool lies_in_a_line(const Check& check) {
  const int64_t bytes = check.runs.back().end;
  return check.runs.size() == 1 && check.runs[0].begin == 0 && isPowerOf2_64(static_cast<uint64_t>(bytes)) &&
         check.alignment.value() >= static_cast<uint64_t>(bytes);
}

std::optional<Look> look_of(Instruction& instruction) {
  if (const auto group = as_group(instruction))
    return Look{group->call, group->address, group->read(), group->written(), false};
  const auto check = as_check(instruction);
  if (!check || check->runs.empty() || check->length != nullptr || check->runs.front().begin < 0 ||
      check->runs.back().end > static_cast<int64_t>(kLineSize))
    return std::nullopt;
  const uint64_t mask = mask_of(check->runs, 0);
  const bool reads = check->kind == Kind::Read;
  return Look{check->call, check->address, reads ? mask : 0, reads ? 0 : mask, lies_in_a_line(*check)};
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

  void inline_check(const Look& look) {
    BasicBlock* const before = look.call->getParent();
    BasicBlock* const calls = before->splitBasicBlock(look.call);
    BasicBlock* const behind = calls->splitBasicBlock(look.call->getNextNode());
    BasicBlock* const looks = BasicBlock::Create(context_, "", before->getParent(), calls);
    MDNode* const likely = MDBuilder(context_).createLikelyBranchWeights();
    look.call->addFnAttr(Attribute::get(context_, kLooked));

    before->getTerminator()->eraseFromParent();
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(look.call->getDebugLoc());
    Value* const address = builder.CreatePtrToInt(look.address, word_);
    Value* const offset = builder.CreateAnd(address, kLineSize - 1);
    Value* const region = builder.CreateAnd(builder.CreateLShr(address, kRegionShift), kRegions - 1);
    Value* const bias = load(builder, builder.CreateInBoundsGEP(word_, lines_, region));
    Value* found = builder.CreateIsNotNull(bias);
    if (!look.lies_in_a_line)
      found = builder.CreateAnd(found, builder.CreateICmpULE(offset, builder.getInt64(kLineSize - look.bytes())));
    builder.CreateCondBr(found, looks, calls, likely);

    builder.SetInsertPoint(looks);
    Value* const line = builder.CreateIntToPtr(builder.CreateAdd(bias, builder.CreateAnd(address, ~(kLineSize - 1))),
                                               builder.getPtrTy());
    Value* const now = load(builder, builder.CreateThreadLocalAddress(now_));
    Value* known = bytes_of_now(builder, line, abi::kLineWritten, now);
    Value* unknown = builder.getInt64(0);
    if (look.written != 0) unknown = bytes_beside(builder, look.written, offset, known);
    if (look.read != 0) {
      known = builder.CreateOr(known, bytes_of_now(builder, line, abi::kLineRead, now));
      unknown = builder.CreateOr(unknown, bytes_beside(builder, look.read, offset, known));
    }
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
  /// Those of a mask, moved to its place in the line, that are not known.
  static Value* bytes_beside(IRBuilder<>& builder, uint64_t mask, Value* offset, Value* known) {
    return builder.CreateAnd(builder.CreateShl(builder.getInt64(mask), offset), builder.CreateNot(known));
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

}  // namespace

void inline_checks(Function& function) {
  Loops loops(function);
  SmallVector<Look, 16> found;
  for (BasicBlock& block : function) {
    if (!loops.is_in_one_without_barriers(block)) continue;
    for (Instruction& instruction : block) {
      if (const auto look = look_of(instruction)) found.push_back(*look);
    }
  }
  if (found.empty()) return;
  Inliner inliner(*function.getParent());
  for (const Look& look : found) inliner.inline_check(look);
}

}  // namespace omen::placement
