#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "native/interpreter.hpp"

namespace omen::native {

using abi::ValueKind;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using values::ExprOp;
using values::kNoExpr;
using values::Width;

namespace {

constexpr Width kPointer = 64;

std::uint64_t mask_of(std::uint64_t bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::int64_t as_signed(std::uint64_t value, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>(((value & mask_of(bits)) ^ sign) - sign);
}

struct Operator {
  ExprOp op;
  bool is_signed;
};
Operator operator_of(llvm::Instruction::BinaryOps op) {
  switch (op) {
    case llvm::Instruction::Add:
      return {ExprOp::Add, false};
    case llvm::Instruction::Sub:
      return {ExprOp::Sub, false};
    case llvm::Instruction::Mul:
      return {ExprOp::Mul, false};
    case llvm::Instruction::UDiv:
      return {ExprOp::UDiv, false};
    case llvm::Instruction::SDiv:
      return {ExprOp::SDiv, true};
    case llvm::Instruction::URem:
      return {ExprOp::URem, false};
    case llvm::Instruction::SRem:
      return {ExprOp::SRem, true};
    case llvm::Instruction::Shl:
      return {ExprOp::Shl, false};
    case llvm::Instruction::LShr:
      return {ExprOp::LShr, false};
    case llvm::Instruction::AShr:
      return {ExprOp::AShr, true};
    case llvm::Instruction::And:
      return {ExprOp::And, false};
    case llvm::Instruction::Or:
      return {ExprOp::Or, false};
    default:
      return {ExprOp::Xor, false};
  }
}

bool divides(ExprOp op) {
  return op == ExprOp::UDiv || op == ExprOp::SDiv || op == ExprOp::URem || op == ExprOp::SRem;
}

}  // namespace

Width Interpreter::width_of(const llvm::Type& type) {
  const std::uint64_t bits = bits_of(type);
  return values::is_width(bits) ? static_cast<Width>(bits) : Width{0};
}

/// 0: no word holds it.
std::uint64_t Interpreter::bits_of(const llvm::Type& type) {
  if (type.isIntegerTy()) return type.getIntegerBitWidth() <= 64 ? type.getIntegerBitWidth() : 0;
  if (type.isPointerTy() || type.isDoubleTy()) return 64;
  return type.isFloatTy() ? 32 : 0;
}

Result Interpreter::value(Frame& frame, const llvm::Value& value) {
  if (const auto found = frame.results.find(&value); found != frame.results.end()) return found->second;
  if (const auto* const argument = dyn_cast<llvm::Argument>(&value)) return frame.arguments[argument->getArgNo()];
  if (const auto* const constant = dyn_cast<llvm::Constant>(&value)) return this->constant(*constant);
  if (isa<llvm::InlineAsm>(value)) return {};
  fail("a value is used that was not computed");
  return {};
}

Result Interpreter::constant(const llvm::Constant& constant) {
  const auto known = [](std::uint64_t bits) { return Result{.word = {bits, kNoExpr, false}, .second = {}}; };
  if (const auto* const number = dyn_cast<llvm::ConstantInt>(&constant);
      number != nullptr && number->getBitWidth() <= 64) {
    return known(number->getZExtValue());
  }
  if (isa<llvm::UndefValue>(constant)) return {.word = {0, kNoExpr, true}, .second = {0, kNoExpr, true}};
  if (isa<llvm::ConstantPointerNull>(constant) || isa<llvm::ConstantAggregateZero>(constant)) {
    return known(0);
  }
  if (const auto* const number = dyn_cast<llvm::ConstantFP>(&constant)) {
    if (bits_of(*constant.getType()) != 0) return known(number->getValueAPF().bitcastToAPInt().getZExtValue());
  }
  if (const auto* const global = dyn_cast<llvm::GlobalValue>(&constant)) {
    if (const std::uint64_t address = program_.address_of(*global); address != 0) return known(address);
    if (global->hasExternalWeakLinkage()) return known(0);
    const auto* const function = dyn_cast<llvm::Function>(global);
    if (function != nullptr) return known(0);  // it is only called
    fail("the recording does not say where " + global->getName().str() + " is");
    return {};
  }
  if (const auto* const pair = dyn_cast<llvm::ConstantStruct>(&constant);
      pair != nullptr && pair->getNumOperands() == 2) {
    return {this->constant(*pair->getOperand(0)).word, this->constant(*pair->getOperand(1)).word};
  }
  if (const auto* const expression = dyn_cast<llvm::ConstantExpr>(&constant))
    return known(constant_expression(*expression));
  fail("a constant of this kind is not modelled");
  return {};
}

/// Addresses inside of globals, and what is computed of them.
std::uint64_t Interpreter::constant_expression(const llvm::ConstantExpr& expression) {
  const auto operand = [&](unsigned i) { return constant(*expression.getOperand(i)).word.bits; };
  if (const auto* const gep = dyn_cast<llvm::GEPOperator>(&expression)) {
    llvm::APInt offset(64, 0);
    if (gep->accumulateConstantOffset(*layout_, offset)) return operand(0) + offset.getZExtValue();
  }
  const std::uint64_t mask = mask_of(bits_of(*expression.getType()));
  switch (expression.getOpcode()) {
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::Trunc:
      return operand(0) & mask;
    case llvm::Instruction::Add:
      return (operand(0) + operand(1)) & mask;
    case llvm::Instruction::Sub:
      return (operand(0) - operand(1)) & mask;
    default:
      fail("a constant of this kind is not modelled");
      return 0;
  }
}

Word Interpreter::sized(Width from, Width to, Word word, bool is_signed) {
  if (from == to) return word;
  if (from > to) return words_.resize(ExprOp::Trunc, from, to, word);
  return words_.resize(is_signed ? ExprOp::SExt : ExprOp::ZExt, from, to, word);
}

Interpreter::Flow Interpreter::compute(Frame& frame, const llvm::Instruction& instruction) {
  Result& result = frame.results[&instruction];
  if (instruction.hasMetadata(abi::kRecordedMark)) {  // what is not modelled
    for (const llvm::Use& operand : instruction.operands()) {
      if (bits_of(*operand->getType()) != 0) fixed(frame, *operand);
    }
    const auto recorded = take_value(ValueKind::Result);
    if (!recorded) return peek() == nullptr ? Flow::Ended : fail("the recording does not say a result");
    frame.results[&instruction].word = {*recorded, kNoExpr, false};
    return Flow::Next;
  }
  if (const auto number = float_result(frame, instruction)) {
    result.word = {*number, kNoExpr, false};
  } else if (const auto* const operation = dyn_cast<llvm::BinaryOperator>(&instruction)) {
    if (bits_of(*operation->getType()) == 0) return fail("an operation of this type is not modelled");
    result.word = arithmetic(frame, *operation);
  } else if (const auto* const comparison = dyn_cast<llvm::ICmpInst>(&instruction)) {
    result.word = this->comparison(frame, *comparison);
  } else if (const auto* const cast = dyn_cast<llvm::CastInst>(&instruction)) {
    result.word = conversion(frame, *cast);
  } else if (const auto* const gep = dyn_cast<llvm::GEPOperator>(&instruction)) {
    result.word = element(frame, *gep);
  } else if (const auto* const select = dyn_cast<llvm::SelectInst>(&instruction)) {
    const Word condition = word(frame, *select->getCondition());
    const Result then = value(frame, *select->getTrueValue());
    const Result otherwise = value(frame, *select->getFalseValue());
    const Width width = width_of(*select->getType());
    if (condition.is_constant() || width == 0) {
      result = words_.fix(condition).bits != 0 ? then : otherwise;
    } else {
      result.word = words_.choose(condition, width, then.word, otherwise.word);
    }
  } else if (isa<llvm::FreezeInst>(instruction)) {
    result = value(frame, *instruction.getOperand(0));
  } else if (const auto* const part = dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    if (part->getNumIndices() != 1 || part->getIndices()[0] > 1)
      return fail("a structure of this type is not modelled");
    const Result whole = value(frame, *part->getAggregateOperand());
    result.word = part->getIndices()[0] == 0 ? whole.word : whole.second;
  } else if (const auto* const pair = dyn_cast<llvm::InsertValueInst>(&instruction)) {
    if (pair->getNumIndices() != 1 || pair->getIndices()[0] > 1)
      return fail("a structure of this type is not modelled");
    Result whole = value(frame, *pair->getAggregateOperand());
    (pair->getIndices()[0] == 0 ? whole.word : whole.second) = word(frame, *pair->getInsertedValueOperand());
    result = whole;
  } else {
    return fail(std::string("the instruction ") + instruction.getOpcodeName() + " is not modelled");
  }
  return failure_.empty() ? Flow::Next : Flow::Failed;
}

Word Interpreter::arithmetic(Frame& frame, const llvm::BinaryOperator& operation) {
  const auto [op, is_signed] = operator_of(operation.getOpcode());
  const std::uint64_t bits = bits_of(*operation.getType());
  const Width width = width_of(*operation.getType());
  Word a = word(frame, *operation.getOperand(0));
  Word b = word(frame, *operation.getOperand(1));
  if (width != 0) {
    if (divides(op)) divisor(words_.binary(ExprOp::Ne, width, b, {0, kNoExpr, false}));
    return words_.binary(op, width, a, b);
  }
  // Of a width that expressions do not have: as 64 bits, and fixed.
  a = words_.fix(a);
  b = words_.fix(b);
  if (is_signed) {
    a.bits = static_cast<std::uint64_t>(as_signed(a.bits, bits));
    if (op != ExprOp::AShr) b.bits = static_cast<std::uint64_t>(as_signed(b.bits, bits));
  }
  return {values::apply(op, 64, 64, a.bits, b.bits) & mask_of(bits), kNoExpr, false};
}

Word Interpreter::comparison(Frame& frame, const llvm::ICmpInst& comparison) {
  const llvm::Type& type = *comparison.getOperand(0)->getType();
  std::uint64_t bits = bits_of(type);
  if (bits == 0) {
    fail("a comparison of this type is not modelled");
    return {};
  }
  Word a = word(frame, *comparison.getOperand(0));
  Word b = word(frame, *comparison.getOperand(1));
  Width width = width_of(type);
  if (width == 0) {
    a = words_.fix(a);
    b = words_.fix(b);
    if (comparison.isSigned()) {
      a.bits = static_cast<std::uint64_t>(as_signed(a.bits, bits));
      b.bits = static_cast<std::uint64_t>(as_signed(b.bits, bits));
    }
    width = 64;
  }
  switch (comparison.getPredicate()) {
    case llvm::ICmpInst::ICMP_EQ:
      return words_.binary(ExprOp::Eq, width, a, b);
    case llvm::ICmpInst::ICMP_NE:
      return words_.binary(ExprOp::Ne, width, a, b);
    case llvm::ICmpInst::ICMP_ULT:
      return words_.binary(ExprOp::ULt, width, a, b);
    case llvm::ICmpInst::ICMP_ULE:
      return words_.binary(ExprOp::ULe, width, a, b);
    case llvm::ICmpInst::ICMP_UGT:
      return words_.binary(ExprOp::ULt, width, b, a);
    case llvm::ICmpInst::ICMP_UGE:
      return words_.binary(ExprOp::ULe, width, b, a);
    case llvm::ICmpInst::ICMP_SLT:
      return words_.binary(ExprOp::SLt, width, a, b);
    case llvm::ICmpInst::ICMP_SLE:
      return words_.binary(ExprOp::SLe, width, a, b);
    case llvm::ICmpInst::ICMP_SGT:
      return words_.binary(ExprOp::SLt, width, b, a);
    default:
      return words_.binary(ExprOp::SLe, width, b, a);
  }
}

Word Interpreter::conversion(Frame& frame, const llvm::CastInst& cast) {
  const llvm::Type& from = *cast.getSrcTy();
  const llvm::Type& to = *cast.getDestTy();
  if (bits_of(from) == 0 || bits_of(to) == 0) {
    fail("a conversion of this type is not modelled");
    return {};
  }
  const bool is_signed = cast.getOpcode() == llvm::Instruction::SExt;
  Word word = this->word(frame, *cast.getOperand(0));
  if (width_of(from) != 0 && width_of(to) != 0) return sized(width_of(from), width_of(to), word, is_signed);
  word = words_.fix(word);
  if (is_signed) word.bits = static_cast<std::uint64_t>(as_signed(word.bits, bits_of(from)));
  word.bits &= mask_of(bits_of(to));
  return word;
}

Word Interpreter::element(Frame& frame, const llvm::GEPOperator& gep) {
  if (!gep.getType()->isPointerTy()) {
    fail("addresses in a vector are not modelled");
    return {};
  }
  Word address = word(frame, *gep.getPointerOperand());
  for (auto at = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); at != end; ++at) {
    const llvm::Value& index = *at.getOperand();
    if (llvm::StructType* const type = at.getStructTypeOrNull()) {
      const auto field = static_cast<unsigned>(cast<llvm::ConstantInt>(index).getZExtValue());
      const std::uint64_t offset = layout_->getStructLayout(type)->getElementOffset(field);
      address = words_.binary(ExprOp::Add, kPointer, address, {offset, kNoExpr, false});
      continue;
    }
    Word number = word(frame, index);
    const Width width = width_of(*index.getType());
    if (width == 0) {
      number = words_.fix(number);
      number.bits = static_cast<std::uint64_t>(as_signed(number.bits, index.getType()->getIntegerBitWidth()));
    } else {
      number = sized(width, kPointer, number, true);
    }
    const std::uint64_t stride = at.getSequentialElementStride(*layout_);
    const Word offset = words_.binary(ExprOp::Mul, kPointer, number, {stride, kNoExpr, false});
    address = words_.binary(ExprOp::Add, kPointer, address, offset);
  }
  return address;
}

/// Nothing if it is not modelled.
std::optional<Result> Interpreter::intrinsic(Frame& frame, const llvm::IntrinsicInst& call) {
  if (call.getType()->isVoidTy() || call.isAssumeLikeIntrinsic()) return Result{};
  const llvm::Type& type = *call.getArgOperand(0)->getType();
  const Width width = width_of(type);
  if (width == 0) return std::nullopt;
  if (type.isFloatingPointTy()) {
    const auto number = float_intrinsic(frame, call);
    return number ? std::optional(Result{.word = {*number, kNoExpr, false}, .second = {}}) : std::nullopt;
  }
  const Word a = word(frame, *call.getArgOperand(0));
  if (call.getIntrinsicID() == llvm::Intrinsic::expect) return Result{.word = a, .second = {}};
  const Word b = call.arg_size() > 1 ? word(frame, *call.getArgOperand(1)) : Word{};
  const Word zero{0, kNoExpr, false};
  const auto best = [&](ExprOp less, bool greatest) {
    const Word condition = greatest ? words_.binary(less, width, b, a) : words_.binary(less, width, a, b);
    return Result{.word = words_.choose(condition, width, a, b), .second = {}};
  };
  const auto differ = [&](Word x, Word y) { return words_.binary(ExprOp::Xor, width, x, y); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::smax:
      return best(ExprOp::SLt, true);
    case llvm::Intrinsic::smin:
      return best(ExprOp::SLt, false);
    case llvm::Intrinsic::umax:
      return best(ExprOp::ULt, true);
    case llvm::Intrinsic::umin:
      return best(ExprOp::ULt, false);
    case llvm::Intrinsic::abs:
      return Result{.word = words_.choose(words_.binary(ExprOp::SLt, width, a, zero), width,
                                          words_.unary(ExprOp::Neg, width, a), a),
                    .second = {}};
    case llvm::Intrinsic::uadd_with_overflow: {
      const Word sum = words_.binary(ExprOp::Add, width, a, b);
      return Result{sum, words_.binary(ExprOp::ULt, width, sum, a)};
    }
    case llvm::Intrinsic::usub_with_overflow:
      return Result{words_.binary(ExprOp::Sub, width, a, b), words_.binary(ExprOp::ULt, width, a, b)};
    case llvm::Intrinsic::sadd_with_overflow: {
      const Word sum = words_.binary(ExprOp::Add, width, a, b);
      const Word both = words_.binary(ExprOp::And, width, differ(a, sum), differ(b, sum));
      return Result{sum, words_.binary(ExprOp::SLt, width, both, zero)};
    }
    case llvm::Intrinsic::ssub_with_overflow: {
      const Word difference = words_.binary(ExprOp::Sub, width, a, b);
      const Word both = words_.binary(ExprOp::And, width, differ(a, b), differ(a, difference));
      return Result{difference, words_.binary(ExprOp::SLt, width, both, zero)};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace omen::native
