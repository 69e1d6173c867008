/// \file
/// A run's report as one HTML file that needs nothing else: data, style and script are in it, and its content security
/// policy lets nothing be loaded and nothing run but that script, by its hash.
///
/// The data is JSON in a script element that is not run. `<`, `>` and `&` are escaped in it, so that no text of a
/// program can end the element or begin a comment. The script makes text nodes of it (page/dom.js).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/html/page_data.hpp"
#include "report/race_report.hpp"

namespace omen::report {

std::string as_html(const RunReport& report, const PageStyle& style);

/// Text between tags or in an attribute with double quotes.
std::string html_escaped(std::string_view text);

/// JSON that may stand in a script element.
std::string script_json(const nlohmann::ordered_json& json);

/// "sha256-BASE64", as a content security policy has it, from hexadecimal digits.
std::string policy_hash(std::string_view digits);

/// Fills the places of a template, `{{name}}`. What is filled in is not looked at again.
std::string filled(std::string_view text, std::span<const std::pair<std::string_view, std::string>> values);

}  // namespace omen::report
