#include "capture/pass/options.hpp"

#include "llvm/Support/CommandLine.h"

namespace omen::placement {

using namespace llvm;

namespace {

cl::opt<Steps> placement("omen-placement", cl::desc("Which checks are placed"), cl::Hidden, cl::init(Steps::BigFoot),
                         cl::values(clEnumValN(Steps::RedCard, "redcard", "redundant checks are taken away"),
                                    clEnumValN(Steps::BigFoot, "bigfoot", "checks are also joined and moved")));
cl::opt<bool> verify("omen-verify-placement", cl::desc("The runtime is told of each access"), cl::Hidden,
                     cl::init(false));

}  // namespace

Steps steps() {
  return placement;
}

bool verifies() {
  return verify;
}

}  // namespace omen::placement
