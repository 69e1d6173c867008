/// \file
/// Names as in the source.
#pragma once

#include <string>
#include <string_view>

namespace omen::symbolize {

/// `f(int)` for `_Z1fi`. Suffixes that the compiler appended for a copy or a part of a function (`.cold`, `.part.0`,
/// `@GLIBC_2.2`) are removed. Other names are returned unchanged.
std::string demangled(std::string_view name);

}  // namespace omen::symbolize
