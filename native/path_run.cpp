#include "native/path_run.hpp"

#include <algorithm>

namespace omen::native {

using llvm::dyn_cast;
using llvm::isa;
using values::Act;
using values::ExprOp;
using values::kNoExpr;
using values::Width;

namespace {

/// What the pass has put there to record an address.
bool is_only_recorded(const llvm::Instruction& instruction) {
  return isa<llvm::PtrToIntInst>(instruction) && llvm::all_of(instruction.users(), [](const llvm::User* user) {
           const auto* const call = dyn_cast<llvm::CallInst>(user);
           const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
           return callee != nullptr && callee->getName().starts_with("__omen_value_");
         });
}

}  // namespace

bool Loops::stays(const llvm::BasicBlock& block, const llvm::BasicBlock& successor) {
  const llvm::Function* const function = block.getParent();
  auto& of = functions_[function];
  if (of == nullptr) of = std::make_unique<OfFunction>(*const_cast<llvm::Function*>(function));
  for (const llvm::Loop* loop = of->loops.getLoopFor(&block); loop != nullptr; loop = loop->getParentLoop()) {
    const bool leaves =
        llvm::any_of(llvm::successors(&block), [&](const llvm::BasicBlock* other) { return !loop->contains(other); });
    if (leaves && loop->contains(&successor)) return true;
  }
  return false;
}

PathRun::PathRun(const Interpreter& at, PathContext& context, std::vector<Decision> decisions)
    : Interpreter(at), context_(context), decisions_(std::move(decisions)) {
  RecordedMoment& moment = context_.moment;
  if (moment.thread != thread_) moment = {.thread = thread_, .items = 0, .time = 0, .held = {}};
  for (; moment.items < next_; ++moment.items) {
    const Item& item = items_[moment.items];
    if (!item.is_event) continue;
    moment.time = item.bits + 1;
    const Event& event = recording_.trace.events[item.bits];
    if (event.op == Op::Acquire) moment.held.insert(event.operand);
    if (event.op == Op::Release) moment.held.erase(event.operand);
  }
  time_ = moment.time;
  held_ = moment.held;
  items_ = {};
  next_ = 0;
  depth_ = frames_.size();
  words_.leave_the_recording(events_);
}

values::Path PathRun::turn(const llvm::BranchInst& branch, Word recorded) {
  const bool way = recorded.bits == 0;
  const llvm::BasicBlock& to = *branch.getSuccessor(way ? 0 : 1);
  words_.branch({way ? 1U : 0U, recorded.expr, false});
  if (context_.loops.stays(*branch.getParent(), to)) ++entered_[{frames_.size(), &branch}];
  jump(frames_.back(), to);
  return finish(failure_.empty() ? run() : Flow::Failed);
}

values::Path PathRun::turn(const llvm::SwitchInst& choice, const llvm::BasicBlock& went, Word recorded) {
  words_.branch({recorded.bits == 0 ? 1U : 0U, recorded.expr, false});
  std::vector<const llvm::BasicBlock*> blocks;
  for (const llvm::BasicBlock* const block : llvm::successors(choice.getParent())) {
    if (block != &went && std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(block);
  }
  const llvm::BasicBlock* const to = decide(choice, std::move(blocks));
  if (to == nullptr) return finish(Flow::Ended);
  Frame& frame = frames_.back();
  go_on(frame, choice, *to, condition_of(frame, choice));
  return finish(failure_.empty() ? run() : Flow::Failed);
}

values::Path PathRun::finish(Flow flow) {
  values::Path path;
  path.complete = flow == Flow::Returned && run_.threads[index(thread_)].ends_plainly;
  if (path.complete) words_.fix(returned_.word);
  if (events_.size() > context_.limits.events) {
    events_.resize(context_.limits.events);
    path.complete = false;
  }
  context_.work += instructions_;
  path.events = std::move(events_);
  return path;
}

bool PathRun::may_go_on() {
  return events_.size() < context_.limits.events && ++instructions_ < context_.limits.instructions &&
         frames_.size() < depth_ + context_.limits.frames;
}

// Control.

const llvm::BasicBlock* PathRun::decide(const llvm::Instruction& branch, std::vector<const llvm::BasicBlock*> blocks) {
  const llvm::BasicBlock& here = *branch.getParent();
  unsigned& entered = entered_[{frames_.size(), &branch}];
  std::erase_if(blocks, [&](const llvm::BasicBlock* to) { return entered != 0 && context_.loops.stays(here, *to); });
  if (blocks.empty()) return nullptr;
  if (used_ == decisions_.size()) decisions_.push_back({0, blocks.size()});
  const llvm::BasicBlock* const to = blocks[std::min(decisions_[used_++].way, blocks.size() - 1)];
  if (context_.loops.stays(here, *to)) ++entered;
  return to;
}

PathRun::Flow PathRun::conditional(Frame& frame, const llvm::BranchInst& branch) {
  if (branch.isUnconditional()) return jump(frame, *branch.getSuccessor(0));
  const Word condition = word(frame, *branch.getCondition());
  if (condition.is_undefined) return Flow::Ended;
  const llvm::BasicBlock* const then = branch.getSuccessor(0);
  const llvm::BasicBlock* const otherwise = branch.getSuccessor(1);
  if (condition.is_constant() || then == otherwise) return jump(frame, condition.bits != 0 ? *then : *otherwise);
  const auto* const to =
      decide(branch, condition.bits != 0 ? std::vector{then, otherwise} : std::vector{otherwise, then});
  if (to == nullptr) return Flow::Ended;
  words_.branch({to == then ? 1U : 0U, condition.expr, false});
  return jump(frame, *to);
}

PathRun::Flow PathRun::choice(Frame& frame, const llvm::SwitchInst& choice) {
  const Word condition = condition_of(frame, choice);
  if (condition.is_undefined) return Flow::Ended;
  const llvm::BasicBlock& guess = destination(choice, condition);
  if (condition.is_constant()) return jump(frame, guess);
  std::vector<const llvm::BasicBlock*> blocks{&guess};
  for (const llvm::BasicBlock* const block : llvm::successors(choice.getParent())) {
    if (std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(block);
  }
  const llvm::BasicBlock* const to = decide(choice, std::move(blocks));
  return to == nullptr ? Flow::Ended : go_on(frame, choice, *to, condition);
}

PathRun::Flow PathRun::go_on(Frame& frame, const llvm::SwitchInst& choice, const llvm::BasicBlock& to, Word condition) {
  const Word leads = leads_to(choice, to, condition);
  const bool by_default = &to == choice.getDefaultDest();
  words_.branch({by_default ? 0U : 1U, leads.expr, false});
  return jump(frame, to);
}

void PathRun::divisor(Word is_good) {
  if (is_good.is_constant() && is_good.bits == 0) {
    fail("a division by zero");
  } else {
    words_.branch({1, is_good.expr, false});
  }
}

PathRun::Flow PathRun::compute(Frame& frame, const llvm::Instruction& instruction) {
  if (instruction.hasMetadata(abi::kRecordedMark)) return Flow::Ended;
  const auto* const comparison = dyn_cast<llvm::ICmpInst>(&instruction);
  const bool may_take_address = isa<llvm::GetElementPtrInst>(instruction) || isa<llvm::SelectInst>(instruction) ||
                                isa<llvm::FreezeInst>(instruction) || isa<llvm::ExtractValueInst>(instruction) ||
                                isa<llvm::InsertValueInst>(instruction) ||
                                (comparison != nullptr && comparison->isEquality()) || is_only_recorded(instruction);
  for (const llvm::Use& operand : instruction.operands()) {
    if (bits_of(*operand->getType()) == 0) continue;
    if (!may_take_address && is_own_address(word(frame, *operand))) return Flow::Ended;
  }
  return Interpreter::compute(frame, instruction);
}

}  // namespace omen::native
