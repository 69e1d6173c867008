/// \file
/// The interpreter of one thread (thread_run.hpp). Control and calls are in interpreter.cpp, memory in
/// interpreter_memory.cpp, what is computed in interpreter_values.cpp.
///
/// Invariant: `next_` is the first item of the thread that the interpretation has not reached; every item is taken
/// once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "native/private_memory.hpp"
#include "native/thread_run.hpp"
#include "native/words.hpp"

namespace omen::native {

class Interpreter {
 public:
  Interpreter(const Program& program, const Recording& recording, ThreadId thread, Run& run);

  std::expected<void, std::string> thread();

 private:
  enum class Flow : std::uint8_t {
    Next,    ///< the next instruction
    Jumped,  ///< to `block_` of the frame
    Returned,
    Unwound,  ///< an exception goes on to a caller
    Ended,    ///< the thread did nothing more
    Failed,   ///< `failure_` says why
  };
  struct Frame {
    explicit Frame(const llvm::Function& which) : function(which) {}

    const llvm::Function& function;
    std::unordered_map<const llvm::Value*, Result> results;
    const llvm::BasicBlock* block = nullptr;
    const llvm::BasicBlock* previous = nullptr;
    std::vector<Result> arguments;
    bool arguments_known = false;
    Result returned;
    std::uint32_t instruction = 0;  ///< counted, for places without debugging information
  };

  // Control.
  Flow call(const llvm::Function& function, std::span<const Result> arguments, bool arguments_known, Result& returned);
  Flow execute(Frame& frame, const llvm::Instruction& instruction);
  Flow jump(Frame& frame, const llvm::BasicBlock& to);
  Flow conditional(Frame& frame, const llvm::BranchInst& branch);
  Flow choice(Frame& frame, const llvm::SwitchInst& choice);
  Flow landing(Frame& frame, const llvm::LandingPadInst& pad);
  Flow calls(Frame& frame, const llvm::CallBase& call);
  Flow own_call(Frame& frame, const llvm::CallBase& call, llvm::StringRef name);
  Flow known_call(Frame& frame, const llvm::CallBase& call, const llvm::Function& callee);
  Flow unknown_call(Frame& frame, const llvm::CallBase& call);
  Flow unwinds(Frame& frame, const llvm::CallBase& call);
  Flow comes_back(Frame& frame, const llvm::CallBase& call);
  const llvm::Function* entered_next() const;
  bool is_callee(const llvm::Function& entered, const llvm::CallBase& call, Frame& frame);
  Flow fail(std::string why);

  // Memory.
  Flow allocation(Frame& frame, const llvm::AllocaInst& allocation);
  Flow load(Frame& frame, const llvm::LoadInst& load);
  Flow store(Frame& frame, const llvm::StoreInst& store);
  Flow exchange(Frame& frame, const llvm::Instruction& instruction, const llvm::Value& pointer);
  Word updated(const llvm::AtomicRMWInst& rmw, values::Width width, Word old, Word operand);
  struct Piece {
    std::uint64_t event;
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  /// What the recording has of an access that comes next. It is not taken yet: what is computed until then comes
  /// before it.
  struct Access {
    std::vector<Piece> pieces;
    std::size_t events = 0;
    bool is_mixed = false;  ///< of an atomic: the memory is accessed plainly too
  };
  Access plain_access(std::uint64_t address, std::uint64_t bytes, Op op) const;
  Access atomic_access(std::uint64_t address, std::uint64_t bytes) const;
  void take_events(const Access& access);
  void wrote(Word word);
  void fix_written();

  // Values.
  Result value(Frame& frame, const llvm::Value& value);
  Result constant(const llvm::Constant& constant);
  std::uint64_t constant_expression(const llvm::ConstantExpr& expression);
  Word word(Frame& frame, const llvm::Value& value) { return this->value(frame, value).word; }
  Word fixed(Frame& frame, const llvm::Value& value) { return words_.fix(word(frame, value)); }
  Flow compute(Frame& frame, const llvm::Instruction& instruction);
  Word arithmetic(Frame& frame, const llvm::BinaryOperator& operation);
  Word comparison(Frame& frame, const llvm::ICmpInst& comparison);
  Word conversion(Frame& frame, const llvm::CastInst& cast);
  Word element(Frame& frame, const llvm::GEPOperator& gep);
  std::optional<Result> intrinsic(Frame& frame, const llvm::IntrinsicInst& call);
  Word sized(values::Width from, values::Width to, Word word, bool is_signed);
  /// The width that expressions have for it; 0 if there is none.
  static values::Width width_of(const llvm::Type& type);
  static std::uint64_t bits_of(const llvm::Type& type);
  std::uint64_t bytes_of(const llvm::Type& type) const {
    return layout_->getTypeStoreSize(const_cast<llvm::Type*>(&type));
  }

  // Items.
  const Item* peek() const { return next_ < items_.size() ? &items_[next_] : nullptr; }
  bool next_is(abi::ValueKind kind) const {
    const Item* const item = peek();
    return item != nullptr && !item->is_event && item->kind == kind;
  }
  std::uint64_t take() { return items_[next_++].bits; }
  void take_event();
  void take_events();  ///< up to the next value
  std::optional<std::uint64_t> take_value(abi::ValueKind kind);
  void place(Frame& frame, const llvm::Instruction& instruction);

  const Program& program_;
  const Recording& recording_;
  std::span<const Item> items_;
  std::size_t next_ = 0;
  ThreadId thread_;
  Run& run_;
  Words words_;
  PrivateMemory private_;
  const llvm::DataLayout* layout_ = nullptr;
  LocationId location_{};
  std::size_t locals_taken_ = 0;
  std::vector<Word> written_;  ///< since what was written was fixed
  std::uint64_t private_top_ = std::uint64_t{1} << 62;
  std::uint32_t depth_ = 0;
  std::string failure_;
};

}  // namespace omen::native
