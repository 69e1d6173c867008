/// \file
/// Names as the source has them.
#pragma once

#include <string>
#include <string_view>

namespace omen::symbolize {

/// `f(int)` for `_Z1fi`. What the compiler appended for a copy or a part of a function (`.cold`, `.part.0`,
/// `@GLIBC_2.2`) is left out. Other names stay as they are.
std::string demangled(std::string_view name);

}  // namespace omen::symbolize
