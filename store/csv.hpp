/// \file
/// The races as a table for spreadsheets: RFC 4180, every field quoted. A field that a spreadsheet would take for a
/// formula gets an apostrophe in front.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/overview.hpp"

namespace omen::store {

std::string as_csv(const std::vector<RaceOverview>& races);

/// A field with its quotes.
std::string csv_field(std::string_view text);

}  // namespace omen::store
