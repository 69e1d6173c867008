/// \file
/// Memory on a path. Cells are read and written by events; their content at the branch, or what the path wrote, is the
/// guess. What the recording has no cell for is the path's own: what the thread wrote there since code that is not
/// interpreted could change it, or what the program's file says.
#include "native/path_run.hpp"

namespace omen::native {

using llvm::dyn_cast;
using values::Act;
using values::ExprOp;
using values::kNoExpr;
using values::Width;

namespace {

Width width_of_bytes(std::uint64_t bytes) {
  return bytes <= 8 && values::is_width(bytes * 8) ? static_cast<Width>(bytes * 8) : Width{0};
}

}  // namespace

void PathRun::emit(Act act, std::uint32_t operand, values::ExprId expr, values::ValueId value) {
  events_.push_back(
      {.thread = thread_, .act = act, .operand = operand, .location = location_, .expr = expr, .value = value});
}

std::optional<std::uint64_t> PathRun::address_of(Frame& frame, const llvm::Value& pointer) {
  const Word word = this->word(frame, pointer);
  if (word.is_undefined || !failure_.empty()) return std::nullopt;
  return words_.fix(word).bits;
}

PathRun::Flow PathRun::allocation(Frame& frame, const llvm::AllocaInst& allocation) {
  const Word count = words_.fix(word(frame, *allocation.getArraySize()));
  const std::uint64_t bytes = layout_->getTypeAllocSize(allocation.getAllocatedType()) * count.bits;
  if (count.is_undefined || bytes > (std::uint64_t{1} << 24)) return Flow::Ended;
  frame.results[&allocation].word = {private_top_, kNoExpr, false};
  private_top_ += (bytes / 64 + 1) * 64;
  return Flow::Next;
}

/// What a cell may hold now.
std::uint64_t PathRun::guess(bool is_atomic, std::uint32_t operand) const {
  const auto& written = is_atomic ? written_atomics_ : written_;
  const auto own = written.find(operand);
  return own != written.end() ? own->second : context_.cells.content(is_atomic, operand, time_).value_or(0);
}

Word PathRun::read(Act act, std::uint32_t operand, Width width) {
  const values::ValueId value = words_.new_value(width);
  emit(act, operand, kNoExpr, value);
  return words_.of_value(value, guess(act != Act::Read, operand) & values::mask(width));
}

std::optional<Word> PathRun::private_memory(std::uint64_t address, std::uint64_t bytes) {
  if (is_own(address) || private_.is_sure(address, bytes)) return private_.load(words_, address, bytes);
  if (private_.load(words_, address, bytes)) return std::nullopt;
  const auto initial = program_.initial(address, bytes);
  return initial ? std::optional(Word{*initial, kNoExpr, false}) : std::nullopt;
}

/// Nothing: it ends the path.
std::optional<Word> PathRun::memory(std::uint64_t address, std::uint64_t bytes) {
  const Width memory = width_of_bytes(bytes);
  const auto parts = context_.cells.parts(address, bytes);
  if (!parts) return std::nullopt;
  if (parts->empty()) return private_memory(address, bytes);
  std::optional<Word> whole;
  for (const CellPart& part : *parts) {
    const MemoryCell& cell = context_.cells.variables[part.variable];
    if (cell.opaque || cell.width != width_of_bytes(part.bytes)) {
      emit(Act::Read, part.variable);
      return std::nullopt;
    }
    Word word = words_.resize(ExprOp::ZExt, cell.width, memory, read(Act::Read, part.variable, cell.width));
    if (part.offset != 0) word = words_.binary(ExprOp::Shl, memory, word, {8 * part.offset, kNoExpr, false});
    whole = whole ? words_.binary(ExprOp::Or, memory, *whole, word) : word;
  }
  return whole;
}

PathRun::Flow PathRun::load(Frame& frame, const llvm::LoadInst& load) {
  const llvm::Type& type = *load.getType();
  const std::uint64_t bytes = bytes_of(type);
  const Width width = width_of(type);
  const Width memory = width_of_bytes(bytes);
  const auto address = address_of(frame, *load.getPointerOperand());
  if (!address || width == 0 || memory == 0) return Flow::Ended;
  std::optional<Word> word;
  if (is_own(*address)) {
    word = private_memory(*address, bytes);
  } else if (load.isAtomic()) {
    const auto atomic = context_.cells.atomic(*address, memory);
    if (!atomic) return Flow::Ended;
    word = read(Act::AtomicLoad, *atomic, memory);
  } else {
    word = this->memory(*address, bytes);
  }
  if (!word) return Flow::Ended;
  frame.results[&load].word = width < memory ? words_.resize(ExprOp::Trunc, memory, width, *word) : *word;
  return Flow::Next;
}

PathRun::Flow PathRun::store(Frame& frame, const llvm::StoreInst& store) {
  const llvm::Type& type = *store.getValueOperand()->getType();
  const std::uint64_t bytes = bytes_of(type);
  const Width width = width_of(type);
  const Width memory = width_of_bytes(bytes);
  const auto address = address_of(frame, *store.getPointerOperand());
  if (!address || width == 0 || memory == 0) return Flow::Ended;
  Word word = this->word(frame, *store.getValueOperand());
  if (width < memory) word = words_.resize(ExprOp::ZExt, width, memory, word);
  word = words_.shallow(word, memory);
  if (is_own(*address)) {
    private_.store(*address, bytes, word);
    return Flow::Next;
  }
  if (word.is_undefined || is_own_address(word)) return Flow::Ended;
  if (store.isAtomic()) {
    const auto atomic = context_.cells.atomic(*address, memory);
    if (!atomic) return Flow::Ended;
    written_atomics_[*atomic] = word.bits;
    emit(Act::AtomicStore, *atomic, words_.expr(word, memory));
    return Flow::Next;
  }
  const auto parts = context_.cells.parts(*address, bytes);
  if (!parts) return Flow::Ended;
  if (parts->empty()) private_.store(*address, bytes, word);
  for (const CellPart& part : *parts) {
    const MemoryCell& cell = context_.cells.variables[part.variable];
    if (cell.opaque || cell.width != width_of_bytes(part.bytes)) {
      emit(Act::Write, part.variable);
      return Flow::Ended;
    }
    Word of = word;
    if (part.offset != 0) of = words_.binary(ExprOp::LShr, memory, of, {8 * part.offset, kNoExpr, false});
    of = words_.resize(ExprOp::Trunc, memory, cell.width, of);
    written_[part.variable] = of.bits;
    emit(Act::Write, part.variable, words_.expr(of, cell.width));
  }
  return Flow::Next;
}

/// atomicrmw and cmpxchg. One that fails writes what was there.
PathRun::Flow PathRun::exchange(Frame& frame, const llvm::Instruction& instruction, const llvm::Value& pointer) {
  const auto* const rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction);
  const auto* const compare = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
  const Width width = width_of(rmw != nullptr ? *rmw->getType() : *compare->getNewValOperand()->getType());
  const auto address = address_of(frame, pointer);
  if (!address || width < 8) return Flow::Ended;
  const auto atomic = context_.cells.atomic(*address, width);
  const auto own = is_own(*address) ? private_memory(*address, width / 8) : std::nullopt;
  if (!atomic && !own) return Flow::Ended;
  const Word compared = compare == nullptr ? Word{} : words_.shallow(word(frame, *compare->getCompareOperand()), width);
  const Word operand =
      words_.shallow(word(frame, rmw != nullptr ? *rmw->getValOperand() : *compare->getNewValOperand()), width);
  if (compared.is_undefined || operand.is_undefined || is_own_address(operand)) return Flow::Ended;
  if (own) {
    private_.store(*address, width / 8, exchanged(frame, instruction, width, *own, compared, operand));
    return failure_.empty() ? Flow::Next : Flow::Ended;
  }
  const std::size_t before = events_.size();
  const values::ValueId value = words_.new_value(width);
  const Word loaded = words_.of_value(value, guess(true, *atomic) & values::mask(width));
  const Word stored = exchanged(frame, instruction, width, loaded, compared, operand);
  // What it computes may not stand before it as an assignment: it uses the value that comes with the event.
  if (!failure_.empty() || events_.size() != before) return Flow::Ended;
  written_atomics_[*atomic] = stored.bits;
  emit(Act::AtomicRmw, *atomic, words_.expr(stored, width), value);
  return Flow::Next;
}

}  // namespace omen::native
