/// \file
/// `omen check --certificates`: the proved checker checks the certificates of a file or a folder.
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

/// The pairs that valid certificates exclude, by file name.
struct CheckedCertificates {
  std::map<std::string, std::set<vindicate::Pair>> excluded;
  std::size_t certificates = 0;
  bool all_hold = true;

  /// The reason why the file does not prove the candidate excluded: it must contain the pair, and as many pairs as the
  /// candidate has. Nothing: it proves it.
  std::optional<std::string> missing(const std::string& file, vindicate::Pair pair, std::uint64_t pairs) const;
};

/// Of a folder, checks the files `*.certificate`. Prints a line per file, and one per refused certificate.
std::expected<CheckedCertificates, InputError> check_certificates(const std::string& path, ProvedChecker& checker);

}  // namespace omen::cli
