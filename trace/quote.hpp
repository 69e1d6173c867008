/// \file
/// Makes text from an input safe to show in a message: short, and without characters that control a terminal or change
/// the order in which others are shown.
#pragma once

#include <string>
#include <string_view>

namespace omen {

/// `'text'`; longer texts are truncated at `most` bytes and end in `…`.
std::string quoted(std::string_view text, std::size_t most = 60);

/// The whole text, on one line, without quotes: for output with one item per line. Unsafe characters are escaped: `\n`,
/// `\x1b`, `\u202e`. So are bytes that are not UTF-8, because some terminals take them for commands.
std::string on_one_line(std::string_view text);

}  // namespace omen
