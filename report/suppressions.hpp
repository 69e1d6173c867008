/// \file
/// Suppressions in ThreadSanitizer's syntax: `race:PATTERN`, one a line, `#` begins a comment line.
///
/// `race` looks at function, file and module of every frame of the two accesses and at the name of a global variable;
/// `race_top` only at the innermost frames; `called_from_lib` at the module of the innermost frames: accesses that a
/// library makes, itself or through the C library. `fingerprint`, which ThreadSanitizer does not have, is one finding:
/// the whole fingerprint of a race or deadlock. A pattern matches anywhere in the text; `*` stands for anything, `^`
/// at its start and `$` at its end tie it to the text's. `deadlock` looks at the frames of a predicted deadlock. The
/// other types (`thread`, `mutex`, `signal`) are about reports that omen does not make: accepted, without effect, never
/// listed as unused.
///
/// Departure: ThreadSanitizer takes the first place where a piece of the pattern fits and does not try a later one, so
/// `race:a$` does not match "aba" there. Here it does.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "report/race_report.hpp"
#include "trace/error.hpp"

namespace omen::report {

struct Suppression {
  enum class Type : std::uint8_t { Race, RaceTop, CalledFromLib, Deadlock, Fingerprint, NotApplicable };
  Type type = Type::Race;
  std::string text;  ///< the line as written: "race:foo"
  std::string pattern;
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t hits = 0;  ///< of pairs of accesses, so duplicates count
};

/// Does the pattern match the text? An empty text is never matched.
bool pattern_matches(std::string_view pattern, std::string_view text);

class Suppressions {
 public:
  /// Adds those of a file. A line that is none is an error with its number; the reading stops there.
  std::expected<void, InputError> add_file(const std::string& path);
  std::expected<void, InputError> add_text(std::string_view text, const std::string& file);

  /// Whether known races of the C++ library are covered without being asked for (known_races.hpp); they are.
  void set_builtin(bool on) { has_builtin_ = on; }

  bool covers(const Race& race) const;

  /// The one that covers this race, and counts it; null: none does. What is known to be harmless (known_races.hpp) is
  /// covered without being asked for, and not counted.
  const Suppression* match(const Race& race);

  /// A `deadlock` covers it, and counts it.
  bool match(const Deadlock& deadlock);

  /// Removes the races and deadlocks that are covered. Returns how many went.
  std::size_t apply(RunReport& report);

  const std::vector<Suppression>& all() const { return all_; }

  /// ThreadSanitizer's table of those that were used: hits and text.
  std::string hits_text() const;
  /// A line for each that covered nothing; empty if there is none.
  std::string unused_text() const;

 private:
  std::vector<Suppression> all_;
  Suppression known_;
  bool has_builtin_ = true;
};

}  // namespace omen::report
