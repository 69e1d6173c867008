/// \file
/// Times in the store's format: text in UTC with milliseconds, `2026-03-01T09:30:00.000Z`, so that text order is time
/// order.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace omen::store {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

Time now();
std::string time_text(Time time);

/// `2026-03-01`, `2026-03-01T09:30:00Z` or with milliseconds; nothing else.
std::optional<Time> parse_time(std::string_view text);

enum class Period : std::uint8_t { Day, Week, Month };

/// The first day of the period that contains the time: `2026-03-01`. Weeks begin on Monday.
std::string period_of(Time time, Period period);

}  // namespace omen::store
