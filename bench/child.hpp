/// \file
/// Work in a process of its own: its memory is measured alone, and gone afterwards.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <functional>
#include <optional>

namespace omen::bench {

/// Runs `work` in a child, then copies the `size` bytes at `result` from the child's memory to ours. What the child
/// used, or nothing if `work` returned false or the child died.
std::optional<rusage> in_child(void* result, std::size_t size, const std::function<bool()>& work);

}  // namespace omen::bench
