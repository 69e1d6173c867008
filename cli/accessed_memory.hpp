/// \file
/// What a recorded trace's names say of the memory that an event accesses.
#pragma once

#include <cstdint>

#include "trace/capture_info.hpp"
#include "trace/trace.hpp"

namespace omen::cli {

/// Whether the program itself calls races on this variable benign.
bool is_benign(const Trace& trace, std::uint64_t event, const CaptureInfo& info);

/// Whether the event stands for an atomic access: the variable then bears the number of its own thread.
bool is_atomic(const Trace& trace, std::uint64_t event);

}  // namespace omen::cli
