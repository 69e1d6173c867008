/// \file
/// Names for recorded objects that are not memory: files, pipes, sockets, descriptor numbers. The runtime gives them
/// addresses that no program has (capture/runtime/interceptors/descriptors.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace omen::report {

/// "pipe or file", "sockets", "descriptor 5"; nothing for memory, and for kinds of objects that share their addresses.
std::optional<std::string> system_object(std::uint64_t address);

}  // namespace omen::report
