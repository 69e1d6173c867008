/// \file
/// Writes results to the destination of `--json F` and similar options: a file, which appears complete or not at all,
/// or standard output for `-`.
#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/html/page_data.hpp"
#include "trace/error.hpp"

namespace omen::cli {

std::expected<void, InputError> write_text(const std::string& path, std::string_view text);

/// Indents by two blanks; replaces bytes that are not UTF-8.
std::expected<void, InputError> write_json(const std::string& path, const nlohmann::ordered_json& json);

/// The current folder, in its project: the nearest folder above it with a `.git`.
report::Viewpoint viewpoint();

report::PageStyle page_style();

}  // namespace omen::cli
