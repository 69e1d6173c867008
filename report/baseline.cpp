#include "report/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/race_json.hpp"
#include "report/same_finding.hpp"
#include "report/text_parts.hpp"
#include "report/whole_file.hpp"

namespace omen::report {
namespace {

template <class Finding>
void move_known(const std::vector<Finding>& baseline, std::vector<Finding>& found, std::vector<Finding>& known) {
  std::vector<Finding> left;
  for (Finding& one : found) (find_same(baseline, one) == nullptr ? left : known).push_back(std::move(one));
  found = std::move(left);
}

}  // namespace

std::expected<Baseline, InputError> Baseline::read(const std::string& path) {
  const auto document = whole_file(path);
  if (!document) return std::unexpected(document.error());
  auto report = report_from_json(*document, path);
  if (!report) return std::unexpected(std::move(report.error()));
  // Findings that this baseline's own baseline had, and that were seen again, count as known.
  if (report->baseline) {
    std::ranges::move(report->baseline->known, std::back_inserter(report->races));
    std::ranges::move(report->baseline->known_deadlocks, std::back_inserter(report->deadlocks));
    report->baseline.reset();
  }
  return Baseline(std::move(*report));
}

bool Baseline::knows(const Race& race) const {
  return find_same(report_.races, race) != nullptr;
}

bool Baseline::knows(const Deadlock& deadlock) const {
  return find_same(report_.deadlocks, deadlock) != nullptr;
}

void Baseline::apply(RunReport& report) const {
  if (!report.baseline) report.baseline.emplace();
  move_known(report_.races, report.races, report.baseline->known);
  move_known(report_.deadlocks, report.deadlocks, report.baseline->known_deadlocks);
}

void Baseline::add_gone(RunReport& report) const {
  if (!report.baseline) report.baseline.emplace();
  AgainstBaseline& against = *report.baseline;
  for (const Race& race : report_.races) {
    if (find_same(against.known, race) == nullptr) against.gone.push_back(race);
  }
  for (const Deadlock& deadlock : report_.deadlocks) {
    if (find_same(against.known_deadlocks, deadlock) == nullptr) against.gone_deadlocks.push_back(deadlock);
  }
}

std::string baseline_text(const RunReport& report) {
  if (!report.baseline) return {};
  const std::size_t known = report.baseline->known.size() + report.baseline->known_deadlocks.size();
  const std::size_t gone = report.baseline->gone.size() + report.baseline->gone_deadlocks.size();
  return fmt::format("{}: {} of the baseline {} seen again and not listed, {} not seen\n", kTool,
                     counted(known, "finding", "findings"), known == 1 ? "was" : "were", gone);
}

}  // namespace omen::report
