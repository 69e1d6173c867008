/// \file
/// `omen check --certificates`: asks the proved checker about the certificates of a file or a folder.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "cli/proved_checker.hpp"
#include "trace/error.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::cli {

/// The pairs that certificates exclude, by file name.
struct CheckedCertificates {
  std::map<std::string, std::set<vindicate::Pair>> excluded;
  std::size_t certificates = 0;
  bool all_hold = true;

  /// What is missing for a candidate to be excluded: its pair, and as many pairs as it has, in its file. Nothing: all
  /// is there.
  std::optional<std::string> missing(const std::string& file, vindicate::Pair pair, std::uint64_t pairs) const;
};

/// A folder stands for its files `*.certificate`. Prints a line per file, and one per certificate that is refused.
std::expected<CheckedCertificates, InputError> check_certificates(const std::string& path, ProvedChecker& checker);

}  // namespace omen::cli
