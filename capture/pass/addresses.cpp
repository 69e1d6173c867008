#include "capture/pass/addresses.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace omen::placement {

using namespace llvm;

namespace {

/// Of an address, or of a term of it.
Place split(const SCEV* address, ScalarEvolution& evolution) {
  if (const auto* constant = dyn_cast<SCEVConstant>(address);
      constant != nullptr && constant->getType()->isIntegerTy()) {
    return {evolution.getZero(constant->getType()), constant->getAPInt().getSExtValue()};
  }
  if (const auto* sum = dyn_cast<SCEVAddExpr>(address)) {
    int64_t offset = 0;
    SmallVector<const SCEV*, 4> rest;
    for (const SCEV* operand : sum->operands()) {
      const Place part = split(operand, evolution);
      offset += part.offset;
      rest.push_back(part.base);
    }
    return offset == 0 ? Place{address, 0} : Place{evolution.getAddExpr(rest), offset};
  }
  if (const auto* series = dyn_cast<SCEVAddRecExpr>(address); series != nullptr && series->isAffine()) {
    const Place start = split(series->getStart(), evolution);
    if (start.offset == 0) return {address, 0};
    // Another start, so nothing is known of its overflow.
    return {
        evolution.getAddRecExpr(start.base, series->getStepRecurrence(evolution), series->getLoop(), SCEV::FlagAnyWrap),
        start.offset};
  }
  return {address, 0};
}

}  // namespace

Place place_of(Value* address, ScalarEvolution& evolution) {
  if (!evolution.isSCEVable(address->getType()) || evolution.getTypeSizeInBits(address->getType()) != 64) return {};
  const SCEV* const whole = evolution.getSCEV(address);
  if (isa<SCEVCouldNotCompute>(whole)) return {};
  return split(whole, evolution);
}

}  // namespace omen::placement
