#include "cli/check_certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "vindicate/certificate.hpp"

namespace omen::cli {
namespace {

std::expected<std::vector<std::filesystem::path>, InputError> files_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector{std::filesystem::path(path)};
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator at(path, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (at->path().extension() == ".certificate") files.push_back(at->path());
  }
  if (error) return std::unexpected(InputError{path, "", "cannot read the folder: " + error.message()});
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::optional<std::string> CheckedCertificates::missing(const std::string& file, vindicate::Pair pair,
                                                        std::uint64_t pairs) const {
  const auto found = excluded.find(file);
  if (found == excluded.end()) return fmt::format("there is no certificate file '{}'", file);
  if (!found->second.contains(pair)) return fmt::format("{} does not exclude the pair", file);
  if (found->second.size() != pairs) {
    return fmt::format("{} excludes {} of the {} pairs", file, found->second.size(), pairs);
  }
  return std::nullopt;
}

std::expected<CheckedCertificates, InputError> check_certificates(const std::string& path, ProvedChecker& checker) {
  const auto files = files_of(path);
  if (!files) return std::unexpected(files.error());
  CheckedCertificates checked;
  for (const std::filesystem::path& file : *files) {
    const auto certificates = vindicate::read_certificates(file.string());
    if (!certificates) return std::unexpected(certificates.error());
    const std::string name = file.filename().string();
    std::set<vindicate::Pair>& excluded = checked.excluded[name];
    for (const vindicate::Certificate& certificate : *certificates) {
      ++checked.certificates;
      if (checker.excludes(certificate)) {
        excluded.insert({std::min(certificate.pair.first, certificate.pair.second),
                         std::max(certificate.pair.first, certificate.pair.second)});
      } else {
        checked.all_hold = false;
        fmt::print("{}, pair {},{}: refused\n", name, certificate.pair.first, certificate.pair.second);
      }
    }
    fmt::print("{}: {} of {} certificates accepted\n", name, excluded.size(), certificates->size());
  }
  return checked;
}

}  // namespace omen::cli
