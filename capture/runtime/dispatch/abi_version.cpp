/// \file
/// The version of the runtime's interface (capture/abi/version.hpp). It is never called: objects refer to it, so a
/// mismatch fails to link.
#include "capture/abi/version.hpp"

extern "C" __attribute__((visibility("default"))) void omen_version() asm(OMEN_ABI_VERSION_SYMBOL);
extern "C" void omen_version() {}
