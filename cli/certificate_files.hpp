/// \file
/// `omen vindicate --certify`: a file of certificates for each excluded candidate.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "cli/verdict_output.hpp"
#include "trace/error.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

/// Returns one entry per result. `groups` are the results' groups. Creates the folder if necessary.
std::expected<std::vector<CertificateFile>, InputError> write_certificates(
    const std::string& folder, const vindicate::Confirmer& confirmer,
    const std::vector<vindicate::CandidateGroup>& groups, const std::vector<Result>& results, std::uint64_t window,
    std::uint64_t jobs);

/// Prints how many excluded candidates are certified, and which are not.
void print_certified(const std::string& folder, const std::vector<Result>& results,
                     const std::vector<CertificateFile>& files);

}  // namespace omen::cli
