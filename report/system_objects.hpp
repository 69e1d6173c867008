/// \file
/// What stands in a recording for things that have no address: files, pipes, sockets, the numbers of descriptors. The
/// runtime gives them addresses that no program has (capture/runtime/interceptors/descriptors.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace omen::report {

/// "pipe or file", "sockets", "descriptor 5"; nothing for memory, and for objects of kinds that share their addresses.
std::optional<std::string> system_object(std::uint64_t address);

}  // namespace omen::report
