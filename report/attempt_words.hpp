/// \file
/// Text for the atomic events that represent failed attempts. A recorded trace names these atomics after the object and
/// the thread that held or took it (docs/event-model.md, "Failed attempts"); a report shows the program's names.
#pragma once

#include <optional>
#include <string>

#include "report/source_map.hpp"

namespace omen::report {

/// Nothing if the event is not such an atomic's.
std::optional<std::string> attempt_words(const SourceMap& map, const Event& event);

}  // namespace omen::report
