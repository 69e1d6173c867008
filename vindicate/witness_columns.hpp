/// \file
/// A witness as text: a line per event, a column per thread, the racing pair marked.
#pragma once

#include <span>
#include <string>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

/// At most about `most` events are shown: the last ones of the witness and of the racing threads, and where these took
/// the locks that they hold. Lines say how many are left out.
std::string witness_columns(const TraceIndex& index, std::span<const EventNo> witness, std::size_t most = 40);

}  // namespace omen::vindicate
