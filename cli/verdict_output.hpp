/// \file
/// What `omen vindicate` says: as text, with witnesses as columns, and as JSON.
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

/// What is said of one group of candidates.
using Result = vindicate::GroupVerdict;

/// What `--certify` wrote for one candidate. Of a race or an unknown candidate nothing.
struct CertificateFile {
  std::string name;           ///< in the folder; empty: no pair is certified
  std::size_t certified = 0;  ///< of the candidate's pairs
  std::string why_not;        ///< of the first pair that is not certified
};

/// What the recorder of the trace knows more: of a place its function, of a variable what it is. Null: no recorder.
struct SourceWords {
  std::function<std::string(const std::string& place)> function = nullptr;
  std::function<std::string(const std::string& variable)> object = nullptr;
};

struct TextOptions {
  std::uint64_t most = 20;   ///< candidates; 0: all
  bool unconfirmed = false;  ///< those too that are excluded, with why
  bool statistics = false;
  SourceWords words = {};
};

/// To standard output.
void print(const vindicate::Confirmer& confirmer, const std::vector<Result>& results, const TextOptions& options);

/// What a document has beside candidates and their verdicts.
struct JsonExtras {
  SourceWords words = {};
  std::vector<CertificateFile> certificates;  ///< one for each result, or none at all
  std::string deadlocks;                      ///< the value of "deadlocks"; empty: the member is left out
  /// The excluded first race of WCP, by its number, and the deadlock that it stands for, by its own.
  std::optional<std::pair<std::size_t, std::size_t>> first_is_deadlock;
};

/// To a file; `-` is standard output. `trace` is the path that the document names.
std::expected<void, InputError> write_json(const std::string& path, const std::string& trace, std::string_view found_by,
                                           const vindicate::Confirmer& confirmer, const std::vector<Result>& results,
                                           const JsonExtras& extras = {});

}  // namespace omen::cli
