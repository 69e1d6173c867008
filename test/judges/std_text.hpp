/// \file
/// Traces as text, for the judges alone: a small reader of the STD format that shares nothing with trace/formats.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "trace/trace.hpp"

namespace omen::judges {

/// One event per line, `T1|w(x)|location`; the location may be missing. Blank lines and lines that begin with # are
/// skipped, spaces around an event are dropped. A trace that is not well formed is rejected with its line.
std::expected<Trace, std::string> parse_std(std::string_view text);

/// The same for texts that are known to be valid, such as those in a test: a rejection is a bug of the test.
Trace trace_of(std::string_view text);

/// The whole trace, one line per event.
std::string to_std(const Trace& trace);

}  // namespace omen::judges
