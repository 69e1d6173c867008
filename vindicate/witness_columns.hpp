/// \file
/// A witness as text: a line per event, a column per thread, the racing pair or the requests of a deadlock marked.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

struct ColumnStyle {
  std::size_t goals = 2;           ///< the number of last events that are the pair, or the requests
  std::string_view mark = "race";  ///< printed after these
  std::size_t most = 40;
};

/// Shows at most about `most` events: the last ones of the witness and of the goals' threads, and the acquires of the
/// locks that these hold. Lines show how many events are left out.
std::string witness_columns(const TraceIndex& index, std::span<const EventNo> witness, const ColumnStyle& style = {});

}  // namespace omen::vindicate
