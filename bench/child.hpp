/// \file
/// Runs work in a child process: its memory is measured separately, and freed afterwards.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <functional>
#include <optional>

namespace omen::bench {

/// Runs `work` in a child, then copies the `size` bytes at `result` from the child's memory. Returns the child's
/// resource usage, or nothing if `work` returned false or the child died.
std::optional<rusage> in_child(void* result, std::size_t size, const std::function<bool()>& work);

}  // namespace omen::bench
