/// \file
/// Value traces as text (docs/relaxation.md, "Value traces").
///
///     omen-values 1
///     cell y 32 = 0
///     T1|write y = 3:32 -> 3|fig1:1
///     T2|%a = read y -> 3|fig1:4
///     T2|branch (slt 2:32 %a) -> 1|fig1:4
///     T2|acq(m)|fig1:5
///
/// The first line names the format. Blank lines and lines that begin with `#` are skipped. Cells come before the first
/// event that uses them. The recorded value follows `->`. Constants have their width after a colon. Numbers are
/// decimal, hexadecimal (`0xff`) or negative. Names of cells, threads and locks have no blanks, `|` or parentheses.
///
/// After the events a trace may contain the paths that threads could take from the other sides of their branches
/// (docs/relaxation.md, "Paths"):
///
///     paths 1
///     path 4 ends
///     T2|branch (slt 2:32 %a) -> 0|fig1:4
///
/// `paths` is followed by their number, `path` by the event of the branch, counted from 0, and by `ends` if the thread
/// ends after the path. The first event of a path is its branch. A path defines new values.
#pragma once

#include <expected>
#include <string>

#include "trace/error.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::values {

inline constexpr std::string_view kValueMagic = "omen-values";

/// `name` is the text's name in messages. The result has passed `check`.
std::expected<ValueTrace, InputError> parse_values(std::string_view text, const std::string& name);

/// Writes the whole trace. If the format cannot represent a name, the error mentions the output by `name`.
std::expected<std::string, InputError> write_values(const ValueTrace& trace, const std::string& name);

}  // namespace omen::values
