#include "capture/pass/departures.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "capture/assembly/assembly_text.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

/// The frame of the function, constants, and what is a thread's own.
bool is_harmless_place(const Value* address) {
  const Value* const object = getUnderlyingObject(address);
  if (isa<AllocaInst>(object)) return true;
  const auto* const variable = dyn_cast<GlobalVariable>(object);
  if (variable != nullptr) return variable->isConstant() || variable->isThreadLocal();
  const auto* const call = dyn_cast<IntrinsicInst>(object);
  return call != nullptr && call->getIntrinsicID() == Intrinsic::threadlocal_address;
}

bool assembly_touches_memory(const CallInst& call) {
  const auto& text = *cast<InlineAsm>(call.getCalledOperand());
  if (call.doesNotAccessMemory()) return false;
  const assembly::Constants none;
  assembly::MemoryUse use(none);
  std::string code(text.getAsmString());
  if (text.getDialect() == InlineAsm::AD_Intel) return !code.empty();
  // An operand, `$0` or `${0:b}`, is a register or is among those with an address below; `$$` is a dollar sign.
  if (assembly::assembly_touches(code, use)) return true;
  if (code.find_first_not_of(" \t\n;") == std::string::npos) return false;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (call.getParamElementType(i) != nullptr && !is_harmless_place(call.getArgOperand(i))) return true;
  }
  return false;
}

bool touches_memory(const Instruction& instruction) {
  if (const auto* const load = dyn_cast<LoadInst>(&instruction))
    return !load->hasMetadata(LLVMContext::MD_invariant_load) && !is_harmless_place(load->getPointerOperand());
  if (const auto* const store = dyn_cast<StoreInst>(&instruction))
    return !is_harmless_place(store->getPointerOperand());
  if (const auto* const copy = dyn_cast<MemTransferInst>(&instruction))
    return !is_harmless_place(copy->getDest()) || !is_harmless_place(copy->getSource());
  if (const auto* const set = dyn_cast<MemIntrinsic>(&instruction)) return !is_harmless_place(set->getDest());
  if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction)) return true;
  if (const auto* const call = dyn_cast<CallInst>(&instruction); call != nullptr && call->isInlineAsm())
    return assembly_touches_memory(*call);
  // Callees mark themselves, except for what the code generator makes memory accesses of.
  const auto* const intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic != nullptr && intrinsic->mayReadOrWriteMemory() && !intrinsic->isAssumeLikeIntrinsic() &&
         !intrinsic->isLifetimeStartOrEnd();
}

/// What the compiler makes to pass control on, or to look at the thread's own memory.
bool is_made_by_compiler(StringRef name) {
  return name.starts_with("_ZTh") || name.starts_with("_ZTv") || name.starts_with("_ZTc") || name.starts_with("_ZTW") ||
         name.starts_with("_ZTH") || name.starts_with("__tsan") || name.starts_with("tsan.") ||
         name.starts_with("__clang_");
}

void put_mark(Instruction* before) {
  Module& module = *before->getModule();
  IRBuilder<> builder(before);
  const FunctionCallee leave = module.getOrInsertFunction("__omen_leave", builder.getVoidTy());
  builder.CreateCall(leave)->setDoesNotThrow();
}

bool is_x86(const Function& function) {
  return Triple(function.getParent()->getTargetTriple()).getArch() == Triple::x86_64;
}

}  // namespace

bool mark_entry(Function& function) {
  if (!is_x86(function) || is_made_by_compiler(function.getName())) return false;
  if (function.getSection() == ".text.omen_harmless") return false;
  if (function.hasFnAttribute(Attribute::Naked)) {
    // It has no frame for a call of the compiler's, but the callee changes no register.
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    FunctionType* const type = FunctionType::get(builder.getVoidTy(), false);
    builder.CreateCall(type, InlineAsm::get(type, "callq *__omen_leave@GOTPCREL(%rip)", "~{memory},~{flags}", true));
    return true;
  }
  for (const Instruction& instruction : instructions(function)) {
    if (!touches_memory(instruction)) continue;
    put_mark(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    return true;
  }
  return false;
}

void mark_assembly(Function& function) {
  if (!is_x86(function)) return;
  SmallVector<CallInst*, 4> found;
  for (Instruction& instruction : instructions(function)) {
    auto* const call = dyn_cast<CallInst>(&instruction);
    if (call != nullptr && call->isInlineAsm() && assembly_touches_memory(*call)) found.push_back(call);
  }
  for (CallInst* const call : found) put_mark(call);
}

void say_that_it_is_marked(Module& module) {
  if (StringRef(module.getModuleInlineAsm()).contains("function")) return;
  for (const Function& function : module) {
    if (function.isDeclaration() || !function.hasFnAttribute(Attribute::SanitizeThread)) continue;
    if (!function.getFnAttribute("target-features").getValueAsString().contains("+retpoline-external-thunk")) return;
  }
  // The name is that of capture/driver/marked_assembly.hpp.
  auto* const marked =
      new GlobalVariable(module, Type::getInt8Ty(module.getContext()), true, GlobalValue::WeakODRLinkage,
                         ConstantInt::get(Type::getInt8Ty(module.getContext()), 1), "__omen_marked");
  marked->setVisibility(GlobalValue::HiddenVisibility);
  appendToCompilerUsed(module, {marked});
}

}  // namespace omen::placement
