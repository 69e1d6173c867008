#include "native/path_run.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace omen::native {

using llvm::dyn_cast;
using llvm::isa;
using values::Act;
using values::ExprOp;
using values::kNoExpr;
using values::Width;

namespace {

/// They do nothing that others can notice.
bool only_waits(llvm::StringRef name) {
  return name == "usleep" || name == "sleep" || name == "sched_yield";
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

PathRun::Flow PathRun::calls(Frame& frame, const llvm::CallBase& call) {
  if (call.isInlineAsm()) return Flow::Ended;
  if (const auto* const known = dyn_cast<llvm::IntrinsicInst>(&call)) {
    const auto result = known->hasMetadata(abi::kRecordedMark) ? std::nullopt : intrinsic(frame, *known);
    if (!result) return Flow::Ended;
    frame.results[&call] = *result;
    return Flow::Next;
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    const Word pointer = words_.fix(word(frame, *call.getCalledOperand()));
    callee = pointer.is_undefined ? nullptr : program_.function_at(pointer.bits);
    if (callee == nullptr) return Flow::Ended;
  }
  const llvm::StringRef name = callee->getName();
  if (name.starts_with("__omen_value_")) return Flow::Next;
  if (const llvm::Function* const own = program_.definition(*callee)) return known_call(frame, call, *own);
  if (only_waits(name)) return finished(frame, call);
  const bool acquires = name == "pthread_mutex_lock";
  if (!acquires && name != "pthread_mutex_unlock") return Flow::Ended;
  return lock(frame, call, acquires) ? finished(frame, call) : Flow::Ended;
}

PathRun::Flow PathRun::finished(Frame& frame, const llvm::CallBase& call) {
  frame.results[&call] = {};
  return comes_back(frame, call);
}

PathRun::Flow PathRun::has_returned(Frame& frame, const llvm::CallBase& call) {
  frame.results[&call] = returned_;
  return comes_back(frame, call);
}

/// False: it is not a mutex that is known, or the thread has it already, or has not.
bool PathRun::lock(Frame& frame, const llvm::CallBase& call, bool acquires) {
  const auto address = address_of(frame, *call.getArgOperand(0));
  if (!address) return false;
  const auto known = run_.locks.find(*address);
  if (known == run_.locks.end()) {
    const NameTable& names = recording_.trace.names.of(OperandKind::Lock);
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(*address));
    for (std::uint32_t id = 0; id < names.size(); ++id) {
      if (names[id].starts_with(text.data())) return false;
    }
    return acquires ? own_held_.insert(*address).second : own_held_.erase(*address) != 0;
  }
  if (!known->second) return false;
  if (!(acquires ? held_.insert(*known->second).second : held_.erase(*known->second) != 0)) return false;
  emit(acquires ? Act::Acquire : Act::Release, *known->second);
  return true;
}

PathRun::Flow PathRun::compute(Frame& frame, const llvm::Instruction& instruction) {
  if (instruction.hasMetadata(abi::kRecordedMark)) return Flow::Ended;
  const auto* const comparison = dyn_cast<llvm::ICmpInst>(&instruction);
  const bool may_take_address = isa<llvm::GetElementPtrInst>(instruction) || isa<llvm::SelectInst>(instruction) ||
                                isa<llvm::FreezeInst>(instruction) || isa<llvm::ExtractValueInst>(instruction) ||
                                isa<llvm::InsertValueInst>(instruction) ||
                                (comparison != nullptr && comparison->isEquality());
  for (const llvm::Use& operand : instruction.operands()) {
    if (bits_of(*operand->getType()) == 0) continue;
    if (!may_take_address && is_own_address(word(frame, *operand))) return Flow::Ended;
  }
  return Interpreter::compute(frame, instruction);
}

}  // namespace omen::native
