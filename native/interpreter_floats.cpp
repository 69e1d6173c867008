/// \file
/// Operations on floats that give the same bits here as in the program: IEEE 754, rounded to the nearest. What they are
/// computed from is fixed.
#include <bit>
#include <type_traits>

#include "native/interpreter.hpp"

namespace omen::native {

namespace {

template <class Float>
using BitsOf = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;

template <class Float>
Float from_bits(std::uint64_t bits) {
  return std::bit_cast<Float>(static_cast<BitsOf<Float>>(bits));
}
template <class Float>
std::uint64_t to_bits(Float number) {
  return std::bit_cast<BitsOf<Float>>(number);
}

template <class Float>
std::uint64_t calculated(unsigned opcode, std::uint64_t left, std::uint64_t right) {
  const auto a = from_bits<Float>(left);
  const auto b = from_bits<Float>(right);
  switch (opcode) {
    case llvm::Instruction::FAdd:
      return to_bits<Float>(a + b);
    case llvm::Instruction::FSub:
      return to_bits<Float>(a - b);
    case llvm::Instruction::FMul:
      return to_bits<Float>(a * b);
    default:
      return to_bits<Float>(a / b);
  }
}

/// The bits of a predicate are the outcomes for which it holds.
template <class Float>
std::uint64_t compared(llvm::CmpInst::Predicate predicate, std::uint64_t left, std::uint64_t right) {
  const auto a = from_bits<Float>(left);
  const auto b = from_bits<Float>(right);
  const unsigned outcome = a == b  ? llvm::CmpInst::FCMP_OEQ
                           : a > b ? llvm::CmpInst::FCMP_OGT
                           : a < b ? llvm::CmpInst::FCMP_OLT
                                   : llvm::CmpInst::FCMP_UNO;
  return (predicate & outcome) != 0 ? 1 : 0;
}

template <class Float>
std::uint64_t of_integer(bool is_signed, std::uint64_t bits, unsigned width) {
  if (!is_signed) return to_bits<Float>(static_cast<Float>(bits));
  const unsigned unused = 64 - width;
  return to_bits<Float>(static_cast<Float>(static_cast<std::int64_t>(bits << unused) >> unused));
}

std::uint64_t sign_of(const llvm::Type& type) {
  return std::uint64_t{1} << (type.isDoubleTy() ? 63 : 31);
}

}  // namespace

/// Nothing if it is none of them.
std::optional<std::uint64_t> Interpreter::float_result(Frame& frame, const llvm::Instruction& instruction) {
  const unsigned opcode = instruction.getOpcode();
  const llvm::Type& type = *instruction.getType();
  const bool is_of_floats = type.isFloatingPointTy() || opcode == llvm::Instruction::FCmp;
  if (!is_of_floats || bits_of(type) == 0 || bits_of(*instruction.getOperand(0)->getType()) == 0) return std::nullopt;
  const auto operand = [&](unsigned i) { return fixed(frame, *instruction.getOperand(i)).bits; };
  const bool is_double = instruction.getOperand(0)->getType()->isDoubleTy();
  switch (opcode) {
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
      return is_double ? calculated<double>(opcode, operand(0), operand(1))
                       : calculated<float>(opcode, operand(0), operand(1));
    case llvm::Instruction::FNeg:
      return operand(0) ^ sign_of(type);
    case llvm::Instruction::FCmp: {
      const auto predicate = llvm::cast<llvm::FCmpInst>(instruction).getPredicate();
      return is_double ? compared<double>(predicate, operand(0), operand(1))
                       : compared<float>(predicate, operand(0), operand(1));
    }
    case llvm::Instruction::FPExt:
      return to_bits<double>(from_bits<float>(operand(0)));
    case llvm::Instruction::FPTrunc:
      return to_bits<float>(static_cast<float>(from_bits<double>(operand(0))));
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP: {
      const unsigned width = instruction.getOperand(0)->getType()->getIntegerBitWidth();
      const bool is_signed = opcode == llvm::Instruction::SIToFP;
      return type.isDoubleTy() ? of_integer<double>(is_signed, operand(0), width)
                               : of_integer<float>(is_signed, operand(0), width);
    }
    default:
      return std::nullopt;
  }
}

/// A product and a sum, each rounded: the pass records it where the processor could fuse them.
std::optional<std::uint64_t> Interpreter::float_intrinsic(Frame& frame, const llvm::IntrinsicInst& call) {
  const llvm::Type& type = *call.getType();
  const auto operand = [&](unsigned i) { return fixed(frame, *call.getArgOperand(i)).bits; };
  if (call.getIntrinsicID() == llvm::Intrinsic::fabs) return operand(0) & ~sign_of(type);
  if (call.getIntrinsicID() != llvm::Intrinsic::fmuladd) return std::nullopt;
  const auto both = [&]<class Float>() {
    const std::uint64_t product = calculated<Float>(llvm::Instruction::FMul, operand(0), operand(1));
    return calculated<Float>(llvm::Instruction::FAdd, product, operand(2));
  };
  return type.isDoubleTy() ? both.operator()<double>() : both.operator()<float>();
}

}  // namespace omen::native
