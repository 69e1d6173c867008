/// \file
/// std::ranges::contains, which the library of GCC 12 does not have yet.
#pragma once

#include <algorithm>
#include <string_view>

namespace omen::driver {

bool contains(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

}  // namespace omen::driver
