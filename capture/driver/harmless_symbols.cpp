#include "capture/driver/harmless_symbols.hpp"

#include <algorithm>
#include <array>

#include "capture/driver/contains.hpp"

namespace omen::driver {

bool is_harmless_symbol(std::string_view name) {
  // Allocation: the runtime sees blocks begin and end, whichever allocator provides them.
  constexpr std::array<std::string_view, 15> functions = {
      "malloc",        "calloc",      "realloc",           "free",  "aligned_alloc",      "posix_memalign",
      "memalign",      "valloc",      "pvalloc",           "cfree", "malloc_usable_size", "reallocarray",
      "__libc_malloc", "__libc_free", "__cxa_pure_virtual"};
  constexpr std::array<std::string_view, 4> operators = {"_Znwm", "_Znam", "_ZdlPv", "_ZdaPv"};
  return contains(functions, name) ||
         std::ranges::any_of(operators, [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace omen::driver
