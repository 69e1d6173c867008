/// \file
/// Results that go where `--json F` and its like say: a file, which appears whole or not at all, or `-`, standard
/// output.
#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/html/page_data.hpp"
#include "trace/error.hpp"

namespace omen::cli {

std::expected<void, InputError> write_text(const std::string& path, std::string_view text);

/// Two-space indentation; bytes that are not UTF-8 are replaced.
std::expected<void, InputError> write_json(const std::string& path, const nlohmann::ordered_json& json);

/// From the current folder, in the project that it belongs to: the nearest folder above it that has a `.git`.
report::Viewpoint viewpoint();

report::PageStyle page_style();

}  // namespace omen::cli
