/// \file
/// Random traces with updates (docs/event-model.md, "Updates"): a trace in which some writes get a read in front of
/// them, and some reads, writes and read-modify-writes are marked.
#pragma once

#include <cstdint>

#include "trace/trace.hpp"

namespace omen::judges {

/// A pure function of the trace and the seed; well formed, with `nested` set. Has at most half as many events more.
/// Mostly whole updates; also reads without a write, and marked writes that no read stands in front of.
Trace with_updates(Trace trace, std::uint64_t seed);

}  // namespace omen::judges
