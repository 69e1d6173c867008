/// \file
/// Results that go where `--json F` and its like say: a file, which appears whole or not at all, or `-`, standard
/// output.
#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "trace/error.hpp"

namespace omen::cli {

std::expected<void, InputError> write_text(const std::string& path, std::string_view text);

/// Two-space indentation; bytes that are not UTF-8 are replaced.
std::expected<void, InputError> write_json(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace omen::cli
