/// \file
/// Suppressions in ThreadSanitizer's syntax: one `race:PATTERN` per line; `#` begins a comment line.
///
/// `race` is compared with function, file and module of every frame of the two accesses, and with the name of a global
/// variable; `race_top` only with the innermost frames; `called_from_lib` with the module of the innermost frames, for
/// accesses that a library makes, itself or through the C library. `fingerprint`, which ThreadSanitizer does not have,
/// names one finding: the whole fingerprint of a race or deadlock. `deadlock` is compared with the frames of a
/// predicted deadlock. The other types (`thread`, `mutex`, `signal`) are for reports that omen does not make: they are
/// accepted, have no effect, and are never listed as unused. A pattern matches anywhere in the text; `*` matches any
/// characters; `^` at its start and `$` at its end anchor it.
///
/// Departure: ThreadSanitizer takes the first position where a piece of the pattern fits and does not try a later one,
/// so there `race:a$` does not match "aba". Here it does.
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
  std::uint64_t hits = 0;  ///< pairs of accesses that it covered, duplicates included
};

/// True if the pattern matches. An empty text never matches.
bool pattern_matches(std::string_view pattern, std::string_view text);

class Suppressions {
 public:
  /// Adds the suppressions of a file. Reading stops at the first invalid line, which the error names by number.
  std::expected<void, InputError> add_file(const std::string& path);
  std::expected<void, InputError> add_text(std::string_view text, const std::string& file);

  /// Whether known races of the C++ library are covered too (known_races.hpp). The default is yes.
  void set_builtin(bool on) { has_builtin_ = on; }

  bool covers(const Race& race) const;

  /// The suppression that covers this race, after counting the hit; null: none does. Known races of the C++ library
  /// (known_races.hpp) are covered without being counted.
  const Suppression* match(const Race& race);

  /// True if a suppression covers the deadlock; counts the hit.
  bool match(const Deadlock& deadlock);

  /// Removes the covered races and deadlocks. Returns their number.
  std::size_t apply(RunReport& report);

  const std::vector<Suppression>& all() const { return all_; }

  /// ThreadSanitizer's table of used suppressions: hits and text.
  std::string hits_text() const;
  /// One line per unused suppression; empty if there is none.
  std::string unused_text() const;

 private:
  std::vector<Suppression> all_;
  Suppression known_;
  bool has_builtin_ = true;
};

}  // namespace omen::report
