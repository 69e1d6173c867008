/// \file
/// Where an analysis' memory comes from. Offline it is the C++ library's. Inside a running program the analysis must
/// not touch the program's allocator, nor anything else of its C++ library: the build of the runtime names a header of
/// its own that defines `Allocator` and `check_failed` (capture/runtime/online/arena.hpp).
#pragma once

#include <memory>
#include <vector>

#ifdef OMEN_ANALYSIS_MEMORY
#include OMEN_ANALYSIS_MEMORY
#else
namespace omen {
template <class T>
using Allocator = std::allocator<T>;
}  // namespace omen
#endif

namespace omen {

template <class T>
using Vector = std::vector<T, Allocator<T>>;

}  // namespace omen
