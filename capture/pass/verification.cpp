#include "capture/pass/verification.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include "capture/pass/checks.hpp"

namespace omen::placement {

using namespace llvm;

namespace {

void tell(Function& function, const char* name) {
  SmallVector<Check, 16> checks;
  for (Instruction& instruction : instructions(function)) {
    if (auto check = as_check(instruction)) checks.push_back(std::move(*check));
  }
  for (const Check& check : checks) {
    IRBuilder<> builder(check.call);
    const DILocation* const place = check.call->getDebugLoc();
    const auto call = [&](Value* address, Value* length) {
      const FunctionCallee callee =
          function.getParent()->getOrInsertFunction(name, builder.getVoidTy(), builder.getPtrTy(), builder.getInt64Ty(),
                                                    builder.getInt32Ty(), builder.getInt32Ty());
      CallInst* const made =
          builder.CreateCall(callee, {address, length, builder.getInt32(static_cast<unsigned>(check.kind)),
                                      builder.getInt32(place == nullptr ? 0 : place->getLine())});
      made->setDoesNotThrow();
      made->addFnAttr(Attribute::WillReturn);
    };
    if (check.length != nullptr) call(check.address, check.length);
    for (const Run& run : check.runs) {
      call(builder.CreatePtrAdd(check.address, builder.getInt64(static_cast<uint64_t>(run.begin))),
           builder.getInt64(static_cast<uint64_t>(run.size())));
    }
  }
}

}  // namespace

void tell_of_accesses(Function& function) {
  tell(function, "__omen_verify_access");
}

void tell_of_checks(Function& function) {
  tell(function, "__omen_verify_check");
}

}  // namespace omen::placement
