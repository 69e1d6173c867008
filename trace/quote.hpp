/// \file
/// Text from an input, made safe to show in a message: short, and without characters that command a terminal or change
/// the order in which others are shown.
#pragma once

#include <string>
#include <string_view>

namespace omen {

/// `'text'`; longer texts are cut at `most` bytes and end in `…`.
std::string quoted(std::string_view text, std::size_t most = 60);

/// The whole text, on one line, without quotes: for output that is one item a line. What is not shown as it stands is
/// spelt out: `\n`, `\x1b`, `\u202e`. So are bytes that are not UTF-8: some terminals take them for commands.
std::string on_one_line(std::string_view text);

}  // namespace omen
