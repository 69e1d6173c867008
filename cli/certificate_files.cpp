#include "cli/certificate_files.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "trace/formats/byte_sink.hpp"
#include "vindicate/certify.hpp"

namespace omen::cli {
namespace {

using vindicate::CandidateGroup;
using vindicate::Certification;
using vindicate::CertifyBudget;
using vindicate::Confirmer;
using vindicate::Pair;

std::string in_words(const Certification& certification, Pair pair) {
  switch (certification.kind) {
    case Certification::Kind::Certified:
      return {};
    case Certification::Kind::TooLarge:
      return "out of budget: clock entries";
    case Certification::Kind::TooMuchWork:
      return "out of budget: clauses";
    case Certification::Kind::Predictable:
      internal_error(__FILE__, __LINE__,
                     fmt::format("pair {},{} is excluded, but nothing contradicts it", pair.first, pair.second));
  }
  return {};
}

/// Certifies a group, and returns the text of its certificates.
CertificateFile certify_group(const Confirmer& confirmer, const CandidateGroup& group, const CertifyBudget& budget,
                              std::string& text) {
  CertificateFile file;
  for (const Pair pair : group.pairs) {
    const Certification found = certify(confirmer.index(), pair, budget);
    if (found.certificate) {
      ++file.certified;
      text += to_text(*found.certificate);
    } else if (file.why_not.empty()) {
      file.why_not = fmt::format("pair {},{}: {}", pair.first, pair.second, in_words(found, pair));
    }
  }
  return file;
}

std::expected<void, InputError> write(const std::string& path, const std::string& text) {
  auto out = create_bytes(path);
  if (!out) return std::unexpected(std::move(out.error()));
  if (auto written = (*out)->write(text); !written) return written;
  return (*out)->commit();
}

}  // namespace

std::expected<std::vector<CertificateFile>, InputError> write_certificates(const std::string& folder,
                                                                           const Confirmer& confirmer,
                                                                           const std::vector<CandidateGroup>& groups,
                                                                           const std::vector<Result>& results,
                                                                           std::uint64_t window, std::uint64_t jobs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return std::unexpected(InputError{folder, "", "cannot create the folder: " + error.message()});
  std::vector<CertificateFile> files(results.size());
  std::vector<std::optional<InputError>> errors(results.size());
  const CertifyBudget budget = CertifyBudget::of(window);
  tbb::task_arena arena(static_cast<int>(std::clamp<std::uint64_t>(jobs, 1, 1024)));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, results.size(), [&](std::size_t i) {
      const vindicate::Verdict& verdict = results[i].verdict;
      if (verdict.outcome != vindicate::Outcome::NoRace) return;
      if (verdict.under_ca) {
        files[i].why_not = "excluded under ca only";
        return;
      }
      std::string text = "# omen certificates 1\n";
      files[i] = certify_group(confirmer, groups[i], budget, text);
      if (files[i].certified == 0) return;
      files[i].name = fmt::format("pair-{}-{}.certificate", verdict.pair.first, verdict.pair.second);
      const auto written = write((std::filesystem::path(folder) / files[i].name).string(), text);
      if (!written) errors[i] = written.error();
    });
  });
  for (auto& failed : errors) {
    if (failed) return std::unexpected(std::move(*failed));
  }
  return files;
}

void print_certified(const std::string& folder, const std::vector<Result>& results,
                     const std::vector<CertificateFile>& files) {
  std::size_t excluded = 0;
  std::size_t certified = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i];
    if (result.verdict.outcome != vindicate::Outcome::NoRace) continue;
    ++excluded;
    if (files[i].certified == result.count) {
      ++certified;
    } else {
      fmt::print("candidate {},{}: {} of {} pairs have a certificate; {}\n", result.verdict.pair.first,
                 result.verdict.pair.second, files[i].certified, result.count, files[i].why_not);
    }
  }
  fmt::print("{} of {} excluded candidate{} certified, in {}\n", certified, excluded, excluded == 1 ? "" : "s", folder);
}

}  // namespace omen::cli
