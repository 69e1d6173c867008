/// \file
/// What a failed attempt is called. A recorded trace says by atomics who holds what an attempt found taken
/// (docs/event-model.md, "Failed attempts"); a report says it in the words of the program.
#pragma once

#include <optional>
#include <string>

#include "report/source_map.hpp"

namespace omen::report {

/// Nothing for any other event.
std::optional<std::string> attempt_words(const SourceMap& map, const Event& event);

}  // namespace omen::report
