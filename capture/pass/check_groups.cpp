#include "capture/pass/check_groups.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

#include "capture/pass/instrumented.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

constexpr const char* kFunction = "__omen_read_write_lines";

/// The functions of places are all alike. Linkers that fold what is alike (--icf=all) leave out sections whose name
/// could be one of C.
constexpr const char* kSection = "omen_lines";

/// The function beside a function that has the places of its members.
class Places {
 public:
  explicit Places(Function& of) : of_(of), context_(of.getContext()) {
    const std::string name = (of.getName() + ".omen.lines").str();
    function_ = of.getParent()->getFunction(name);
    // Where files are linked together a function of one may have been given the name that was another one's.
    if (function_ == nullptr || !is_beside(*function_, of)) create(name);
  }

  /// Where the place of the next member is.
  Constant* end() const {
    const uint64_t count = function_->front().size() - 1;
    Type* const word = Type::getInt64Ty(context_);
    return ConstantExpr::getGetElementPtr(Type::getInt8Ty(context_), function_, ConstantInt::get(word, count));
  }

  void add(const DILocation& line) {
    FunctionType* const type = FunctionType::get(Type::getVoidTy(context_), false);
    CallInst* const place = CallInst::Create(type, InlineAsm::get(type, "nop", "", true), "",
                                             function_->front().getTerminator()->getIterator());
    place->setDebugLoc(moved(line));
    place->setDoesNotThrow();
  }

 private:
  static bool is_beside(const Function& places, const Function& of) {
    const DISubprogram* const own = of.getSubprogram();
    const DISubprogram* const its = places.getSubprogram();
    return its != nullptr && its->getUnit() == own->getUnit() && its->getFile() == own->getFile() &&
           its->getLine() == own->getLine() && its->getName() == own->getName();
  }

  void create(const std::string& name) {
    FunctionType* const type = FunctionType::get(Type::getVoidTy(context_), false);
    function_ = Function::Create(type, GlobalValue::InternalLinkage, name, of_.getParent());
    for (const Attribute::AttrKind each : {Attribute::Naked, Attribute::NoInline, Attribute::NoUnwind,
                                           Attribute::OptimizeNone, Attribute::DisableSanitizerInstrumentation})
      function_->addFnAttr(each);
    function_->addFnAttr(kInstrumented);
    function_->setSection(kSection);
    function_->setComdat(of_.getComdat());
    const DISubprogram& own = *of_.getSubprogram();
    function_->setSubprogram(DISubprogram::getDistinct(
        context_, own.getScope(), own.getName(), own.getLinkageName(), own.getFile(), own.getLine(), own.getType(),
        own.getScopeLine(), nullptr, 0, 0, own.getFlags() | DINode::FlagArtificial, own.getSPFlags(), own.getUnit(),
        own.getTemplateParams(), own.getDeclaration(), nullptr, nullptr));
    new UnreachableInst(context_, BasicBlock::Create(context_, "", function_));
  }

  /// The same line in this function.
  DILocation* moved(const DILocation& line) {
    DILocation* const from = line.getInlinedAt();
    if (from == nullptr) return DILocation::get(context_, line.getLine(), line.getColumn(), function_->getSubprogram());
    return DILocation::get(context_, line.getLine(), line.getColumn(), line.getScope(), inlined_at(*from));
  }
  DILocation* inlined_at(const DILocation& call) {
    DILocation* const from = call.getInlinedAt();
    DILocalScope* const scope = from == nullptr ? function_->getSubprogram() : call.getScope();
    return DILocation::getDistinct(context_, call.getLine(), call.getColumn(), scope,
                                   from == nullptr ? nullptr : inlined_at(*from));
  }

  Function& of_;
  LLVMContext& context_;
  Function* function_ = nullptr;
};

uint64_t number(const Constant& structure, unsigned at) {
  return cast<ConstantInt>(structure.getAggregateElement(at))->getZExtValue();
}

/// The line of a member, by the code of its place.
const DILocation* line_at(const Constant& places, uint64_t member, const DataLayout& layout) {
  APInt offset(64, 0);
  const auto& function = *cast<Function>(places.stripAndAccumulateConstantOffsets(layout, offset, true));
  return std::next(function.front().begin(), static_cast<int64_t>(offset.getZExtValue() + member))->getDebugLoc();
}

}  // namespace

uint64_t CheckGroup::mask_of(bool is_write) const {
  uint64_t mask = 0;
  for (const GroupMember& member : members) {
    if (member.is_write == is_write) mask |= member.mask;
  }
  return mask;
}

bool can_have_groups(const Function& function) {
  return function.getSubprogram() != nullptr && !function.hasAvailableExternallyLinkage();
}

CallInst* make_group(IRBuilderBase& builder, Value* address, ArrayRef<GroupMember> members) {
  CheckGroup group;
  group.members.assign(members.begin(), members.end());
  Function& function = *builder.GetInsertBlock()->getParent();
  Module& module = *function.getParent();
  Places places(function);
  Constant* const first = places.end();
  Type* const word = builder.getInt64Ty();
  SmallVector<Constant*, 8> words;
  for (const GroupMember& member : members) {
    places.add(*member.line);
    words.push_back(ConstantInt::get(word, member.mask));
    words.push_back(ConstantInt::get(word, member.is_write ? 1 : 0));
  }
  Constant* const text = ConstantStruct::getAnon(
      {ConstantInt::get(word, group.read()), ConstantInt::get(word, group.written()), first,
       ConstantInt::get(word, members.size()), ConstantArray::get(ArrayType::get(word, words.size()), words)});
  auto* const global =
      new GlobalVariable(module, text->getType(), true, GlobalValue::PrivateLinkage, text, "omen.group");
  global->setComdat(function.getComdat());
  global->setAlignment(Align(8));
  const FunctionCallee callee =
      module.getOrInsertFunction(kFunction, builder.getVoidTy(), builder.getPtrTy(), builder.getPtrTy());
  CallInst* const call = builder.CreateCall(callee, {address, global});
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::WillReturn);
  call->setDoesNotAccessMemory();
  return call;
}

std::optional<CheckGroup> as_group(Instruction& instruction) {
  auto* const call = dyn_cast<CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr || call->getCalledFunction()->getName() != kFunction ||
      call->hasFnAttr(kLooked))
    return std::nullopt;
  const Constant& text = *cast<GlobalVariable>(call->getArgOperand(1))->getInitializer();
  CheckGroup group;
  group.call = call;
  group.address = call->getArgOperand(0);
  const Constant& words = *text.getAggregateElement(4);
  for (unsigned at = 0; at < number(text, 3); ++at) {
    group.members.push_back({number(words, 2 * at), number(words, 2 * at + 1) != 0,
                             line_at(*text.getAggregateElement(2), at, call->getDataLayout())});
  }
  return group;
}

}  // namespace omen::placement
