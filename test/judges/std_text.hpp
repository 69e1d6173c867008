/// \file
/// Traces as text, for the judges alone: a small reader of the STD format that shares nothing with trace/formats.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "trace/trace.hpp"

namespace omen::judges {

/// One event a line, `T1|w(x)|location`; the location may be missing. Blank lines and lines that begin with # are
/// skipped, spaces around an event are dropped. What is not well formed is refused with its line.
std::expected<Trace, std::string> parse_std(std::string_view text);

/// The same for texts that are known to be good, such as those written in a test: a refusal is our own bug.
Trace trace_of(std::string_view text);

/// The whole trace, a line per event.
std::string to_std(const Trace& trace);

}  // namespace omen::judges
