/// \file
/// One way that a thread may go from the other side of a recorded branch (docs/native.md, "Paths"): the interpreter
/// goes on from the branch without the recording. What it reads is a value of its own; the memory of that moment is a
/// guess of what it will be, by which addresses are fixed. A later branch on what was read may go both ways.
///
/// The path ends at the thread's end, at the bounds, and in front of whatever is not modelled: code that is not
/// interpreted, but for some functions of the library (path_calls.cpp), memory that the recording does not explain,
/// pieces of cells, what is recorded and not computed, exceptions, a mutex that the thread has, and an address of a
/// variable on the stack that the path has made and would give to others. An access to an opaque cell is its last
/// event.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "native/cells.hpp"
#include "native/interpreter.hpp"

namespace omen::native {

/// Blocks that a path allocates get their addresses from here on: an allocator could give them, and no memory of a run
/// is there. So whatever is computed of them is what a program might compute.
inline constexpr std::uint64_t kHeapAddresses = std::uint64_t{1} << 45;

struct PathLimits {
  std::size_t events = 300;           ///< of one path
  std::size_t instructions = 20'000;  ///< of one path
  std::size_t frames = 50;            ///< of its thread, above those at the branch
  std::size_t ways = 16;              ///< from one branch
  std::size_t turns = 16;             ///< of one branch of the program, by one thread and to one side
  std::size_t paths = 512;            ///< of the run
  std::uint64_t work = 20'000'000;    ///< instructions of all paths
};

/// The loops of a function.
class Loops {
 public:
  /// The block's last instruction decides whether control stays in a loop, and with this successor it does.
  bool stays(const llvm::BasicBlock& block, const llvm::BasicBlock& successor);

 private:
  struct OfFunction {
    explicit OfFunction(llvm::Function& function) : tree(function), loops(tree) {}
    llvm::DominatorTree tree;
    llvm::LoopInfo loops;
  };
  std::map<const llvm::Function*, std::unique_ptr<OfFunction>> functions_;
};

/// How far a thread is in the recording. Its branches are asked for in their order.
struct RecordedMoment {
  std::optional<ThreadId> thread;
  std::size_t items = 0;         ///< that were looked at
  std::uint64_t time = 0;        ///< the event behind its latest
  std::set<std::uint32_t> held;  ///< locks
};

/// What all paths of a run have in common.
struct PathContext {
  const Cells& cells;
  PathLimits limits;
  Loops loops;
  RecordedMoment moment;
  std::uint64_t work = 0;  ///< instructions executed on paths
};

/// A decision at a branch on values: one of several ways.
struct Decision {
  std::size_t way = 0;
  std::size_t ways = 1;
};

class PathRun final : public Interpreter {
 public:
  /// `at` stands at the branch. Where decisions end, the first way is taken and noted.
  PathRun(const Interpreter& at, PathContext& context, std::vector<Decision> decisions);

  /// `recorded` is the condition as it was; the branch is the path's first event.
  values::Path turn(const llvm::BranchInst& branch, Word recorded);
  /// `recorded`: whether control goes to `went`, where it went.
  values::Path turn(const llvm::SwitchInst& choice, const llvm::BasicBlock& went, Word recorded);
  const std::vector<Decision>& decisions() const { return decisions_; }

  /// What a function of the library does, as far as others can notice.
  enum class Service : std::uint8_t { Unnoticed, Lock, Unlock, Allocate, AllocateZeros, Free };

 private:
  values::Path finish(Flow flow);
  bool may_go_on() override;
  Flow conditional(Frame& frame, const llvm::BranchInst& branch) override;
  Flow choice(Frame& frame, const llvm::SwitchInst& choice) override;
  Flow landing(Frame&, const llvm::LandingPadInst&) override { return Flow::Ended; }
  Flow calls(Frame& frame, const llvm::CallBase& call) override;
  Flow has_returned(Frame& frame, const llvm::CallBase& call) override;
  Flow allocation(Frame& frame, const llvm::AllocaInst& allocation) override;
  Flow load(Frame& frame, const llvm::LoadInst& load) override;
  Flow store(Frame& frame, const llvm::StoreInst& store) override;
  Flow exchange(Frame& frame, const llvm::Instruction& instruction, const llvm::Value& pointer) override;
  Flow compute(Frame& frame, const llvm::Instruction& instruction) override;
  void divisor(Word is_good) override;

  /// One of the blocks that may come next; null: none may.
  const llvm::BasicBlock* decide(const llvm::Instruction& branch, std::vector<const llvm::BasicBlock*> blocks);
  Flow go_on(Frame& frame, const llvm::SwitchInst& choice, const llvm::BasicBlock& to, Word condition);
  bool serve(Service service, Frame& frame, const llvm::CallBase& call);
  bool lock(Frame& frame, const llvm::CallBase& call, bool acquires);
  bool allocate(Word bytes, bool zeros, Word& address);
  bool free(Frame& frame, const llvm::Value& pointer);
  /// The address, which it has on this path from now on; nothing if it is undefined.
  std::optional<std::uint64_t> address_of(Frame& frame, const llvm::Value& pointer);
  std::optional<Word> memory(std::uint64_t address, std::uint64_t bytes);
  std::optional<Word> private_memory(std::uint64_t address, std::uint64_t bytes);
  std::uint64_t guess(bool is_atomic, std::uint32_t operand) const;
  Word read(values::Act act, std::uint32_t operand, values::Width width);
  /// Of memory that nobody else can reach: a variable on the stack, or a block that the path has allocated.
  static bool is_own(std::uint64_t address) {
    return address >= kOwnAddresses || (address >= kHeapAddresses && address < 2 * kHeapAddresses);
  }
  /// Of a variable on the stack: nobody else may learn it.
  static bool is_own_address(Word word) {
    return word.is_constant() && word.bits >= kOwnAddresses && word.bits < 2 * kOwnAddresses;
  }
  void emit(values::Act act, std::uint32_t operand, values::ExprId expr = values::kNoExpr,
            values::ValueId value = values::kNoValue);

  PathContext& context_;
  std::vector<values::ValueEvent> events_;
  std::vector<Decision> decisions_;
  std::size_t used_ = 0;
  std::uint64_t time_ = 0;  ///< the event of the run before which the branch stands
  std::size_t instructions_ = 0;
  std::size_t depth_ = 0;             ///< frames at the branch
  std::set<std::uint32_t> held_;      ///< locks
  std::set<std::uint64_t> own_held_;  ///< mutexes that nobody else uses
  std::uint64_t heap_top_ = kHeapAddresses;
  std::map<std::uint64_t, std::uint64_t> blocks_;   ///< that the path has allocated, and their sizes
  std::map<std::uint32_t, std::uint64_t> written_;  ///< by the path: what cells hold
  std::map<std::uint32_t, std::uint64_t> written_atomics_;
  std::map<std::pair<std::size_t, const llvm::Instruction*>, unsigned> entered_;  ///< loops, by frame
};

}  // namespace omen::native
