/// \file
/// A run's report as one self-contained HTML file, with data, style and script. Its content security policy forbids
/// loading anything, and running any script but its own, which it identifies by hash.
///
/// The data is JSON in a script element that is not executed. `<`, `>` and `&` are escaped in it, so that no text of a
/// program can end the element or begin a comment. The script inserts it as text nodes (page/dom.js).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/html/page_data.hpp"
#include "report/race_report.hpp"

namespace omen::report {

std::string as_html(const RunReport& report, const PageStyle& style);

/// Escapes text between tags, or in an attribute with double quotes.
std::string html_escaped(std::string_view text);

/// JSON that is safe inside a script element.
std::string script_json(const nlohmann::ordered_json& json);

/// "sha256-BASE64", the form of a content security policy, from hexadecimal digits.
std::string policy_hash(std::string_view digits);

/// Replaces each `{{name}}` in a template by its value. Values are not expanded again.
std::string filled(std::string_view text, std::span<const std::pair<std::string_view, std::string>> values);

}  // namespace omen::report
