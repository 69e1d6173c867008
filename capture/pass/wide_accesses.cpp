#include "capture/pass/wide_accesses.hpp"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// How many bytes; 0 if nobody knows before the program runs.
uint64_t size_of(Instruction& access) {
  const TypeSize size = access.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  return size.isScalable() ? 0 : size.getFixedValue();
}

bool has_callback(uint64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// As in the instrumentation: a variable whose address nobody else knows, and constants, cannot race.
bool cannot_race(const Instruction& access) {
  const Value* const object = getUnderlyingObject(getLoadStorePointerOperand(&access));
  if (isa<AllocaInst>(object)) return !PointerMayBeCaptured(object, true, true);
  const auto* variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr && variable->isConstant();
}

bool is_plain(const Instruction& access) {
  if (const auto* load = dyn_cast<LoadInst>(&access)) return !load->isAtomic() && !load->isVolatile();
  if (const auto* store = dyn_cast<StoreInst>(&access)) return !store->isAtomic() && !store->isVolatile();
  return false;
}

}  // namespace

SmallVector<Instruction*, 8> find_wide_accesses(Function& function) {
  SmallVector<Instruction*, 8> found;
  for (Instruction& instruction : instructions(function)) {
    if (!is_plain(instruction) || instruction.hasMetadata(LLVMContext::MD_nosanitize) ||
        getLoadStoreAddressSpace(&instruction) != 0) {
      continue;
    }
    const uint64_t bytes = size_of(instruction);
    if (bytes == 0 || has_callback(bytes) || cannot_race(instruction)) continue;
    found.push_back(&instruction);
  }
  return found;
}

void check_wide_accesses(ArrayRef<Instruction*> accesses) {
  for (Instruction* const access : accesses) {
    IRBuilder<> builder(access);
    const Kind kind = isa<StoreInst>(access) ? Kind::Write : Kind::Read;
    const Run all{0, static_cast<int64_t>(size_of(*access))};
    make_check(builder, kind, getLoadStorePointerOperand(access), all, getLoadStoreAlignment(access));
  }
}

}  // namespace omen::placement
