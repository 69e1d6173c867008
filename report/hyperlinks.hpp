/// \file
/// Places in a text report as hyperlinks of the terminal (escape sequence OSC 8): which terminals support them, and how
/// to write one. The path comes from the program's debug information, so every byte that is not plain in a URI is
/// percent-encoded: none can end the sequence or begin another one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace omen::report {

enum class LinkForm : std::uint8_t {
  None,
  File,         ///< file://HOST/PATH
  FileAndLine,  ///< file://HOST/PATH#LINE, for terminals that pass the line to the editor
};

struct Hyperlinks {
  LinkForm form = LinkForm::None;
  std::string host = {};  ///< the machine that has the files: a terminal elsewhere then does not open its own
};

/// The form that the terminal supports, judged by environment variables; null stands for an unset one. `None` for an
/// unknown terminal, which might print the sequence as text.
LinkForm link_form(const std::function<const char*(const char*)>& variable);

/// `shown` as a link to a line of the file. Returns `shown` unchanged if links are off or `path` is not absolute.
std::string linked(const Hyperlinks& links, std::string_view path, std::uint32_t line, const std::string& shown);

}  // namespace omen::report
