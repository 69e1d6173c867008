/// \file
/// How many random traces a test tries: its own default, or what OMEN_TRACES says.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

namespace omen::judges {

inline std::size_t trace_count(std::size_t standard) {
  const char* wanted = std::getenv("OMEN_TRACES");
  return wanted == nullptr ? standard : static_cast<std::size_t>(std::stoull(wanted));
}

}  // namespace omen::judges
