/// \file
/// The output of `omen vindicate`: text with witnesses as columns, and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/error.hpp"
#include "vindicate/confirm.hpp"
#include "vindicate/group_verdict.hpp"

namespace omen::cli {

/// The verdict for one group of candidates.
using Result = vindicate::GroupVerdict;

/// The output of `--certify` for one candidate; empty for a race or an unknown candidate.
struct CertificateFile {
  std::string name;           ///< in the folder; empty: no pair is certified
  std::size_t certified = 0;  ///< of the candidate's pairs
  std::string why_not;        ///< the reason for the first pair that is not certified
};

/// From the recorder's data: the function of a place, and the object of a variable. Null: no recorder's data.
struct SourceWords {
  std::function<std::string(const std::string& place)> function = nullptr;
  std::function<std::string(const std::string& variable)> object = nullptr;
};

struct TextOptions {
  std::uint64_t most = 20;   ///< number of candidates; 0: all
  bool unconfirmed = false;  ///< also excluded ones, with the reason
  bool statistics = false;
  SourceWords words = {};
};

/// Prints to standard output.
void print(const vindicate::Confirmer& confirmer, const std::vector<Result>& results, const TextOptions& options);

/// Members of a document other than candidates and their verdicts.
struct JsonExtras {
  SourceWords words = {};
  std::vector<CertificateFile> certificates;  ///< one per result, or empty
  std::string deadlocks;                      ///< the value of "deadlocks"; empty: no such member
  /// The index of the excluded first race of WCP, and of the deadlock that explains it.
  std::optional<std::pair<std::size_t, std::size_t>> first_is_deadlock;
};

/// Writes to a file; `-` is standard output. `trace` is the trace's path in the document.
std::expected<void, InputError> write_json(const std::string& path, const std::string& trace, std::string_view found_by,
                                           const vindicate::Confirmer& confirmer, const std::vector<Result>& results,
                                           const JsonExtras& extras = {});

}  // namespace omen::cli
