#include "capture/pass/missing_checks.hpp"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

#include "capture/pass/checks.hpp"
#include "capture/pass/masked_checks.hpp"
#include "capture/pass/reachable_memory.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

bool is_plain(Instruction& instruction) {
  return (isa<LoadInst>(instruction) || isa<StoreInst>(instruction)) && !instruction.isAtomic() &&
         getLoadStoreAddressSpace(&instruction) == 0;
}

/// 0 if nobody knows before the program runs.
int64_t size_of(Instruction& access) {
  const TypeSize size = access.getModule()->getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  return size.isScalable() ? 0 : static_cast<int64_t>(size.getFixedValue());
}

/// How many bytes of the access have a check in front of it.
int64_t checked_bytes(Instruction& access) {
  const auto* const call = dyn_cast_or_null<CallInst>(access.getPrevNonDebugInstruction());
  if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_empty()) return 0;
  StringRef name = call->getCalledFunction()->getName();
  if (!is_check_function(name) || call->getArgOperand(0) != getLoadStorePointerOperand(&access)) return 0;
  // Several at once are written as one vector, and only the first is said.
  if (name.starts_with("__tsan_vptr_")) return access.getModule()->getDataLayout().getPointerSize();
  return size_of(access);
}

void check_access(Instruction& access) {
  const Run missing{checked_bytes(access), size_of(access)};
  if (missing.size() <= 0) return;
  IRBuilder<> builder(&access);
  make_check(builder, isa<StoreInst>(access) ? Kind::Write : Kind::Read, getLoadStorePointerOperand(&access), missing,
             getLoadStoreAlignment(&access));
}

/// An argument that is passed by value in memory: the call copies it.
void check_copied_argument(CallBase& call, unsigned at) {
  const DataLayout& layout = call.getModule()->getDataLayout();
  const Run all{0, static_cast<int64_t>(layout.getTypeStoreSize(call.getParamByValType(at)).getFixedValue())};
  if (all.size() == 0) return;
  IRBuilder<> builder(&call);
  make_check(builder, Kind::Read, call.getArgOperand(at), all, call.getParamAlign(at).valueOrOne());
}

/// -fno-sanitize-thread-memory-access says that accesses are not to be instrumented.
bool accesses_are_wanted() {
  const auto& options = cl::getRegisteredOptions();
  const auto found = options.find("tsan-instrument-memory-accesses");
  return found == options.end() || static_cast<const cl::opt<bool>*>(found->second)->getValue();
}

}  // namespace

MissingChecks::MissingChecks(Function& function) {
  if (!accesses_are_wanted()) return;
  ReachableMemory memory;
  for (Instruction& instruction : instructions(function)) {
    if (instruction.hasMetadata(LLVMContext::MD_nosanitize)) continue;
    if (is_plain(instruction)) {
      if (memory.contains(getLoadStorePointerOperand(&instruction))) accesses_.push_back(&instruction);
    } else if (auto* const call = dyn_cast<CallBase>(&instruction)) {
      for (unsigned at = 0; at < call->arg_size(); ++at) {
        if (call->isByValArgument(at) && memory.contains(call->getArgOperand(at))) copies_.push_back({call, at});
      }
      const Value* const masked = masked_address(*call);
      if (masked != nullptr && memory.contains(masked)) masked_.push_back(call);
    }
  }
}

void MissingChecks::add() const {
  for (Instruction* const access : accesses_) check_access(*access);
  for (const auto& [call, argument] : copies_) check_copied_argument(*call, argument);
  for (CallBase* const access : masked_) check_masked_access(*access);
}

}  // namespace omen::placement
