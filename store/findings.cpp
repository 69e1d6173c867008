#include "store/findings.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "report/explain.hpp"
#include "report/frames.hpp"
#include "store/records.hpp"

namespace omen::store {
namespace {

using report::Frame;
using report::Stack;

/// As many frames as the fingerprint uses.
constexpr std::size_t kPlaceFrames = 3;

/// The most certain first.
constexpr std::array<std::string_view, 3> kCertainties{"observed", "confirmed", "predicted"};

/// The last part of a function's name without arguments, which compilers write alike: `go` for `void ns::go<int>(int)`;
/// `operator` for every operator, and so for every lambda.
std::string own_name(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kOperator = "operator";
  const auto in_word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    const std::string_view rest = function.substr(i);
    if (depth == 0 && rest.starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && rest.starts_with(kOperator) && (name.empty() || !in_word(name.back())) &&
               (rest.size() == kOperator.size() || !in_word(rest[kOperator.size()]))) {
      return std::string(kOperator);
    } else if (c == '<' || c == '(' || c == '{') {
      ++depth;
    } else if (c == '>' || c == ')' || c == '}') {
      --depth;
    } else if (depth == 0) {
      name += c;
    }
  }
  for (const std::string_view behind : {" const", " volatile", " &", " ["})
    name.erase(std::min(name.find(behind), name.size()));
  return name.substr(name.find_last_of(" :") + 1);
}

/// The line of the access, and the functions that it was called from.
std::string place_of(const Stack& stack) {
  std::string text;
  std::size_t taken = 0;
  for (const Frame& frame : stack) {
    if (taken == kPlaceFrames) break;
    if (!frame.has_source() || frame.line == 0 || report::is_system(frame)) continue;
    if (taken == 0) text += fmt::format("{}\n", frame.line);
    text += fmt::format("{} {}\n", report::base_name(frame.file), own_name(frame.function));
    ++taken;
  }
  return text;
}

/// The sides in a canonical order. Empty if a side has no line.
std::string places_of(std::string_view kind, std::vector<std::string> sides) {
  if (std::ranges::any_of(sides, &std::string::empty)) return {};
  std::ranges::sort(sides);
  std::string text(kind);
  for (const std::string& side : sides) text += "\n\n" + side;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Finding with_place(Finding finding, const Stack& stack, const std::string& source_root) {
  if (const Frame* place = report::own_place(stack); place != nullptr) {
    const std::string file = place->has_source() ? place->file : std::string(report::base_name(place->module));
    finding.file = storable(report::relative_path(file, {.folder = source_root}));
    finding.line = place->line;
    finding.function = storable(report::short_name(*place));
  }
  return finding;
}

Finding finding_of(const report::Race& race, const std::string& source_root) {
  Finding finding;
  finding.fingerprint = race.fingerprint.empty() ? report::fingerprint(race) : storable(race.fingerprint);
  finding.kind = name_in(report::kRaceKindNames, race.kind);
  finding.certainty = name_in(report::kCertaintyNames, report::certainty(race));
  finding.count = race.count;
  finding.title = storable(report::explain(race).what);
  // Not the kinds of access: of `n++` GCC reports the read and clang the write.
  std::vector<std::string> sides{place_of(race.accesses[0].stack), place_of(race.accesses[1].stack)};
  finding.places = places_of(finding.kind, std::move(sides));
  return with_place(std::move(finding), race.accesses[0].stack, source_root);
}

Finding finding_of(const report::Deadlock& deadlock, const std::string& source_root) {
  Finding finding;
  finding.fingerprint = deadlock.fingerprint.empty() ? report::fingerprint(deadlock) : storable(deadlock.fingerprint);
  finding.kind = "deadlock";
  finding.certainty = name_in(report::kCertaintyNames, report::Certainty::Confirmed);
  finding.count = deadlock.count;
  std::vector<std::string> sides;
  for (const report::WaitingThread& one : deadlock.waiting) {
    const Frame* const place = report::own_place(one.stack);
    const std::string where = place == nullptr ? "an unknown place" : report::place_name(*place);
    finding.title += (finding.title.empty() ? "threads wait for each other at " : " and ") + where;
    sides.push_back(place_of(one.stack) + (one.holds ? place_of(one.holds->acquired) : ""));
  }
  finding.title = storable(finding.title);
  finding.places = places_of(finding.kind, std::move(sides));
  return with_place(std::move(finding), deadlock.waiting.front().stack, source_root);
}

std::size_t doubt(const Finding& finding) {
  return static_cast<std::size_t>(std::ranges::find(kCertainties, finding.certainty) - kCertainties.begin());
}

}  // namespace

std::vector<Finding> findings_of(const report::RunReport& report, const std::string& source_root) {
  std::vector<Finding> all;
  std::map<std::string, std::size_t> known;
  const auto add = [&](Finding finding) {
    const auto [entry, is_new] = known.try_emplace(finding.fingerprint, all.size());
    if (is_new) {
      all.push_back(std::move(finding));
      return;
    }
    Finding& one = all[entry->second];
    one.count += finding.count;
    if (doubt(finding) < doubt(one)) one.certainty = finding.certainty;
  };
  for (const report::Race& race : report.races) add(finding_of(race, source_root));
  for (const report::Deadlock& deadlock : report.deadlocks) add(finding_of(deadlock, source_root));
  return all;
}

}  // namespace omen::store
