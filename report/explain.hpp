/// \file
/// A race in sentences: how sure it is, what happens, why the run did not show it, and how it is mended. Each writer
/// shows the same ones.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/race_report.hpp"

namespace omen::report {

enum class Certainty : std::uint8_t { Observed, Confirmed, Predicted, Excluded };
/// Names for programs, and words for people.
inline constexpr std::array<std::string_view, 4> kCertaintyNames{"observed", "confirmed", "predicted", "excluded"};
inline constexpr std::array<std::string_view, 4> kCertaintyWords{"observed", "predicted, confirmed",
                                                                 "predicted, not confirmed", "excluded"};

Certainty certainty(const Race& race);

/// "predicted, confirmed, replayed".
std::string certainty_words(const Race& race);

/// "'total'", "'config'+4", "byte 8 of a heap block of 24 bytes", "variable on the stack of T1".
std::string subject(const Race& race);
/// The same where the reader knows which block it is: "byte 8 of the heap block". Empty for what has a name of its own.
std::string short_subject(const Race& race);

/// "main", "T2": what the report calls a thread.
std::string thread_label(const Race& race, std::uint32_t id);

struct Explanation {
  std::string what;               ///< "'total' is read at bank.cpp:48 and written at bank.cpp:26"
  std::string why;                ///< why the run did not show it, or how it did
  std::string fix;                ///< what to change
  std::vector<std::string> more;  ///< paragraphs for `--explain`
};
Explanation explain(const Race& race);

/// The same of a deadlock; nothing more for `--explain`.
Explanation explain(const Deadlock& deadlock);

}  // namespace omen::report
