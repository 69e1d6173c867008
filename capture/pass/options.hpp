/// \file
/// What omen-cc tells the plugin by options of clang (`-mllvm`), where it is not the usual.
#pragma once

namespace omen::placement {

/// How much is done. RedCard takes away what is checked already, and nothing else.
enum class Steps : unsigned char { RedCard, BigFoot };

Steps steps();

/// Whether the runtime is told of each access and each check (verification.hpp).
bool verifies();

}  // namespace omen::placement
