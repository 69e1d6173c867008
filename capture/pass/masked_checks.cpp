#include "capture/pass/masked_checks.hpp"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

constexpr unsigned kMostBytes = 64;  // what one check can name

struct MaskedAccess {
  Kind kind = Kind::Read;
  Value* place = nullptr;  ///< an address, or one for each lane
  Value* lanes = nullptr;  ///< which of them
  FixedVectorType* type = nullptr;
  bool is_packed = false;  ///< the active lanes lie side by side in memory

  unsigned count() const { return type->getNumElements(); }
};

/// Null operands for what is no such access, and for vectors of a length that is not known.
MaskedAccess as_masked_access(const CallBase& call) {
  const auto of = [&](Kind kind, unsigned place, unsigned lanes, Type* type, bool is_packed) {
    auto* const fixed = dyn_cast<FixedVectorType>(type);
    if (fixed == nullptr) return MaskedAccess{};
    return MaskedAccess{kind, call.getArgOperand(place), call.getArgOperand(lanes), fixed, is_packed};
  };
  switch (call.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      return of(Kind::Read, 0, 2, call.getType(), false);
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return of(Kind::Write, 1, 3, call.getArgOperand(0)->getType(), false);
    case Intrinsic::masked_expandload:
      return of(Kind::Read, 0, 1, call.getType(), true);
    case Intrinsic::masked_compressstore:
      return of(Kind::Write, 1, 2, call.getArgOperand(0)->getType(), true);
    default:
      return {};
  }
}

/// The lanes as bits of a word.
Value* bits_of(IRBuilder<>& builder, Value* lanes, unsigned count) {
  return builder.CreateBitCast(lanes, builder.getIntNTy(count));
}

/// One bit for each byte of each active lane, in 64 bits.
Value* bytes_of(IRBuilder<>& builder, Value* lanes, unsigned count, unsigned size) {
  Value* const whole = builder.CreateSExt(lanes, FixedVectorType::get(builder.getIntNTy(8 * size), count));
  auto* const bytes = FixedVectorType::get(builder.getInt8Ty(), count * size);
  Value* const set = builder.CreateIsNotNull(builder.CreateBitCast(whole, bytes));
  return builder.CreateZExt(bits_of(builder, set, count * size), builder.getInt64Ty());
}

/// An address that no lane is active for may be any: the check gets none then.
void check_bytes(IRBuilder<>& builder, Kind kind, Value* address, Value* mask) {
  Value* const nowhere = ConstantPointerNull::get(cast<PointerType>(address->getType()));
  make_mask_check(builder, kind, builder.CreateSelect(builder.CreateIsNotNull(mask), address, nowhere), mask);
}

void check_lanes(IRBuilder<>& builder, const MaskedAccess& access, unsigned size) {
  const bool is_spread = access.place->getType()->isVectorTy();
  for (unsigned lane = 0; lane < access.count(); ++lane) {
    Value* const address = is_spread ? builder.CreateExtractElement(access.place, lane)
                                     : builder.CreatePtrAdd(access.place, builder.getInt64(uint64_t{lane} * size));
    Value* const is_active = builder.CreateExtractElement(access.lanes, lane);
    const uint64_t bytes = maskTrailingOnes<uint64_t>(size);
    check_bytes(builder, access.kind, address,
                builder.CreateSelect(is_active, builder.getInt64(bytes), builder.getInt64(0)));
  }
}

}  // namespace

const Value* masked_address(const CallBase& call) {
  return as_masked_access(call).place;
}

void check_masked_access(CallBase& call) {
  const MaskedAccess access = as_masked_access(call);
  const DataLayout& layout = call.getModule()->getDataLayout();
  const auto size = static_cast<unsigned>(layout.getTypeStoreSize(access.type->getElementType()).getFixedValue());
  IRBuilder<> builder(&call);
  if (access.is_packed) {
    Value* const active = builder.CreateZExt(bits_of(builder, access.lanes, access.count()), builder.getInt64Ty());
    Value* const count = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, active);
    make_range_check(builder, access.kind, access.place, builder.CreateMul(count, builder.getInt64(size)));
  } else if (!access.place->getType()->isVectorTy() && access.count() * size <= kMostBytes) {
    check_bytes(builder, access.kind, access.place, bytes_of(builder, access.lanes, access.count(), size));
  } else {
    check_lanes(builder, access, size);
  }
}

}  // namespace omen::placement
