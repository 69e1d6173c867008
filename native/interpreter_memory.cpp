#include <algorithm>

#include "llvm/IR/Module.h"
#include "native/interpreter.hpp"

namespace omen::native {

using abi::ValueKind;
using llvm::dyn_cast;
using values::ExprOp;
using values::kNoExpr;
using values::Width;

namespace {
constexpr std::uint64_t kPrivateAlignment = 64;

/// Of the bytes of a piece.
Width piece_width(std::uint64_t bytes) {
  return bytes <= 8 && values::is_width(bytes * 8) ? static_cast<Width>(bytes * 8) : Width{0};
}
}  // namespace

Interpreter::Flow Interpreter::allocation(Frame& frame, const llvm::AllocaInst& allocation) {
  if (allocation.hasMetadata(abi::kRecordedMark)) {
    take_events();
    const auto address = take_value(ValueKind::Result);
    if (!address) return peek() == nullptr ? Flow::Ended : fail("the recording does not say where a variable is");
    frame.results[&allocation].word = {*address, kNoExpr, false};
    return Flow::Next;
  }
  const std::uint64_t count = fixed(frame, *allocation.getArraySize()).bits;
  const std::uint64_t bytes = layout_->getTypeAllocSize(allocation.getAllocatedType()) * count;
  frame.results[&allocation].word = {private_top_, kNoExpr, false};
  private_top_ += (bytes / kPrivateAlignment + 1) * kPrivateAlignment;
  return Flow::Next;
}

/// Accesses are cut into the pieces that the recording made of their memory. Beside them stand what begins a new life,
/// and what a plain access is to those who access the memory atomically.
Interpreter::Access Interpreter::plain_access(std::uint64_t address, std::uint64_t bytes, Op op) const {
  Access access;
  for (std::size_t at = next_; at < items_.size() && items_[at].is_event; ++at) {
    const std::uint64_t number = items_[at].bits;
    const Event& event = recording_.trace.events[number];
    if (event.op != op && event.op != Op::Allocate) break;
    const Place& place = recording_.variables[event.operand];
    if (place.address < address || place.address + place.bytes > address + bytes) break;
    const bool is_piece = event.op == op && !place.view;
    const std::uint64_t offset = place.address - address;
    if (is_piece && std::ranges::any_of(access.pieces, [&](const Piece& p) { return p.offset == offset; })) break;
    ++access.events;
    if (is_piece) access.pieces.push_back({number, offset, place.bytes});
  }
  return access;
}

/// All events up to the value, of which the last of this atomic counts.
Interpreter::Access Interpreter::atomic_access(std::uint64_t address, std::uint64_t bytes) const {
  Access access;
  for (std::size_t at = next_; at < items_.size() && items_[at].is_event; ++at, ++access.events) {
    const std::uint64_t number = items_[at].bits;
    const Event& event = recording_.trace.events[number];
    const OperandKind kind = traits(event.op).operand;
    access.is_mixed = access.is_mixed || kind == OperandKind::Variable;
    if (kind == OperandKind::Atomic && recording_.atomics[event.operand].address == address) {
      access.pieces = {{number, 0, bytes}};
    }
  }
  if (access.is_mixed) access.pieces.clear();
  return access;
}

void Interpreter::take_events(const Access& access) {
  for (std::size_t i = 0; i < access.events; ++i) take_event();
}

Interpreter::Flow Interpreter::load(Frame& frame, const llvm::LoadInst& load) {
  const llvm::Type& type = *load.getType();
  const std::uint64_t bytes = bytes_of(type);
  const std::uint64_t bits = bits_of(type);
  const std::uint64_t address = fixed(frame, *load.getPointerOperand()).bits;
  if (bits == 0) return fail("a load of this type is not modelled");
  const Width width = width_of(type);
  const Width memory = piece_width(bytes);
  if (!load.hasMetadata(abi::kRecordedMark)) {
    const auto known = private_.load(words_, address, bytes);
    Word word = known.value_or(Word{});
    if (width == 0 || memory == 0) {
      word = words_.fix(word);
    } else if (width < memory) {
      word = words_.resize(ExprOp::Trunc, memory, width, word);
    }
    frame.results[&load].word = word;
    return Flow::Next;
  }
  const Access access = load.isAtomic() ? atomic_access(address, bytes) : plain_access(address, bytes, Op::Read);
  const std::vector<Piece>& pieces = access.pieces;
  take_events(access);
  const auto recorded = take_value(ValueKind::Result);
  if (!recorded) return peek() == nullptr ? Flow::Ended : fail("the recording does not say what was loaded");
  std::uint64_t covered = 0;
  Word word{0, kNoExpr, false};
  for (const Piece& piece : pieces) {
    Note& note = run_.notes[piece.event];
    note.role = Role::Read;
    covered += piece.bytes;
    const Width part_width = piece_width(piece.bytes);
    const std::uint64_t shifted = *recorded >> (8 * piece.offset);
    if (part_width == 0 || memory == 0 || width == 0) {
      word = words_.fix(word);
      word.bits |= (piece.bytes < 8 ? shifted & ((std::uint64_t{1} << (8 * piece.bytes)) - 1) : shifted)
                   << (8 * piece.offset);
      continue;
    }
    note.width = part_width;
    note.recorded = shifted & values::mask(part_width);
    note.value = words_.new_value(part_width);
    Word part = words_.of_value(note.value, note.recorded);
    part = words_.resize(ExprOp::ZExt, part_width, memory, part);
    if (piece.offset != 0) part = words_.binary(ExprOp::Shl, memory, part, {8 * piece.offset, kNoExpr, false});
    word = word.is_constant() && word.bits == 0 ? part : words_.binary(ExprOp::Or, memory, word, part);
  }
  if (covered < bytes) {
    // Nobody else can reach it, or it is constant.
    const auto known = pieces.empty() ? private_.load(words_, address, bytes) : std::nullopt;
    word = known && known->bits == *recorded && memory != 0 && width != 0 ? *known : Word{*recorded, kNoExpr, false};
  }
  if (width != 0 && memory != 0 && width < memory) word = words_.resize(ExprOp::Trunc, memory, width, word);
  if (word.bits != *recorded) {
    // A value that no expression can say, such as an i1 with more bits set.
    word = {*recorded, kNoExpr, false};
  }
  frame.results[&load].word = word;
  return Flow::Next;
}

Interpreter::Flow Interpreter::store(Frame& frame, const llvm::StoreInst& store) {
  const llvm::Type& type = *store.getValueOperand()->getType();
  const std::uint64_t bytes = bytes_of(type);
  if (bits_of(type) == 0) return fail("a store of this type is not modelled");
  const std::uint64_t address = fixed(frame, *store.getPointerOperand()).bits;
  Word word = this->word(frame, *store.getValueOperand());
  const Width width = width_of(type);
  const Width memory = piece_width(bytes);
  if (width == 0 || memory == 0) {
    word = words_.fix(word);
  } else if (width < memory) {
    word = words_.resize(ExprOp::ZExt, width, memory, word);
  }
  word = words_.shallow(word, memory);
  const Access access = store.isAtomic() ? atomic_access(address, bytes) : plain_access(address, bytes, Op::Write);
  std::uint64_t covered = 0;
  for (const Piece& piece : access.pieces) {
    Note& note = run_.notes[piece.event];
    note.role = Role::Write;
    covered += piece.bytes;
    const Width part_width = piece_width(piece.bytes);
    if (part_width == 0 || memory == 0) {
      words_.fix(word);
      continue;
    }
    Word part = word;
    if (piece.offset != 0) part = words_.binary(ExprOp::LShr, memory, part, {8 * piece.offset, kNoExpr, false});
    part = words_.resize(ExprOp::Trunc, memory, part_width, part);
    note.width = part_width;
    note.expr = words_.expr(part, part_width);
    note.recorded = part.bits;
  }
  if (access.is_mixed) words_.fix(word);
  take_events(access);
  if (store.isAtomic() && !take_value(ValueKind::Result)) {
    return peek() == nullptr ? Flow::Ended : fail("the recording lacks a store");
  }
  if (covered < bytes) private_.store(address, bytes, word);
  wrote(word);
  return Flow::Next;
}

/// atomicrmw and cmpxchg.
Interpreter::Flow Interpreter::exchange(Frame& frame, const llvm::Instruction& instruction,
                                        const llvm::Value& pointer) {
  const auto* const rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction);
  const auto* const compare = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  const llvm::Type& type = rmw != nullptr ? *rmw->getType() : *compare->getNewValOperand()->getType();
  const std::uint64_t address = fixed(frame, pointer).bits;
  const Width width = width_of(type);
  if (width < 8) return fail("an atomic operation of this type is not modelled");
  const Word compared = compare == nullptr ? Word{} : words_.shallow(word(frame, *compare->getCompareOperand()), width);
  const Word operand =
      words_.shallow(word(frame, rmw != nullptr ? *rmw->getValOperand() : *compare->getNewValOperand()), width);
  const Access access = atomic_access(address, width / 8);
  if (access.pieces.empty()) {
    words_.fix(compared);
    words_.fix(operand);
  }
  take_events(access);
  const auto old = take_value(ValueKind::Result);
  if (!old) return peek() == nullptr ? Flow::Ended : fail("the recording does not say what was exchanged");
  if (compare != nullptr) take_value(ValueKind::More);
  Word loaded{*old, kNoExpr, false};
  Note* const note = access.pieces.empty() ? nullptr : &run_.notes[access.pieces.front().event];
  if (note != nullptr) {
    note->width = width;
    note->recorded = *old;
    note->value = words_.new_value(width);
    loaded = words_.of_value(note->value, *old);
    // What does not change the memory was recorded as a load; that it does not must stay.
    note->role = recording_.trace.events[access.pieces.front().event].op == Op::AtomicRmw ? Role::Rmw : Role::Read;
  }
  const Word stored = exchanged(frame, instruction, width, loaded, compared, operand);
  if (!failure_.empty()) return Flow::Failed;
  if (note != nullptr && note->role == Role::Rmw) {
    note->expr = words_.expr(stored, width);
    note->stored = stored.bits;
  } else if (note != nullptr) {
    words_.fix(loaded);
    words_.fix(stored);
  }
  wrote(stored);
  return Flow::Next;
}

Word Interpreter::exchanged(Frame& frame, const llvm::Instruction& instruction, Width width, Word loaded, Word compared,
                            Word operand) {
  if (const auto* const rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    frame.results[&instruction].word = loaded;
    return updated(*rmw, width, loaded, operand);
  }
  const Word equal = words_.binary(ExprOp::Eq, width, loaded, compared);
  frame.results[&instruction] = {loaded, equal};
  return words_.choose(equal, width, operand, loaded);
}

Word Interpreter::updated(const llvm::AtomicRMWInst& rmw, Width width, Word old, Word operand) {
  const auto better = [&](ExprOp op, bool swapped) {
    const Word less = swapped ? words_.binary(op, width, operand, old) : words_.binary(op, width, old, operand);
    return words_.choose(less, width, old, operand);
  };
  switch (rmw.getOperation()) {
    case llvm::AtomicRMWInst::Xchg:
      return operand;
    case llvm::AtomicRMWInst::Add:
      return words_.binary(ExprOp::Add, width, old, operand);
    case llvm::AtomicRMWInst::Sub:
      return words_.binary(ExprOp::Sub, width, old, operand);
    case llvm::AtomicRMWInst::And:
      return words_.binary(ExprOp::And, width, old, operand);
    case llvm::AtomicRMWInst::Nand:
      return words_.unary(ExprOp::Not, width, words_.binary(ExprOp::And, width, old, operand));
    case llvm::AtomicRMWInst::Or:
      return words_.binary(ExprOp::Or, width, old, operand);
    case llvm::AtomicRMWInst::Xor:
      return words_.binary(ExprOp::Xor, width, old, operand);
    case llvm::AtomicRMWInst::Min:
      return better(ExprOp::SLt, false);
    case llvm::AtomicRMWInst::Max:
      return better(ExprOp::SLt, true);
    case llvm::AtomicRMWInst::UMin:
      return better(ExprOp::ULt, false);
    case llvm::AtomicRMWInst::UMax:
      return better(ExprOp::ULt, true);
    default:
      fail("this atomic operation is not modelled");
      return old;
  }
}

void Interpreter::wrote(Word word) {
  if (!word.is_constant()) written_.push_back(word);
}

void Interpreter::fix_written() {
  for (const Word word : written_) words_.fix(word);
  written_.clear();
}

}  // namespace omen::native
