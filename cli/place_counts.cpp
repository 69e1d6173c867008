#include "cli/place_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/text_parts.hpp"
#include "trace/quote.hpp"

namespace omen::cli {

void PlaceCounts::add(std::span<const Event> events) {
  for (const Event& event : events) {
    if (!is_access(event.op)) continue;
    const std::uint32_t node = static_cast<std::uint32_t>(event.location) & ~kNumericLocation;
    if (node < accesses_.size()) ++accesses_[node];
  }
}

std::vector<std::pair<std::string, std::uint64_t>> PlaceCounts::by_place() {
  std::map<std::string, std::uint64_t> counts;
  for (std::uint32_t node = 1; node < accesses_.size(); ++node) {
    if (accesses_[node] != 0) counts[places_.text(LocationId{kNumericLocation | node})] += accesses_[node];
  }
  std::vector<std::pair<std::string, std::uint64_t>> result(counts.begin(), counts.end());
  std::ranges::sort(result, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (result.size() > kShown) result.resize(kShown);
  return result;
}

std::string PlaceCounts::as_text() {
  const CaptureInfo& info = places_.info();
  std::string text = fmt::format("\nrecorded from: {} (pid={})\n", report::command_line(info.command), info.process);
  if (!info.complete) text += "recording stopped before the program\n";
  text += "accesses by place, most first\n";
  for (const auto& [place, count] : by_place()) {
    const std::string function = places_.function_at(place);
    text += fmt::format("{:>14}  {}{}\n", count, on_one_line(place),
                        function.empty() ? "" : fmt::format(" in {}", on_one_line(function)));
  }
  return text;
}

void PlaceCounts::add_to(nlohmann::ordered_json& json) {
  json["command"] = places_.info().command;
  json["pid"] = places_.info().process;
  auto& list = json["accesses_by_place"] = nlohmann::ordered_json::array();
  for (const auto& [place, count] : by_place()) {
    list.push_back({{"location", place}, {"function", places_.function_at(place)}, {"accesses", count}});
  }
}

}  // namespace omen::cli
