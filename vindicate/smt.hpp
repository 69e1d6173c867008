/// \file
/// The exact step by Z3: an order encoding of a region in difference logic.
///
/// Each item has an integer `o` (when) and a truth value `x` (whether it is executed before the race; always for the
/// racing threads). Constraints of an item count only if it is executed, so threads outside the pair may stop anywhere.
/// The limit is Z3's own resource count, not a clock: the answer does not depend on the machine's load.
#pragma once

#include <cstdint>
#include <string>

#include "vindicate/search.hpp"

namespace omen::vindicate {

/// `smt_lib`, if not null, is set to the query as SMT-LIB text.
ExactAnswer solve(const Region& region, std::uint32_t rlimit, std::string* smt_lib = nullptr);

}  // namespace omen::vindicate
