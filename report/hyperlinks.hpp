/// \file
/// Places in a text report as hyperlinks of the terminal (the escape sequence OSC 8): which terminals have them, and
/// how one is written. The path comes from the program's debugging information, so whatever is not plain in a URI is
/// percent-encoded: no byte of it can end the sequence or begin another one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace omen::report {

enum class LinkForm : std::uint8_t {
  None,
  File,         ///< file://HOST/PATH
  FileAndLine,  ///< file://HOST/PATH#LINE, for terminals that hand the line to the editor
};

struct Hyperlinks {
  LinkForm form = LinkForm::None;
  std::string host = {};  ///< where the files are: a terminal on another machine then does not open its own
};

/// What the terminal has that these variables of the environment speak of; null stands for one that is not set. A
/// terminal that nobody knows has none, since it might show the sequence as text.
LinkForm link_form(const std::function<const char*(const char*)>& variable);

/// `shown` as a link to a line of the file. Just `shown` where there are no links, or `path` is not absolute.
std::string linked(const Hyperlinks& links, std::string_view path, std::uint32_t line, const std::string& shown);

}  // namespace omen::report
