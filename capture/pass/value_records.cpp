#include "capture/pass/value_records.hpp"

#include <cstring>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "capture/abi/values.hpp"
#include "capture/pass/memory_loops.hpp"

namespace omen::placement {

using namespace llvm;
using abi::ValueKind;

namespace {

bool is_instrumented(const Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         function.hasFnAttribute(Attribute::SanitizeThread) && !function.hasFnAttribute(Attribute::Naked) &&
         !function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

/// The interpreter knows integers up to 64 bits, pointers, and the bits of floats.
bool fits(const Type& type) {
  if (type.isIntegerTy()) return type.getIntegerBitWidth() <= 64;
  return type.isPointerTy() || type.isFloatTy() || type.isDoubleTy();
}

/// Nobody but loads and stores of this function use its address. ThreadSanitizer takes volatile ones for shared.
bool is_private(const Value& address) {
  for (const User* const user : address.users()) {
    if (const auto* const load = dyn_cast<LoadInst>(user)) {
      if (load->isAtomic() || load->isVolatile() || !fits(*load->getType())) return false;
    } else if (const auto* const store = dyn_cast<StoreInst>(user)) {
      if (store->isAtomic() || store->isVolatile() || store->getValueOperand() == &address ||
          !fits(*store->getValueOperand()->getType())) {
        return false;
      }
    } else if (isa<GetElementPtrInst>(user)) {
      if (!is_private(*user)) return false;
    } else if (const auto* const call = dyn_cast<IntrinsicInst>(user);
               call == nullptr || !call->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return true;
}

/// Of a load or store.
const Value* address_of(const Instruction& instruction) {
  return isa<LoadInst>(instruction) || isa<StoreInst>(instruction) ? getLoadStorePointerOperand(&instruction) : nullptr;
}

bool is_of_private(const Value& pointer) {
  const Value* at = &pointer;
  while (const auto* const part = dyn_cast<GetElementPtrInst>(at)) at = part->getPointerOperand();
  return isa<AllocaInst>(at) && is_private(*at);
}

/// The processor may round the result of a product and a sum once.
bool may_fuse(const Instruction& instruction) {
  return instruction.getFunction()->getFnAttribute("target-features").getValueAsString().contains("+fma");
}

bool has_fast_math(const Instruction& instruction) {
  return isa<FPMathOperator>(instruction) && instruction.getFastMathFlags().any();
}

/// Of operations on floats that the interpreter computes: they give the same bits everywhere.
bool is_exact(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FNeg:
    case Instruction::FCmp:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return !has_fast_math(instruction) &&
             all_of(instruction.operands(), [](const Use& use) { return fits(*use->getType()); });
    default:
      return false;
  }
}

/// Of intrinsics that the interpreter computes, or that do nothing.
bool is_computed(const IntrinsicInst& call) {
  if (isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd() || call.isAssumeLikeIntrinsic()) return true;
  switch (call.getIntrinsicID()) {
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
    case Intrinsic::abs:
    case Intrinsic::expect:
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::usub_with_overflow:
      return call.getType()->isIntegerTy() || call.getType()->isStructTy();
    case Intrinsic::fabs:
      return fits(*call.getType()) && !has_fast_math(call);
    case Intrinsic::fmuladd:
      return fits(*call.getType()) && !has_fast_math(call) && !may_fuse(call);
    default:
      return false;
  }
}

class Recording {
 public:
  Recording(Module& module, std::uint64_t number) : module_(module), number_(number) {
    Type* const word = Type::getInt64Ty(module.getContext());
    for (const char* const name : abi::kValueFunctions) {
      FunctionCallee callee = module.getOrInsertFunction(name, Type::getVoidTy(module.getContext()), word);
      auto* const function = cast<Function>(callee.getCallee());
      function->setDoesNotThrow();
      function->addFnAttr(Attribute::WillReturn);
      function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
      functions_.push_back(callee);
    }
    mark_ = MDNode::get(module.getContext(), {});
  }

  void function(Function& function, std::uint64_t index) {
    SmallVector<Instruction*, 64> all;
    for (Instruction& instruction : instructions(function)) all.push_back(&instruction);
    for (Instruction* const instruction : all) visit(*instruction);
    Instruction* at = &*function.getEntryBlock().getFirstNonPHIOrDbg();
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(DebugLoc());
    if (function.getSubprogram() != nullptr) {
      builder.SetCurrentDebugLocation(DILocation::get(function.getContext(), 0, 0, function.getSubprogram()));
    }
    say(builder, ValueKind::Enter, builder.getInt64(number_ | index));
    if (function.hasLocalLinkage() && !function.hasAddressTaken()) return;
    for (Argument& argument : function.args()) {
      if (fits(*argument.getType())) say(builder, ValueKind::Argument, bits(builder, argument));
    }
  }

 private:
  void say(IRBuilder<>& builder, ValueKind kind, Value* value) {
    builder.CreateCall(functions_[static_cast<std::size_t>(kind)], {value});
  }

  static Value* bits(IRBuilder<>& builder, Value& value) {
    Type* const type = value.getType();
    if (type->isPointerTy()) return builder.CreatePtrToInt(&value, builder.getInt64Ty());
    Value* number = &value;
    if (type->isFloatTy()) number = builder.CreateBitCast(number, builder.getInt32Ty());
    if (type->isDoubleTy()) number = builder.CreateBitCast(number, builder.getInt64Ty());
    return builder.CreateZExt(number, builder.getInt64Ty());
  }

  void visit(Instruction& instruction) {
    if (isa<AllocaInst>(instruction)) {
      if (!is_private(instruction)) result(instruction, ValueKind::Result);
    } else if (const Value* const address = address_of(instruction); address != nullptr && is_of_private(*address)) {
      // ThreadSanitizer instruments a variable with too many uses to look at, but the interpreter expects no event.
      instruction.setMetadata(LLVMContext::MD_nosanitize, MDNode::get(module_.getContext(), {}));
    } else if (isa<LoadInst>(instruction)) {
      result(instruction, ValueKind::Result);
    } else if (auto* const store = dyn_cast<StoreInst>(&instruction); store != nullptr && store->isAtomic()) {
      result(instruction, ValueKind::Result);  // no value, but the end of what it does
    } else if (auto* const call = dyn_cast<CallBase>(&instruction)) {
      this->call(*call);
    } else if (isa<LandingPadInst>(instruction)) {
      landing(instruction);
    } else if (is_recorded_operation(instruction)) {
      result(instruction, ValueKind::Result);
    }
  }

  static bool is_recorded_operation(const Instruction& instruction) {
    if (isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction) || isa<VAArgInst>(instruction))
      return true;
    if (isa<PHINode>(instruction) || isa<SelectInst>(instruction) || isa<FreezeInst>(instruction)) return false;
    if (isa<ExtractValueInst>(instruction)) return false;
    if (instruction.getType()->isVoidTy() || !fits(*instruction.getType())) return false;
    if (is_exact(instruction)) return false;
    if (isa<BitCastInst>(instruction)) return !fits(*instruction.getOperand(0)->getType());
    const auto is_number = [](const Value* operand) {
      return fits(*operand->getType()) && !operand->getType()->isFloatingPointTy();
    };
    return !is_number(&instruction) || !all_of(instruction.operands(), [&](const Use& use) { return is_number(use); });
  }

  void call(CallBase& call) {
    if (const auto* const intrinsic = dyn_cast<IntrinsicInst>(&call); intrinsic != nullptr) {
      if (!is_computed(*intrinsic)) result(call, ValueKind::Return);
      return;
    }
    if (call.doesNotReturn() || call.isMustTailCall()) return;
    if (auto* const plain = dyn_cast<CallInst>(&call)) plain->setTailCallKind(CallInst::TCK_NoTail);
    result(call, ValueKind::Return);
  }

  /// Behind the instruction. What has several values gives the first two.
  void result(Instruction& instruction, ValueKind kind) {
    Instruction* at = nullptr;
    if (auto* const invoke = dyn_cast<InvokeInst>(&instruction)) {
      BasicBlock* block = invoke->getNormalDest();
      if (block->getSinglePredecessor() == nullptr) block = SplitEdge(invoke->getParent(), block);
      at = &*block->getFirstInsertionPt();
    } else {
      if (instruction.isTerminator()) return;
      at = instruction.getNextNode();
    }
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(instruction.getDebugLoc());
    Type* const type = instruction.getType();
    if (type->isVoidTy()) {
      say(builder, kind, builder.getInt64(0));
    } else if (fits(*type)) {
      say(builder, kind, bits(builder, instruction));
    } else if (auto* const pair = dyn_cast<StructType>(type); pair != nullptr && pair->getNumElements() == 2 &&
                                                              fits(*pair->getElementType(0)) &&
                                                              fits(*pair->getElementType(1))) {
      say(builder, kind, bits(builder, *builder.CreateExtractValue(&instruction, 0)));
      say(builder, ValueKind::More, bits(builder, *builder.CreateExtractValue(&instruction, 1)));
    } else if (kind == ValueKind::Return) {
      say(builder, kind, builder.getInt64(0));  // nothing is known but that it came back
    } else {
      return;
    }
    instruction.setMetadata(abi::kRecordedMark, mark_);
  }

  void landing(Instruction& pad) {
    IRBuilder<> builder(&*pad.getParent()->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(pad.getDebugLoc());
    const std::uint64_t number = number_ | landings_++;
    say(builder, ValueKind::Landing, builder.getInt64(number));
    auto* const type = dyn_cast<StructType>(pad.getType());
    if (type == nullptr || type->getNumElements() != 2) return;
    say(builder, ValueKind::Result, bits(builder, *builder.CreateExtractValue(&pad, 0)));
    say(builder, ValueKind::More, bits(builder, *builder.CreateExtractValue(&pad, 1)));
    pad.setMetadata(abi::kRecordedMark,
                    MDNode::get(module_.getContext(), {ConstantAsMetadata::get(builder.getInt64(number))}));
  }

  Module& module_;
  std::uint64_t number_;
  std::uint64_t landings_ = 0;
  SmallVector<FunctionCallee, 8> functions_;
  MDNode* mark_;
};

/// Those whose addresses the interpreter may have to know: they are known when the program runs.
SmallVector<GlobalValue*, 32> globals_of(Module& module) {
  SmallVector<GlobalValue*, 32> all;
  const auto add = [&](GlobalValue& global) {
    const bool unknown_to_others = global.use_empty() && (global.isDeclaration() || global.hasLocalLinkage());
    if (global.isThreadLocal() || unknown_to_others || global.getName().starts_with("llvm.") ||
        global.getName().starts_with("__omen_") || (global.hasLocalLinkage() && global.getComdat() != nullptr)) {
      return;
    }
    if (const auto* const function = dyn_cast<Function>(&global); function != nullptr && function->isIntrinsic())
      return;
    all.push_back(&global);
  };
  for (GlobalVariable& global : module.globals()) add(global);
  for (Function& function : module) add(function);
  for (GlobalAlias& alias : module.aliases()) add(alias);
  return all;
}

std::string bitcode_of(const Module& module) {
  std::string text;
  raw_string_ostream stream(text);
  WriteBitcodeToFile(module, stream);
  stream.flush();
  return text;
}

void add_bitcode(Module& module, std::uint64_t number) {
  std::string content = bitcode_of(module);
  abi::BitcodeHeader header{};
  std::memcpy(header.magic, abi::kBitcodeMagic, sizeof header.magic);
  header.module = number;
  header.bytes = content.size();
  content.resize((content.size() + 7) / 8 * 8);
  content.insert(0, reinterpret_cast<const char*>(&header), sizeof header);
  Constant* const data = ConstantDataArray::getString(module.getContext(), content, false);
  auto* const global =
      new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "omen.bitcode");
  global->setSection(abi::kBitcodeSection);
  global->setAlignment(Align(8));
  appendToUsed(module, {global});
}

void add_constructor(Module& module, std::uint64_t number, const SmallVectorImpl<GlobalValue*>& globals) {
  LLVMContext& context = module.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  SmallVector<Constant*, 32> addresses(globals.begin(), globals.end());
  auto* const type = ArrayType::get(pointer, addresses.size());
  auto* const table = new GlobalVariable(module, type, false, GlobalValue::PrivateLinkage,
                                         ConstantArray::get(type, addresses), "omen.addresses");
  Function* const begin = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                           GlobalValue::InternalLinkage, "omen.values.begin", module);
  begin->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  begin->setDoesNotThrow();
  IRBuilder<> builder(BasicBlock::Create(context, "", begin));
  const FunctionCallee callee = module.getOrInsertFunction(abi::kValuesModule, builder.getVoidTy(), pointer,
                                                           builder.getInt64Ty(), builder.getInt64Ty());
  builder.CreateCall(callee, {table, builder.getInt64(addresses.size()), builder.getInt64(number)});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, begin, 1);
}

}  // namespace

PreservedAnalyses ValueRecords::run(Module& module, ModuleAnalysisManager& analyses) {
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  SmallVector<Function*, 32> all;
  for (Function& function : module) {
    if (is_instrumented(function)) all.push_back(&function);
  }
  if (all.empty()) return PreservedAnalyses::all();
  const std::uint64_t number = xxh3_64bits(bitcode_of(module)) >> abi::kFunctionBits << abi::kFunctionBits;
  Recording recording(module, number);
  for (std::size_t i = 0; i < all.size(); ++i) {
    expand_memory_intrinsics(*all[i], functions.getResult<TargetIRAnalysis>(*all[i]));
    recording.function(*all[i], i);
  }
  const SmallVector<GlobalValue*, 32> globals = globals_of(module);
  NamedMDNode* const list = module.getOrInsertNamedMetadata(abi::kGlobalsList);
  for (GlobalValue* const global : globals) {
    list->addOperand(MDNode::get(module.getContext(), {ConstantAsMetadata::get(global)}));
  }
  add_bitcode(module, number);
  add_constructor(module, number, globals);
  return PreservedAnalyses::none();
}

}  // namespace omen::placement
