/// \file
/// JSON strings, for writers that stream.
#pragma once

#include <string>
#include <string_view>

namespace omen::report {

/// The text as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD, so the document is valid for every
/// name.
std::string json_string(std::string_view text);

}  // namespace omen::report
