/// \file
/// What `omen vindicate` says: as text, with witnesses as columns, and as JSON.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "trace/error.hpp"
#include "vindicate/confirm.hpp"
#include "vindicate/group_verdict.hpp"

namespace omen::cli {

/// What is said of one group of candidates.
using Result = vindicate::GroupVerdict;

struct TextOptions {
  std::uint64_t most = 20;   ///< candidates; 0: all
  bool unconfirmed = false;  ///< those too that are excluded, with why
  bool statistics = false;
};

/// To standard output.
void print(const vindicate::Confirmer& confirmer, const std::vector<Result>& results, const TextOptions& options);

/// To a file; `-` is standard output. `trace` is the path that the document names.
std::expected<void, InputError> write_json(const std::string& path, const std::string& trace, std::string_view found_by,
                                           const vindicate::Confirmer& confirmer, const std::vector<Result>& results);

}  // namespace omen::cli
