#include "native/interpreter.hpp"

#include <algorithm>
#include <array>

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace omen::native {

using abi::ValueKind;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using values::ExprOp;

namespace {

constexpr std::uint32_t kDeepestCall = 5000;

/// They read nothing that the program has written, but for what they are given.
bool reads_no_memory(llvm::StringRef name) {
  constexpr std::array<std::string_view, 21> kNames{"malloc",
                                                    "calloc",
                                                    "free",
                                                    "_Znwm",
                                                    "_Znam",
                                                    "_ZdlPv",
                                                    "_ZdlPvm",
                                                    "_ZdaPv",
                                                    "_ZdaPvm",
                                                    "_ZnwmSt11align_val_t",
                                                    "_ZdlPvmSt11align_val_t",
                                                    "usleep",
                                                    "sleep",
                                                    "sched_yield",
                                                    "pthread_self",
                                                    "clock_gettime",
                                                    "getpid",
                                                    "rand",
                                                    "abort",
                                                    "exit",
                                                    "__cxa_atexit"};
  constexpr std::array<std::string_view, 5> kBegin{"pthread_mutex_", "pthread_rwlock_", "pthread_spin_",
                                                   "pthread_cond_", "sem_"};
  const std::string_view text(name.data(), name.size());
  return std::ranges::find(kNames, text) != kNames.end() ||
         std::ranges::any_of(kBegin, [&](std::string_view begin) { return text.starts_with(begin); });
}

const llvm::Instruction* first_of(const llvm::BasicBlock& block) {
  return &*block.instructionsWithoutDebug().begin();
}

std::string place_text(const llvm::DILocation& at) {
  return at.getFilename().str() + ":" + std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn());
}

}  // namespace

std::expected<void, std::string> run_thread(const Program& program, const Recording& recording, ThreadId thread,
                                            Run& run) {
  run.threads.push_back({run.locals.size(), run.trace.expressions.values(), false});
  return Interpreter(program, recording, thread, run).thread();
}

Interpreter::Interpreter(const Program& program, const Recording& recording, ThreadId thread, Run& run)
    : program_(program),
      recording_(recording),
      items_(recording.threads[index(thread)]),
      thread_(thread),
      run_(run),
      words_(run.trace, thread, run.locals),
      location_(run.trace.location("")),
      locals_taken_(run.locals.size()) {}

/// Code that is not interpreted calls functions that are.
std::expected<void, std::string> Interpreter::thread() {
  bool has_run = false;
  while (const Item* const item = peek()) {
    location_ = run_.trace.location("");
    if (item->is_event) {
      take_event();
    } else if (item->kind == ValueKind::Module || item->kind == ValueKind::Address) {
      take();
    } else if (const llvm::Function* const function = entered_next()) {
      enter(*function, {}, false);
      const Flow flow = run();
      if (flow == Flow::Failed) return std::unexpected(failure_);
      if (flow == Flow::Ended) break;
      const auto rest = items_.subspan(next_);
      run_.threads[index(thread_)].ends_plainly = !has_run && flow == Flow::Returned && rest.size() == 1 &&
                                                  rest[0].is_event &&
                                                  recording_.trace.events[rest[0].bits].op == Op::End;
      has_run = true;
      words_.fix(returned_.word);
      words_.fix(returned_.second);
      fix_written();
    } else {
      return std::unexpected("the recording has a value outside of all functions that record values");
    }
  }
  run_.counters.fixes += words_.fixes();
  run_.counters.branches += words_.branches();
  return {};
}

Interpreter::Flow Interpreter::fail(std::string why) {
  if (failure_.empty()) {
    const std::string at = run_.trace.names.text(location_);
    failure_ = (at.empty() ? "" : at + ": ") + std::move(why);
  }
  return Flow::Failed;
}

const llvm::Function* Interpreter::entered_next() const {
  return next_is(ValueKind::Enter) ? program_.function(items_[next_].bits) : nullptr;
}

/// Without debugging information: the function, and which of its instructions.
LocationId Interpreter::location_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* const at = instruction.getDebugLoc().get();
  if (at != nullptr && at->getLine() != 0) return run_.trace.location(place_text(*at));
  const llvm::Function& function = *instruction.getFunction();
  std::size_t number = 0;
  for (const llvm::Instruction& one : llvm::instructions(function)) {
    ++number;
    if (&one == &instruction) break;
  }
  return run_.trace.location(function.getName().str() + "+" + std::to_string(number));
}

void Interpreter::place(Frame& frame, const llvm::Instruction& instruction) {
  const auto [at, is_new] = run_.places.try_emplace(&instruction);
  if (is_new) at->second = location_of(instruction);
  location_ = at->second;
  frame.location = location_;
  words_.at(location_);
}

void Interpreter::take_event() {
  Note& note = run_.notes[take()];
  note.location = location_;
  note.locals_begin = locals_taken_;
  note.locals_end = locals_taken_ = run_.locals.size();
}

void Interpreter::take_events() {
  while (next_ < items_.size() && items_[next_].is_event) take_event();
}

std::optional<std::uint64_t> Interpreter::take_value(ValueKind kind) {
  if (!next_is(kind)) return std::nullopt;
  return take();
}

/// Until the outermost function has come back.
Interpreter::Flow Interpreter::run() {
  while (true) {
    if (!may_go_on()) return Flow::Ended;
    Frame& frame = frames_.back();
    place(frame, *frame.at);
    ++run_.counters.instructions;
    Flow flow = execute(frame, *frame.at);
    while ((flow == Flow::Returned || flow == Flow::Unwound) && failure_.empty()) {
      flow = leave(flow);
      if (frames_.empty()) return flow;
    }
    if (!failure_.empty()) return Flow::Failed;
    if (flow == Flow::Ended) return flow;
    if (flow == Flow::Next) frames_.back().at = frames_.back().at->getNextNonDebugInstruction();
  }
}

Interpreter::Flow Interpreter::enter(const llvm::Function& function, std::vector<Result> arguments,
                                     bool arguments_known) {
  if (frames_.size() >= kDeepestCall) return fail("expected calls less than 5000 deep");
  layout_ = &function.getParent()->getDataLayout();
  Frame& frame = frames_.emplace_back(function);
  frame.arguments = std::move(arguments);
  frame.arguments.resize(function.arg_size());
  frame.arguments_known = arguments_known;
  frame.at = first_of(function.getEntryBlock());
  return Flow::Called;
}

/// A function has come back, or an exception has left it: the caller goes on.
Interpreter::Flow Interpreter::leave(Flow how) {
  returned_ = frames_.back().returned;
  frames_.pop_back();
  if (frames_.empty()) return how;
  Frame& caller = frames_.back();
  const auto& call = *cast<llvm::CallBase>(caller.at);
  location_ = caller.location;
  words_.at(location_);
  layout_ = &caller.function->getParent()->getDataLayout();
  if (caller.is_in_unknown_call) return called_back(caller, call, how);
  return how == Flow::Unwound ? unwinds(caller, call) : has_returned(caller, call);
}

Interpreter::Flow Interpreter::execute(Frame& frame, const llvm::Instruction& instruction) {
  if (const auto* const branch = dyn_cast<llvm::BranchInst>(&instruction)) return conditional(frame, *branch);
  if (const auto* const choice = dyn_cast<llvm::SwitchInst>(&instruction)) return this->choice(frame, *choice);
  if (const auto* const ret = dyn_cast<llvm::ReturnInst>(&instruction)) {
    if (ret->getReturnValue() != nullptr) frame.returned = value(frame, *ret->getReturnValue());
    return Flow::Returned;
  }
  if (const auto* const load = dyn_cast<llvm::LoadInst>(&instruction)) return this->load(frame, *load);
  if (const auto* const store = dyn_cast<llvm::StoreInst>(&instruction)) return this->store(frame, *store);
  if (const auto* const rmw = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return exchange(frame, instruction, *rmw->getPointerOperand());
  }
  if (const auto* const compare = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return exchange(frame, instruction, *compare->getPointerOperand());
  }
  if (const auto* const allocation = dyn_cast<llvm::AllocaInst>(&instruction))
    return this->allocation(frame, *allocation);
  if (const auto* const call = dyn_cast<llvm::CallBase>(&instruction)) return calls(frame, *call);
  if (const auto* const pad = dyn_cast<llvm::LandingPadInst>(&instruction)) return landing(frame, *pad);
  if (isa<llvm::ResumeInst>(instruction)) return Flow::Unwound;
  if (isa<llvm::FenceInst>(instruction)) {
    while (peek() != nullptr && peek()->is_event && recording_.trace.events[peek()->bits].op == Op::Fence) take_event();
    return Flow::Next;
  }
  if (isa<llvm::UnreachableInst>(instruction)) {
    take_events();
    return peek() == nullptr ? Flow::Ended : fail("the recording goes on where the program cannot");
  }
  if (isa<llvm::PHINode>(instruction)) return Flow::Next;  // `jump` has done it
  return compute(frame, instruction);
}

Interpreter::Flow Interpreter::jump(Frame& frame, const llvm::BasicBlock& to) {
  std::vector<std::pair<const llvm::PHINode*, Result>> phis;
  for (const llvm::PHINode& phi : to.phis()) {
    phis.emplace_back(&phi, value(frame, *phi.getIncomingValueForBlock(frame.at->getParent())));
  }
  for (auto& [phi, result] : phis) frame.results[phi] = result;
  frame.at = first_of(to);
  return Flow::Jumped;
}

Interpreter::Flow Interpreter::conditional(Frame& frame, const llvm::BranchInst& branch) {
  if (branch.isUnconditional()) return jump(frame, *branch.getSuccessor(0));
  const Word condition = word(frame, *branch.getCondition());
  words_.branch(condition);
  return jump(frame, *branch.getSuccessor(condition.bits != 0 ? 0 : 1));
}

/// Of a width that expressions have.
Word Interpreter::condition_of(Frame& frame, const llvm::SwitchInst& choice) {
  const Word condition = word(frame, *choice.getCondition());
  return width_of(*choice.getCondition()->getType()) == 0 ? words_.fix(condition) : condition;
}

const llvm::BasicBlock& Interpreter::destination(const llvm::SwitchInst& choice, Word condition) {
  for (const auto& one : choice.cases()) {
    if (one.getCaseValue()->getZExtValue() == condition.bits) return *one.getCaseSuccessor();
  }
  return *choice.getDefaultDest();
}

/// Control goes there because the value is one of those that lead there; by default because it is none of the others.
Word Interpreter::leads_to(const llvm::SwitchInst& choice, const llvm::BasicBlock& to, Word condition) {
  const values::Width width = width_of(*choice.getCondition()->getType());
  const bool by_default = &to == choice.getDefaultDest();
  Word any{0, values::kNoExpr, false};
  for (const auto& one : choice.cases()) {
    if ((one.getCaseSuccessor() == &to) == by_default) continue;
    const Word equal =
        words_.binary(ExprOp::Eq, width, condition, {one.getCaseValue()->getZExtValue(), values::kNoExpr, false});
    any = words_.binary(ExprOp::Or, 1, any, equal);
  }
  return any;
}

Interpreter::Flow Interpreter::choice(Frame& frame, const llvm::SwitchInst& choice) {
  const Word condition = condition_of(frame, choice);
  const llvm::BasicBlock& to = destination(choice, condition);
  if (!condition.is_constant()) words_.branch(leads_to(choice, to, condition));
  return jump(frame, to);
}

Interpreter::Flow Interpreter::landing(Frame& frame, const llvm::LandingPadInst& pad) {
  if (!take_value(ValueKind::Landing)) return fail("the recording has no exception here");
  const auto first = take_value(ValueKind::Result);
  const auto second = take_value(ValueKind::More);
  if (!first || !second) return peek() == nullptr ? Flow::Ended : fail("the recording does not say which exception");
  frame.results[&pad] = {{*first, values::kNoExpr, false}, {*second, values::kNoExpr, false}};
  return Flow::Next;
}

Interpreter::Flow Interpreter::calls(Frame& frame, const llvm::CallBase& call) {
  if (const auto* const known = dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (!known->hasMetadata(abi::kRecordedMark)) {
      const auto result = intrinsic(frame, *known);
      if (!result) return fail("the intrinsic " + known->getCalledFunction()->getName().str() + " is not modelled");
      frame.results[&call] = *result;
      return Flow::Next;
    }
    return unknown_call(frame, call);
  }
  if (const llvm::Function* const callee = call.getCalledFunction();
      callee != nullptr && callee->getName().starts_with("__omen_value_")) {
    return own_call(frame, call, callee->getName());
  }
  // What comes first: a function is entered, or the call comes back.
  std::size_t at = next_;
  while (at < items_.size() && items_[at].is_event) ++at;
  if (at < items_.size() && items_[at].kind == ValueKind::Enter) {
    const llvm::Function* const entered = program_.function(items_[at].bits);
    if (entered == nullptr) return fail("the recording enters a function that the program does not have");
    if (is_callee(*entered, call, frame)) return known_call(frame, call, *entered);
  }
  return unknown_call(frame, call);
}

bool Interpreter::is_callee(const llvm::Function& entered, const llvm::CallBase& call, Frame& frame) {
  if (call.isInlineAsm()) return false;
  if (call.getCalledFunction() == &entered) return true;
  const std::uint64_t address = program_.address_of(entered);
  return address != 0 && word(frame, *call.getCalledOperand()).bits == address;
}

Interpreter::Flow Interpreter::own_call(Frame& frame, const llvm::CallBase& call, llvm::StringRef name) {
  if (name == "__omen_value_enter") {
    if (!take_value(ValueKind::Enter))
      return peek() == nullptr ? Flow::Ended : fail("the recording does not enter here");
    return Flow::Next;
  }
  if (name != "__omen_value_argument") return Flow::Next;  // the instruction in front of it has taken it
  const auto recorded = take_value(ValueKind::Argument);
  if (!recorded) return peek() == nullptr ? Flow::Ended : fail("the recording does not say the arguments");
  // The argument, behind what made 64 bits of it.
  const llvm::Value* from = call.getArgOperand(0);
  while (const auto* const cast = dyn_cast<llvm::CastInst>(from)) from = cast->getOperand(0);
  const auto* const argument = dyn_cast<llvm::Argument>(from);
  if (argument == nullptr) return fail("an argument is recorded that is none");
  Result& known = frame.arguments[argument->getArgNo()];
  if (!frame.arguments_known || known.word.is_undefined) {
    known.word = {*recorded, values::kNoExpr, false};
  } else if (known.word.bits != *recorded) {
    return fail("the interpreter computed the argument " + std::to_string(known.word.bits) + ", the program " +
                std::to_string(*recorded));
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::known_call(Frame& frame, const llvm::CallBase& call, const llvm::Function& callee) {
  words_.fix(word(frame, *call.getCalledOperand()));
  if (callee.arg_size() > call.arg_size()) return fail("a function is called with too few arguments");
  std::vector<Result> arguments;
  for (unsigned i = 0; i < callee.arg_size(); ++i) arguments.push_back(value(frame, *call.getArgOperand(i)));
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (call.isByValArgument(i)) return fail("an argument that is passed by value in memory is not modelled");
  }
  if (!failure_.empty()) return Flow::Failed;
  return enter(callee, std::move(arguments), true);
}

Interpreter::Flow Interpreter::has_returned(Frame& frame, const llvm::CallBase& call) {
  frame.results[&call] = returned_;
  if (call.hasMetadata(abi::kRecordedMark)) {
    const auto recorded = take_value(ValueKind::Return);
    if (!recorded) return peek() == nullptr ? Flow::Ended : fail("the recording does not come back from a call");
    const bool compared = bits_of(*call.getType()) != 0 && !returned_.word.is_undefined;
    if (compared && *recorded != returned_.word.bits) {
      return fail("the interpreter computed " + std::to_string(returned_.word.bits) + " as the result of a call, the " +
                  "program " + std::to_string(*recorded));
    }
    if (call.getType()->isStructTy()) take_value(ValueKind::More);
  }
  return comes_back(frame, call);
}

Interpreter::Flow Interpreter::comes_back(Frame& frame, const llvm::CallBase& call) {
  if (const auto* const invoke = dyn_cast<llvm::InvokeInst>(&call)) return jump(frame, *invoke->getNormalDest());
  return Flow::Next;
}

/// An exception: the pads of callers say by number which of them it reaches.
Interpreter::Flow Interpreter::unwinds(Frame& frame, const llvm::CallBase& call) {
  const auto* const invoke = dyn_cast<llvm::InvokeInst>(&call);
  if (invoke == nullptr) return Flow::Unwound;
  const llvm::LandingPadInst* const pad = invoke->getLandingPadInst();
  const llvm::MDNode* const mark = pad->getMetadata(abi::kRecordedMark);
  if (mark == nullptr || mark->getNumOperands() == 0 || !next_is(ValueKind::Landing)) return Flow::Unwound;
  const auto* const number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(mark->getOperand(0));
  if (number == nullptr || number->getZExtValue() != items_[next_].bits) return Flow::Unwound;
  return jump(frame, *invoke->getUnwindDest());
}

/// Of code that is not interpreted. It may call functions that are.
Interpreter::Flow Interpreter::unknown_call(Frame& frame, const llvm::CallBase& call) {
  ++run_.counters.unknown_calls;
  for (const llvm::Use& argument : call.args()) {
    if (argument->getType()->isMetadataTy()) continue;
    const Result given = value(frame, *argument);
    words_.fix(given.word);
    words_.fix(given.second);
  }
  if (!call.isInlineAsm()) words_.fix(word(frame, *call.getCalledOperand()));
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !reads_no_memory(callee->getName())) {
    fix_written();
    private_.foreign_code_ran();
  }
  frame.call_begins = next_;
  return failure_.empty() ? await_return(frame, call) : Flow::Failed;
}

Interpreter::Flow Interpreter::await_return(Frame& frame, const llvm::CallBase& call) {
  frame.is_in_unknown_call = false;
  while (true) {
    take_events();
    if (peek() == nullptr) return Flow::Ended;
    if (next_is(ValueKind::Return)) break;
    if (next_is(ValueKind::Landing)) return unwinds(frame, call);
    if (next_is(ValueKind::Module) || next_is(ValueKind::Address)) {
      take();
      continue;
    }
    const llvm::Function* const entered = entered_next();
    if (entered == nullptr) return fail("the recording does not come back from a call");
    frame.is_in_unknown_call = true;
    return enter(*entered, {}, false);
  }
  note_lock(frame, call);
  Result result{.word = {*take_value(ValueKind::Return), values::kNoExpr, false}, .second = {}};
  if (const auto second = take_value(ValueKind::More)) result.second = {*second, values::kNoExpr, false};
  if (!call.getType()->isVoidTy()) frame.results[&call] = result;
  return comes_back(frame, call);
}

/// Which lock of the recording a mutex is.
void Interpreter::note_lock(Frame& frame, const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || (callee->getName() != "pthread_mutex_lock" && callee->getName() != "pthread_mutex_unlock")) {
    return;
  }
  const auto events = items_.subspan(frame.call_begins, next_ - frame.call_begins);
  std::optional<std::uint32_t> lock;
  if (events.size() == 1 && events[0].is_event) {
    const Event& event = recording_.trace.events[events[0].bits];
    if (event.op == Op::Acquire || event.op == Op::Release) lock = event.operand;
  }
  const auto [at, is_new] = run_.locks.try_emplace(word(frame, *call.getArgOperand(0)).bits, lock);
  if (!is_new && at->second != lock) at->second.reset();
}

/// By code that is not interpreted: it goes on.
Interpreter::Flow Interpreter::called_back(Frame& frame, const llvm::CallBase& call, Flow how) {
  if (how == Flow::Unwound) {  // or the unknown code has caught it
    if (next_is(ValueKind::Landing)) return unwinds(frame, call);
  } else {
    words_.fix(returned_.word);
    words_.fix(returned_.second);
    fix_written();
    private_.foreign_code_ran();
  }
  return await_return(frame, call);
}

}  // namespace omen::native
