/// \file
/// A witness with its events regrouped: the same schedule to the checker, with fewer changes from one thread to
/// another, for people to read and for programs to be led by.
///
/// Two events of different threads may change places unless they are about the same object and not both only read it,
/// or one creates or joins the other's thread. Each order of the events that keeps such pairs has the same meaning. Of
/// those, one is built greedily: a thread goes on until it needs another's event; the two racing threads go last.
/// Events on which the pair does not depend are left out. More pairs than necessary are kept in order, never fewer:
/// what makes a waiting thread wake up is not in a trace, so a wake-up stays behind all that came before it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.hpp"

namespace omen::vindicate {

/// How often the next event is another thread's.
std::size_t switches(const Trace& trace, std::span<const std::uint32_t> witness);

/// `witness` ends with the pair, which stays at the end as it is. Takes time and memory linear in the witness's length.
/// The result may have more switches than the witness, as greed goes: take the better one, and have it checked.
std::vector<std::uint32_t> regrouped(const Trace& trace, std::span<const std::uint32_t> witness);

}  // namespace omen::vindicate
