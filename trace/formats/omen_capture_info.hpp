/// \file
/// `CaptureInfo` as optional sections of a `.omen` file (docs/formats.md).
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "trace/capture_info.hpp"
#include "trace/formats/omen_layout.hpp"

namespace omen {

struct CaptureSection {
  layout::Kind kind{};
  std::uint32_t count = 0;
  std::uint64_t first = 0;
  std::vector<char> raw = {};
};

std::vector<CaptureSection> encode_capture_info(const CaptureInfo& info);

bool is_capture_section(layout::Kind kind);

/// Adds the section's contents to `info`; or returns what is wrong with it.
std::expected<void, std::string> decode_capture_section(layout::Kind kind, std::uint32_t count,
                                                        std::span<const char> raw, CaptureInfo& info);

}  // namespace omen
