#include "capture/pass/overtaken_reads.hpp"

#include "llvm/Analysis/MemoryLocation.h"

#include <string>

#include "capture/pass/addresses.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// The check of a read, or of a read and a write, whose bytes may be known or not.
bool is_read_check(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_empty()) return false;
  StringRef name = call->getCalledFunction()->getName();
  return (is_check_function(name) || name.starts_with("__omen_read_update")) && name.contains("read");
}

/// What the access behind a check says of its type; nothing if it is not there any more, or is not all that is checked.
AAMDNodes tags_of(const CallInst& check) {
  const Instruction* const next = check.getNextNonDebugInstruction();
  if (next == nullptr || getLoadStorePointerOperand(next) != check.getArgOperand(0)) return AAMDNodes();
  const uint64_t bytes =
      check.getDataLayout().getTypeStoreSize(getLoadStoreType(const_cast<Instruction*>(next))).getKnownMinValue();
  StringRef name = check.getCalledFunction()->getName();
  return name.starts_with("__tsan_") && name.ends_with(std::to_string(bytes)) ? next->getAAMetadata() : AAMDNodes();
}

/// Any bytes of the object that the address is in.
MemoryLocation object_of(const CallInst& check) {
  return MemoryLocation::getBeforeOrAfter(check.getArgOperand(0), tags_of(check));
}

bool are_apart(const Check& a, const Check& b, ScalarEvolution& evolution) {
  if (a.runs.empty() || b.runs.empty()) return false;
  const Place first = place_of(a.address, evolution);
  const Place second = place_of(b.address, evolution);
  if (first.base == nullptr || first.base != second.base) return false;
  return none_of(a.runs, [&](const Run& one) {
    return any_of(b.runs, [&](const Run& other) {
      return first.offset + one.begin < second.offset + other.end &&
             second.offset + other.begin < first.offset + one.end;
    });
  });
}

}  // namespace

bool OvertakenReads::may_overlap(const Instruction& read, const Check& write) {
  return !aliases_.isNoAlias(object_of(cast<CallInst>(read)), object_of(*write.call));
}

bool OvertakenReads::is_overtaken(Instruction& instruction, const Check& write) {
  if (is_read_check(instruction)) return may_overlap(instruction, write);
  const auto* const call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr || call->isInlineAsm()) return call != nullptr;
  const Function* const callee = call->getCalledFunction();
  if (callee != nullptr && (callee->isIntrinsic() || is_check_function(callee->getName()))) return false;
  if (callee != nullptr && callee->getName().starts_with("__tsan_atomic")) return false;  // which is always recorded
  return isRefSet(aliases_.getModRefInfo(call, object_of(*write.call)));
}

bool OvertakenReads::exist_before(const Check& write, const Instruction& place,
                                  function_ref<bool(const Instruction&)> stays_ahead) {
  for (auto at = place.getIterator(); &*at != write.call; ++at) {
    auto& instruction = const_cast<Instruction&>(*at);
    if (stays_ahead(instruction) || !is_overtaken(instruction, write)) continue;
    const auto read = as_check(instruction);
    if (!read || !are_apart(*read, write, evolution_)) return true;
  }
  return false;
}

bool OvertakenReads::exist_in(const Loop& loop, const Check& write) {
  return any_of(loop.blocks(), [&](BasicBlock* block) {
    return any_of(*block, [&](Instruction& each) { return is_overtaken(each, write); });
  });
}

}  // namespace omen::placement
