/// \file
/// The version of what instrumented objects and the runtime know of each other: layout.hpp, the functions `__omen_*`,
/// the marks. Every object that relies on it refers to a symbol with the version in its name, which the runtime of that
/// version alone defines. So an object of another omen fails to link, and a library of another omen fails to load.
#pragma once

namespace omen::abi {

#define OMEN_ABI_VERSION_SYMBOL "__omen_runtime_is_missing_v2"

/// Assembly of an object: one reference for each linked module, also where the linker drops what nothing uses.
inline constexpr const char* kVersionReference =
    "\t.pushsection\t.data.rel.ro.omen_version,\"aGwR\",@progbits," OMEN_ABI_VERSION_SYMBOL
    ".reference,comdat\n"
    "\t.quad\t" OMEN_ABI_VERSION_SYMBOL
    "\n"
    "\t.popsection\n";

}  // namespace omen::abi
