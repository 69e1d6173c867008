#include "capture/pass/atomic_operations.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace omen::placement {

using namespace llvm;

namespace {

bool has_callback(const AtomicRMWInst& operation) {
  switch (operation.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::Nand:
      return true;
    default:
      return false;
  }
}

void expand(AtomicRMWInst& operation) {
  Type* const type = operation.getType();
  BasicBlock* const before = operation.getParent();
  BasicBlock* const behind = before->splitBasicBlock(&operation);
  BasicBlock* const loop = BasicBlock::Create(before->getContext(), "", before->getParent(), behind);
  before->getTerminator()->eraseFromParent();

  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(operation.getDebugLoc());
  Type* const word = builder.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
  LoadInst* const first = builder.CreateAlignedLoad(word, operation.getPointerOperand(), operation.getAlign());
  first->setAtomic(AtomicOrdering::Monotonic, operation.getSyncScopeID());
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  PHINode* const seen = builder.CreatePHI(word, 2);
  Value* const old = builder.CreateBitCast(seen, type);
  Value* const next = buildAtomicRMWValue(operation.getOperation(), builder, old, operation.getValOperand());
  const AtomicOrdering order = operation.getOrdering();
  AtomicCmpXchgInst* const exchange = builder.CreateAtomicCmpXchg(
      operation.getPointerOperand(), seen, builder.CreateBitCast(next, word), operation.getAlign(), order,
      AtomicCmpXchgInst::getStrongestFailureOrdering(order), operation.getSyncScopeID());
  exchange->setVolatile(operation.isVolatile());
  seen->addIncoming(first, before);
  seen->addIncoming(builder.CreateExtractValue(exchange, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), behind, loop);
  operation.replaceAllUsesWith(old);
  operation.eraseFromParent();
}

}  // namespace

bool expand_atomic_operations(Function& function) {
  SmallVector<AtomicRMWInst*, 4> found;
  for (Instruction& instruction : instructions(function)) {
    auto* const operation = dyn_cast<AtomicRMWInst>(&instruction);
    if (operation != nullptr && !has_callback(*operation)) found.push_back(operation);
  }
  for (AtomicRMWInst* const operation : found) expand(*operation);
  return !found.empty();
}

}  // namespace omen::placement
