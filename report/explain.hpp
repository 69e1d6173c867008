/// \file
/// Explains a race in sentences: its certainty, what happens, why the run did not show it, and how to fix it. All
/// writers use these texts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/race_report.hpp"

namespace omen::report {

enum class Certainty : std::uint8_t { Observed, Confirmed, Predicted, Excluded };
/// First for programs, then for people.
inline constexpr std::array<std::string_view, 4> kCertaintyNames{"observed", "confirmed", "predicted", "excluded"};
inline constexpr std::array<std::string_view, 4> kCertaintyWords{"observed", "predicted, confirmed",
                                                                 "predicted, not confirmed", "excluded"};

Certainty certainty(const Race& race);

/// "predicted, confirmed, replayed".
std::string certainty_words(const Race& race);

/// "'total'", "'config'+4", "byte 8 of a heap block of 24 bytes", "variable on the stack of T1".
std::string subject(const Race& race);
/// The same where the reader already knows the block: "byte 8 of the heap block". Empty if the memory has a name.
std::string short_subject(const Race& race);

/// "main", "T2": the thread's label in the report.
std::string thread_label(const Race& race, std::uint32_t id);

struct Explanation {
  std::string what;               ///< "'total' is read at bank.cpp:48 and written at bank.cpp:26"
  std::string why;                ///< why the run did not show it, or how it showed it
  std::string fix;                ///< what to change
  std::vector<std::string> more;  ///< paragraphs for `--explain`
};
Explanation explain(const Race& race);

/// The same for a deadlock; `more` is empty.
Explanation explain(const Deadlock& deadlock);

}  // namespace omen::report
