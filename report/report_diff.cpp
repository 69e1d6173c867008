#include "report/report_diff.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/build_deadlocks.hpp"
#include "report/explain.hpp"
#include "report/same_finding.hpp"
#include "report/text_parts.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

std::string sure(const Race& race) {
  return certainty_words(race);
}

std::string sure(const Deadlock& deadlock) {
  return deadlock.replays && deadlock.replays->reached != 0 ? "predicted, confirmed, replayed" : "predicted, confirmed";
}

DiffEntry entry_of(const Race& race) {
  return {.kind = std::string(name_in(kRaceKindNames, race.kind)),
          .fingerprint = race.fingerprint,
          .what = explain(race).what};
}

DiffEntry entry_of(const Deadlock& deadlock) {
  return {.kind = "deadlock", .fingerprint = deadlock.fingerprint, .what = on_one_line(deadlock_words(deadlock))};
}

/// A baseline has moved known findings out of the report's lists; the comparison includes them.
template <class Finding>
std::vector<const Finding*> all_of(const std::vector<Finding>& own, const std::vector<Finding>* known) {
  std::vector<const Finding*> all;
  for (const Finding& one : own) all.push_back(&one);
  if (known != nullptr) {
    for (const Finding& one : *known) all.push_back(&one);
  }
  return all;
}

template <class Finding>
void add(const std::vector<const Finding*>& before, const std::vector<const Finding*>& now, ReportDiff& diff) {
  const auto same_in = [](const std::vector<const Finding*>& all, const Finding& finding) -> const Finding* {
    for (const Finding* one : all) {
      if (is_same(*one, finding)) return one;
    }
    return nullptr;
  };
  for (const Finding* one : now) {
    DiffEntry entry = entry_of(*one);
    entry.now = sure(*one);
    const Finding* const old = same_in(before, *one);
    if (old != nullptr) entry.before = sure(*old);
    (old != nullptr ? diff.common : diff.added).push_back(std::move(entry));
  }
  for (const Finding* one : before) {
    if (same_in(now, *one) != nullptr) continue;
    DiffEntry entry = entry_of(*one);
    entry.before = sure(*one);
    diff.gone.push_back(std::move(entry));
  }
}

}  // namespace

ReportDiff diff(const RunReport& before, const RunReport& now) {
  ReportDiff result;
  const auto known = [](const RunReport& report) { return report.baseline ? &report.baseline->known : nullptr; };
  add<Race>(all_of(before.races, known(before)), all_of(now.races, known(now)), result);
  const auto deadlocks = [](const RunReport& report) {
    return report.baseline ? &report.baseline->known_deadlocks : nullptr;
  };
  add<Deadlock>(all_of(before.deadlocks, deadlocks(before)), all_of(now.deadlocks, deadlocks(now)), result);
  return result;
}

std::string as_text(const ReportDiff& diff) {
  std::string text;
  const auto list = [&](std::string_view title, const std::vector<DiffEntry>& entries) {
    for (const DiffEntry& entry : entries) {
      std::string certainty = entry.now.empty() ? entry.before : entry.now;
      if (!entry.before.empty() && !entry.now.empty() && entry.before != entry.now) {
        certainty = fmt::format("{}; before: {}", entry.now, entry.before);
      }
      text += fmt::format("{:<7} {}: {} ({})\n", title, entry.kind, entry.what, certainty);
    }
  };
  list("new", diff.added);
  list("gone", diff.gone);
  list("common", diff.common);
  return text + fmt::format("{} new, {} gone, {} in both\n", diff.added.size(), diff.gone.size(), diff.common.size());
}

nlohmann::ordered_json as_json(const ReportDiff& diff) {
  const auto list = [](const std::vector<DiffEntry>& entries) {
    auto array = nlohmann::ordered_json::array();
    for (const DiffEntry& entry : entries) {
      nlohmann::ordered_json one{{"kind", entry.kind}, {"fingerprint", entry.fingerprint}, {"what", entry.what}};
      if (!entry.before.empty()) one["before"] = entry.before;
      if (!entry.now.empty()) one["now"] = entry.now;
      array.push_back(std::move(one));
    }
    return array;
  };
  return {{"new", list(diff.added)}, {"gone", list(diff.gone)}, {"common", list(diff.common)}};
}

}  // namespace omen::report
