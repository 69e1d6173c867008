#include "store/html/dashboard.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "embedded/dashboard_html.hpp"
#include "embedded/dashboard_script.hpp"
#include "embedded/dashboard_style.hpp"
#include "report/html/html_page.hpp"
#include "store/exchange.hpp"

namespace omen::store {
namespace {

using Json = nlohmann::ordered_json;

/// `dashboard.d.ts` declares the members' types.
Json dashboard_data(const Snapshot& snapshot, const std::string& version) {
  std::vector<RaceOverview> all = overview(snapshot);
  sort_by_importance(all);
  Json races = overview_json(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    races[i]["folder"] = folder_of(all[i].latest->file);
    races[i]["place"] = place_of(*all[i].latest);
    races[i]["open"] = is_open(all[i].status);
  }
  const Period period = trend(snapshot, Period::Day).size() <= 60 ? Period::Day : Period::Week;
  return {{"version", version},
          {"runs", snapshot.runs.size()},
          {"until", snapshot.runs.empty() ? "" : time_text(snapshot.runs.back().time)},
          {"period", period == Period::Day ? "day" : "week"},
          {"trend", trend_json(trend(snapshot, period))},
          {"statuses", kStatusNames},
          {"races", std::move(races)}};
}

}  // namespace

std::string as_html(const Snapshot& snapshot, const std::string& version) {
  const std::array<std::pair<std::string_view, std::string>, 5> values{{
      {"script-hash", report::policy_hash(embedded::dashboard_script_sha256)},
      {"style-hash", report::policy_hash(embedded::dashboard_style_sha256)},
      {"style", std::string(embedded::dashboard_style)},
      {"data", report::script_json(dashboard_data(snapshot, version))},
      {"script", std::string(embedded::dashboard_script)},
  }};
  return report::filled(embedded::dashboard_html, values);
}

}  // namespace omen::store
