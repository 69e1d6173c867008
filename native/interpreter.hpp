/// \file
/// The interpreter of one thread (thread_run.hpp). Control and calls are in interpreter.cpp, memory in
/// interpreter_memory.cpp, what is computed in interpreter_values.cpp and interpreter_floats.cpp.
///
/// Invariant: `next_` is the first item of the thread that the interpretation has not reached; every item is taken
/// once.
///
/// All of its state is in its members, so a copy goes on from where the original is: that is how a path begins
/// (path_run.hpp).
#pragma once

#include <deque>
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

/// Variables whose addresses the recording does not have get them from here on.
inline constexpr std::uint64_t kOwnAddresses = std::uint64_t{1} << 62;

class Interpreter {
 public:
  Interpreter(const Program& program, const Recording& recording, ThreadId thread, Run& run);
  virtual ~Interpreter() = default;
  Interpreter& operator=(const Interpreter&) = delete;

  std::expected<void, std::string> thread();

 protected:
  Interpreter(const Interpreter&) = default;

  enum class Flow : std::uint8_t {
    Next,    ///< the next instruction
    Jumped,  ///< to `at` of the frame
    Called,  ///< into a frame of its own
    Returned,
    Unwound,  ///< an exception goes on to a caller
    Ended,    ///< the thread did nothing more
    Failed,   ///< `failure_` says why
  };
  struct Frame {
    explicit Frame(const llvm::Function& which) : function(&which) {}

    const llvm::Function* function;
    std::unordered_map<const llvm::Value*, Result> results;
    const llvm::Instruction* at = nullptr;  ///< that comes next, or that has called the frame above
    std::vector<Result> arguments;
    bool arguments_known = false;
    std::size_t call_begins = 0;      ///< the item behind the beginning of its call
    bool is_in_unknown_call = false;  ///< the code that `at` calls is not interpreted, and has called the frame above
    Result returned;
    LocationId location{};
  };

  // Control.
  /// False: the bounds of this run are reached.
  virtual bool may_go_on() { return true; }
  Flow run();
  Flow enter(const llvm::Function& function, std::vector<Result> arguments, bool arguments_known);
  Flow leave(Flow how);
  Flow execute(Frame& frame, const llvm::Instruction& instruction);
  Flow jump(Frame& frame, const llvm::BasicBlock& to);
  virtual Flow conditional(Frame& frame, const llvm::BranchInst& branch);
  virtual Flow choice(Frame& frame, const llvm::SwitchInst& choice);
  /// Whether control goes to this block, and whether it does in the recording: of 1 bit.
  Word leads_to(const llvm::SwitchInst& choice, const llvm::BasicBlock& to, Word condition);
  Word condition_of(Frame& frame, const llvm::SwitchInst& choice);
  static const llvm::BasicBlock& destination(const llvm::SwitchInst& choice, Word condition);
  virtual Flow landing(Frame& frame, const llvm::LandingPadInst& pad);
  virtual Flow calls(Frame& frame, const llvm::CallBase& call);
  Flow own_call(Frame& frame, const llvm::CallBase& call, llvm::StringRef name);
  Flow known_call(Frame& frame, const llvm::CallBase& call, const llvm::Function& callee);
  Flow unknown_call(Frame& frame, const llvm::CallBase& call);
  Flow await_return(Frame& frame, const llvm::CallBase& call);
  Flow called_back(Frame& frame, const llvm::CallBase& call, Flow how);
  void note_lock(Frame& frame, const llvm::CallBase& call);
  virtual Flow has_returned(Frame& frame, const llvm::CallBase& call);
  Flow unwinds(Frame& frame, const llvm::CallBase& call);
  Flow comes_back(Frame& frame, const llvm::CallBase& call);
  const llvm::Function* entered_next() const;
  bool is_callee(const llvm::Function& entered, const llvm::CallBase& call, Frame& frame);
  Flow fail(std::string why);

  // Memory.
  virtual Flow allocation(Frame& frame, const llvm::AllocaInst& allocation);
  virtual Flow load(Frame& frame, const llvm::LoadInst& load);
  virtual Flow store(Frame& frame, const llvm::StoreInst& store);
  virtual Flow exchange(Frame& frame, const llvm::Instruction& instruction, const llvm::Value& pointer);
  /// What atomicrmw or cmpxchg leaves in memory. Its results are set.
  Word exchanged(Frame& frame, const llvm::Instruction& instruction, values::Width width, Word loaded, Word compared,
                 Word operand);
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
  virtual Flow compute(Frame& frame, const llvm::Instruction& instruction);
  /// What is divided by is not 0.
  virtual void divisor(Word is_good) { words_.branch(is_good); }
  Word arithmetic(Frame& frame, const llvm::BinaryOperator& operation);
  Word comparison(Frame& frame, const llvm::ICmpInst& comparison);
  Word conversion(Frame& frame, const llvm::CastInst& cast);
  Word element(Frame& frame, const llvm::GEPOperator& gep);
  std::optional<Result> intrinsic(Frame& frame, const llvm::IntrinsicInst& call);
  std::optional<std::uint64_t> float_result(Frame& frame, const llvm::Instruction& instruction);
  std::optional<std::uint64_t> float_intrinsic(Frame& frame, const llvm::IntrinsicInst& call);
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
  LocationId location_of(const llvm::Instruction& instruction);
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
  std::uint64_t private_top_ = kOwnAddresses;
  std::deque<Frame> frames_;  ///< its elements stay where they are
  Result returned_;           ///< of the frame that was left last
  std::string failure_;
};

}  // namespace omen::native
