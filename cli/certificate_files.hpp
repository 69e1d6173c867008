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

/// One entry per result. The groups are those that the results are about; the folder is made if it is not there.
std::expected<std::vector<CertificateFile>, InputError> write_certificates(
    const std::string& folder, const vindicate::Confirmer& confirmer,
    const std::vector<vindicate::CandidateGroup>& groups, const std::vector<Result>& results, std::uint64_t window,
    std::uint64_t jobs);

/// To standard output: how many excluded candidates have their certificates, and which have not.
void print_certified(const std::string& folder, const std::vector<Result>& results,
                     const std::vector<CertificateFile>& files);

}  // namespace omen::cli
