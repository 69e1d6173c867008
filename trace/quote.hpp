/// \file
/// Text from an input, made safe to show in a message: short, and without control characters.
#pragma once

#include <string>
#include <string_view>

namespace omen {

/// `'text'`; longer texts are cut at `most` bytes and end in `…`.
std::string quoted(std::string_view text, std::size_t most = 60);

/// The whole text, on one line, without quotes: for output that is one item a line.
std::string on_one_line(std::string_view text);

}  // namespace omen
