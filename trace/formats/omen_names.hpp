/// \file
/// Names as the payload of a Names section of `.omen`.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/names.hpp"

namespace omen {

/// Appends a name of `table` (an OperandKind, or `layout::kLocationTable`) to a payload.
void encode_name(std::uint8_t table, std::string_view name, std::vector<char>& out);

/// Adds the `count` names of a payload to `names`. On rejection: why.
std::expected<void, std::string> decode_names(std::span<const char> payload, std::uint32_t count, Names& names);

}  // namespace omen
