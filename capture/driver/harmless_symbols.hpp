/// \file
/// Functions of static libraries to which control may go without leaving what the runtime sees.
#pragma once

#include <string_view>

namespace omen::driver {

/// Whether the function of this symbol keeps nothing that a critical section could guard.
bool is_harmless_symbol(std::string_view name);

}  // namespace omen::driver
