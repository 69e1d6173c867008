/// \file
/// The whole store as one JSON document, which `omen store import` reads into any other store (docs/store.md, "The
/// document"). The same records give the same bytes, whichever database they come from.
#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/overview.hpp"
#include "store/records.hpp"
#include "store/trend.hpp"
#include "trace/error.hpp"

namespace omen::store {

inline constexpr int kExchangeVersion = 1;

nlohmann::ordered_json as_json(const Snapshot& snapshot);

/// The document must contain everything that it refers to, and every race must have a sighting; otherwise an error
/// names the position.
std::expected<Snapshot, InputError> read_exchange(std::string_view text, const std::string& file);

/// What `omen store list|show|trend --json` print.
nlohmann::ordered_json overview_json(const std::vector<RaceOverview>& races);
nlohmann::ordered_json trend_json(const std::vector<TrendRow>& rows);

}  // namespace omen::store
