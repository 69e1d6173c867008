#include "store/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace omen::store {
namespace {

/// Characters with which a spreadsheet formula begins; the last four are their full-width forms. Some spreadsheets
/// ignore leading blanks.
constexpr std::array<std::string_view, 8> kFormula{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
constexpr std::string_view kBlank = " \t\r\n";

bool is_formula(std::string_view text) {
  if (!text.empty() && (text.front() == '\t' || text.front() == '\r' || text.front() == '\n')) return true;
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return std::ranges::any_of(kFormula, [&](std::string_view start) { return text.starts_with(start); });
}

std::string line(const std::vector<std::string>& fields) {
  std::vector<std::string> quoted;
  for (const std::string& field : fields) quoted.push_back(csv_field(field));
  return fmt::format("{}\r\n", fmt::join(quoted, ","));
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string out = is_formula(text) ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

std::string as_csv(const std::vector<RaceOverview>& races) {
  std::string out = line({"fingerprint", "kind", "status", "owner", "title", "file", "line", "function", "certainty",
                          "first seen", "last seen", "runs", "first commit", "last commit", "notes"});
  for (const RaceOverview& one : races) {
    std::vector<std::string> notes;
    for (const Change* change : one.changes) {
      if (change->what == What::Note) notes.push_back(change->value);
    }
    const Sighting& latest = *one.latest;
    out += line({one.fingerprint(), one.race->kind, std::string(name_of(one.status)), one.owner, latest.title,
                 latest.file, std::to_string(latest.line), latest.function, latest.certainty,
                 time_text(one.first->time), time_text(one.last->time), std::to_string(one.runs()), one.first->commit,
                 one.last->commit, fmt::format("{}", fmt::join(notes, "; "))});
  }
  return out;
}

}  // namespace omen::store
