/// \file
/// Random traces with updates (docs/event-model.md, "Updates"): a trace in which some writes get a read before them,
/// and some reads, writes and read-modify-writes are marked.
#pragma once

#include <cstdint>

#include "trace/trace.hpp"

namespace omen::judges {

/// A pure function of the trace and the seed; well formed, with `nested` set. Adds at most half as many events as the
/// trace has. Mostly whole updates; also reads without a write, and marked writes without a read before them.
Trace with_updates(Trace trace, std::uint64_t seed);

}  // namespace omen::judges
