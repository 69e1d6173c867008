/// \file
/// Facts about the memory of an event, from the names in a recorded trace.
#pragma once

#include <cstdint>

#include "trace/capture_info.hpp"
#include "trace/trace.hpp"

namespace omen::cli {

/// True if the program itself declares races on this variable benign.
bool is_benign(const Trace& trace, std::uint64_t event, const CaptureInfo& info);

/// True if the event represents an atomic access: its variable's name then contains the thread's number.
bool is_atomic(const Trace& trace, std::uint64_t event);

}  // namespace omen::cli
