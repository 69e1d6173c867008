/// \file
/// Functions of static libraries whose calls are not departures from instrumented code.
#pragma once

#include <string_view>

namespace omen::driver {

/// True if the function keeps no state that a critical section could guard.
bool is_harmless_symbol(std::string_view name);

}  // namespace omen::driver
