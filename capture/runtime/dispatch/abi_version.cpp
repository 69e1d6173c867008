/// \file
/// The version of the interface that this runtime has (capture/abi/version.hpp). Nobody calls it: objects refer to it.
#include "capture/abi/version.hpp"

extern "C" __attribute__((visibility("default"))) void omen_version() asm(OMEN_ABI_VERSION_SYMBOL);
extern "C" void omen_version() {}
