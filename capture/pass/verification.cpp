#include "capture/pass/verification.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include "capture/pass/check_groups.hpp"
#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

constexpr const char* kAccess = "__omen_verify_access";
constexpr const char* kCheck = "__omen_verify_check";
constexpr const char* kStrided = "__omen_verify_strided";

StringRef called(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  return call == nullptr || call->getCalledFunction() == nullptr ? StringRef() : call->getCalledFunction()->getName();
}

/// A call of `name` before an instruction, whose arguments end in the kind and the line of a check.
void tell(Instruction& before, const char* name, std::initializer_list<Value*> what, Kind kind,
          const DILocation* place) {
  IRBuilder<> builder(&before);
  SmallVector<Value*, 6> arguments(what);
  arguments.push_back(builder.getInt32(static_cast<unsigned>(kind)));
  arguments.push_back(builder.getInt32(place == nullptr ? 0 : place->getLine()));
  SmallVector<Type*, 6> types;
  for (const Value* const argument : arguments) types.push_back(argument->getType());
  const FunctionCallee callee =
      before.getModule()->getOrInsertFunction(name, FunctionType::get(builder.getVoidTy(), types, false));
  CallInst* const made = builder.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  made->addFnAttr(Attribute::WillReturn);
}

void tell_of_run(Instruction& before, const char* name, Value* address, const Run& run, Kind kind,
                 const DILocation* place) {
  IRBuilder<> builder(&before);
  Value* const begin = builder.CreatePtrAdd(address, builder.getInt64(static_cast<uint64_t>(run.begin)));
  tell(before, name, {begin, builder.getInt64(static_cast<uint64_t>(run.size()))}, kind, place);
}

void tell_of_all(Function& function, const char* name) {
  SmallVector<Check, 16> checks;
  for (Instruction& instruction : instructions(function)) {
    if (auto check = as_check(instruction)) checks.push_back(std::move(*check));
    if (auto update = as_update(instruction)) checks.push_back(std::move(*update));
  }
  for (const Check& check : checks) {
    if (check.length != nullptr)
      tell(*check.call, name, {check.address, check.length}, check.kind, check.call->getDebugLoc());
    for (const Run& run : check.runs)
      tell_of_run(*check.call, name, check.address, run, check.kind, check.call->getDebugLoc());
  }
}

void tell_of_strided_checks(Function& function) {
  SmallVector<std::pair<CallInst*, Kind>, 4> checks;
  for (Instruction& instruction : instructions(function)) {
    if (const auto kind = kind_of_strided_check(instruction)) checks.emplace_back(cast<CallInst>(&instruction), *kind);
  }
  for (const auto& [call, kind] : checks) {
    tell(*call, kStrided,
         {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2), call->getArgOperand(3)}, kind,
         call->getDebugLoc());
  }
}

/// Member by member, in the order in which the runtime looks at them.
void tell_of_groups(Function& function) {
  SmallVector<CheckGroup, 4> groups;
  for (Instruction& instruction : instructions(function)) {
    if (auto group = as_group(instruction)) groups.push_back(std::move(*group));
  }
  for (const CheckGroup& group : groups) {
    for (const GroupMember& member : group.members) {
      const Kind kind = member.is_write ? Kind::Write : Kind::Read;
      for (const Run& run : runs_of(member.mask))
        tell_of_run(*group.call, kCheck, group.address, run, kind, member.line);
    }
  }
}

}  // namespace

void tell_of_accesses(Function& function) {
  tell_of_all(function, kAccess);
}

void tell_of_checks(Function& function) {
  tell_of_all(function, kCheck);
  tell_of_strided_checks(function);
  tell_of_groups(function);
}

bool tells_of_accesses(const Function& function) {
  return any_of(instructions(function), [](const Instruction& each) { return called(each) == kAccess; });
}

void forget_checks(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    if (called(instruction) == kCheck || called(instruction) == kStrided) instruction.eraseFromParent();
  }
}

}  // namespace omen::placement
