#include "store/times.hpp"

#include <fmt/format.h>

#include <charconv>

namespace omen::store {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::year_month_day;

/// Parses `digits` digits and `after`, if it is not 0, from the front.
std::optional<int> take(std::string_view& text, std::size_t digits, char after) {
  if (text.size() < digits + (after == 0 ? 0 : 1)) return std::nullopt;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  if (after == 0) return value;
  if (text.front() != after) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

std::string day_text(std::chrono::sys_days day) {
  const year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()), unsigned(date.day()));
}

}  // namespace

Time now() {
  return floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string time_text(Time time) {
  const auto day = floor<days>(time);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{}T{:02}:{:02}:{:02}.{:03}Z", day_text(day), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count(), clock.subseconds().count());
}

std::optional<Time> parse_time(std::string_view text) {
  const auto year = take(text, 4, '-');
  const auto month = take(text, 2, '-');
  const auto day = take(text, 2, 0);
  if (!year || !month || !day) return std::nullopt;
  const year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                            std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  Time time = std::chrono::sys_days(date);
  if (text.empty()) return time;
  if (text.front() != 'T' || text.back() != 'Z') return std::nullopt;
  text.remove_prefix(1);
  text.remove_suffix(1);
  const auto hours = take(text, 2, ':');
  const auto minutes = take(text, 2, ':');
  const auto seconds = take(text, 2, 0);
  if (!hours || !minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  time += std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds);
  if (text.empty()) return time;
  if (text.front() != '.') return std::nullopt;
  text.remove_prefix(1);
  const auto milliseconds = take(text, 3, 0);
  if (!milliseconds || !text.empty()) return std::nullopt;
  return time + std::chrono::milliseconds(*milliseconds);
}

std::string period_of(Time time, Period period) {
  auto day = floor<days>(time);
  if (period == Period::Week) day -= std::chrono::weekday(day) - std::chrono::Monday;
  if (period == Period::Month) {
    const year_month_day date(day);
    day = std::chrono::sys_days(date.year() / date.month() / std::chrono::day(1));
  }
  return day_text(day);
}

}  // namespace omen::store
