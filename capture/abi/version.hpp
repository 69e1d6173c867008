/// \file
/// The version of the interface between instrumented objects and the runtime: layout.hpp, the functions `__omen_*`, the
/// marks. Every object that relies on it refers to a symbol with the version in its name, which only the runtime of
/// that version defines. So an object of another version fails to link, and a library of another version fails to load.
#pragma once

namespace omen::abi {

#define OMEN_ABI_VERSION_SYMBOL "__omen_runtime_is_missing_v2"

/// Assembly for an object: one reference in each linked module, retained although nothing refers to it.
inline constexpr const char* kVersionReference =
    "\t.pushsection\t.data.rel.ro.omen_version,\"aGwR\",@progbits," OMEN_ABI_VERSION_SYMBOL
    ".reference,comdat\n"
    "\t.quad\t" OMEN_ABI_VERSION_SYMBOL
    "\n"
    "\t.popsection\n";

}  // namespace omen::abi
