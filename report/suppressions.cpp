#include "report/suppressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "report/known_races.hpp"
#include "report/whole_file.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

using Type = Suppression::Type;

struct Named {
  std::string_view name;
  Type type;
};
constexpr std::array<Named, 9> kTypes{{{"race", Type::Race},
                                       {"race_top", Type::RaceTop},
                                       {"thread", Type::NotApplicable},
                                       {"mutex", Type::NotApplicable},
                                       {"signal", Type::NotApplicable},
                                       {"deadlock", Type::Deadlock},
                                       {"fingerprint", Type::Fingerprint},
                                       {"called_from_lib", Type::CalledFromLib},
                                       {"none", Type::NotApplicable}}};

constexpr std::string_view kBlank = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Matches the whole text; `*` in the pattern matches any characters. Takes time proportional to pattern times text.
bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::optional<std::size_t> star;  // the position after the last `*`, and the text that it has matched
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star) {
      p = *star;
      t = ++taken;
    } else {
      return false;
    }
  }
  return std::ranges::all_of(pattern.substr(p), [](char c) { return c == '*'; });
}

bool frame_matches(const Suppression& one, const Frame& frame) {
  return pattern_matches(one.pattern, frame.function) || pattern_matches(one.pattern, frame.file) ||
         pattern_matches(one.pattern, frame.module);
}

bool one_covers(const Suppression& one, const Race& race) {
  if (one.type == Type::NotApplicable || one.type == Type::Deadlock) return false;
  if (one.type == Type::Fingerprint) return !race.fingerprint.empty() && one.pattern == race.fingerprint;
  if (one.type == Type::CalledFromLib) {
    return std::ranges::any_of(race.accesses, [&](const Access& access) {
      return !access.stack.empty() && pattern_matches(one.pattern, access.stack.front().module);
    });
  }
  for (const Access& access : race.accesses) {
    const std::size_t frames =
        one.type == Type::RaceTop ? std::min<std::size_t>(1, access.stack.size()) : access.stack.size();
    for (std::size_t i = 0; i < frames; ++i) {
      if (frame_matches(one, access.stack[i])) return true;
    }
  }
  return one.type == Type::Race && race.variable.kind == LocationKind::Global &&
         pattern_matches(one.pattern, race.variable.name);
}

}  // namespace

bool pattern_matches(std::string_view pattern, std::string_view text) {
  if (text.empty()) return false;
  std::string whole;
  if (pattern.starts_with('^')) {
    pattern.remove_prefix(1);
  } else {
    whole = "*";
  }
  const bool end = pattern.ends_with('$');
  if (end) pattern.remove_suffix(1);
  whole += pattern;
  if (!end) whole += "*";
  return glob(whole, text);
}

std::expected<void, InputError> Suppressions::add_file(const std::string& path) {
  const auto text = whole_file(path);
  if (!text) return std::unexpected(text.error());
  return add_text(*text, path);
}

std::expected<void, InputError> Suppressions::add_text(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    const auto colon = line.find(':');
    const auto type = std::ranges::find(kTypes, line.substr(0, colon), &Named::name);
    if (colon == std::string_view::npos || type == kTypes.end()) {
      return std::unexpected(InputError{
          file, std::to_string(number),
          "expected race:PATTERN, race_top:PATTERN, fingerprint:ID or another of ThreadSanitizer's types, not " +
              quoted(line)});
    }
    const std::string_view pattern = line.substr(colon + 1);
    if (pattern.empty()) {
      return std::unexpected(InputError{file, std::to_string(number), "expected a pattern after " + quoted(line)});
    }
    all_.push_back({type->type, std::string(line), std::string(pattern), file, number, 0});
  }
  return {};
}

bool Suppressions::covers(const Race& race) const {
  return (has_builtin_ && is_known_race(race)) ||
         std::ranges::any_of(all_, [&](const Suppression& one) { return one_covers(one, race); });
}

const Suppression* Suppressions::match(const Race& race) {
  if (has_builtin_ && is_known_race(race)) return &known_;
  for (Suppression& one : all_) {
    if (!one_covers(one, race)) continue;
    one.hits += race.count;
    return &one;
  }
  return nullptr;
}

std::size_t Suppressions::apply(RunReport& report) {
  const auto deadlocks = std::erase_if(report.deadlocks, [&](const Deadlock& one) { return match(one); });
  return deadlocks + std::erase_if(report.races, [&](const Race& race) { return match(race) != nullptr; });
}

/// Compares the frames at which the threads wait, and those at which they acquired the locks that others request.
bool Suppressions::match(const Deadlock& deadlock) {
  for (Suppression& one : all_) {
    const bool is_it = one.type == Type::Fingerprint && one.pattern == deadlock.fingerprint;
    if (one.type != Type::Deadlock && !is_it) continue;
    const auto matches = [&](const Frame& frame) { return frame_matches(one, frame); };
    const bool covered = is_it || std::ranges::any_of(deadlock.waiting, [&](const WaitingThread& waiting) {
                           return std::ranges::any_of(waiting.stack, matches) ||
                                  (waiting.holds && std::ranges::any_of(waiting.holds->acquired, matches));
                         });
    if (!covered) continue;
    one.hits += deadlock.count;
    return true;
  }
  return false;
}

std::string Suppressions::hits_text() const {
  std::string text;
  const auto used = std::ranges::count_if(all_, [](const Suppression& one) { return one.hits > 0; });
  if (used == 0) return text;
  text = fmt::format("OmenRaceDetector: Matched {} suppressions (pairs of accesses, suppression):\n", used);
  for (const Suppression& one : all_) {
    if (one.hits > 0) fmt::format_to(std::back_inserter(text), "{} {}\n", one.hits, on_one_line(one.text));
  }
  return text;
}

std::string Suppressions::unused_text() const {
  std::string text;
  for (const Suppression& one : all_) {
    if (one.hits > 0 || one.type == Type::NotApplicable) continue;
    fmt::format_to(std::back_inserter(text), "{}:{}: unused suppression {}\n", one.file, one.line,
                   on_one_line(one.text));
  }
  return text;
}

}  // namespace omen::report
