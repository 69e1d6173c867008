/// \file
/// A witness with its events regrouped: equivalent for the checker, with fewer changes from one thread to another, for
/// readers and for replays.
///
/// Two events of different threads may be exchanged unless they concern the same object and not both only read it, or
/// one creates or joins the other's thread. Every order of the events that keeps such pairs has the same meaning. One
/// of these is built greedily: a thread continues until it needs another thread's event; the two racing threads go
/// last. Events on which the pair does not depend are left out. More pairs than necessary are kept in order, never
/// fewer: a trace does not say what wakes a waiting thread, so a wake-up stays after everything that came before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.hpp"

namespace omen::vindicate {

/// How often the next event belongs to another thread.
std::size_t switches(const Trace& trace, std::span<const std::uint32_t> witness);

/// `witness` ends with the pair, which stays at the end unchanged. Time and memory are linear in the witness's length.
/// Since it is greedy, the result may have more switches than the witness: the caller takes the better one, and has it
/// checked.
std::vector<std::uint32_t> regrouped(const Trace& trace, std::span<const std::uint32_t> witness);

}  // namespace omen::vindicate
