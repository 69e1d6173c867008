#include "report/source_lines.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "report/race_report.hpp"

namespace omen::report {
namespace {

constexpr std::array<std::string_view, 29> kEndings{
    "c",   "cc",  "cpp", "cxx", "c++", "C",  "h",   "hh",   "hpp", "hxx", "h++", "H",   "inc", "inl", "ipp",
    "tcc", "tpp", "txx", "def", "i",   "ii", "ixx", "cppm", "m",   "mm",  "cu",  "cuh", "s",   "S"};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line.substr(0, SourceLines::kLongestLine));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

bool named_like_source(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return path.find("/include/") != std::string_view::npos;
  return std::ranges::find(kEndings, name.substr(dot + 1)) != kEndings.end();
}

const std::vector<std::string>* SourceLines::file(const std::string& path) {
  const auto [entry, is_new] = files_.try_emplace(path);
  std::optional<std::vector<std::string>>& lines = entry->second;
  if (!is_new) return lines ? &*lines : nullptr;
  if (!named_like_source(path)) return nullptr;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return nullptr;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kLargestFile || bytes_ + size > kMostBytes) return nullptr;
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (in.bad()) return nullptr;
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.find('\0') != std::string::npos) return nullptr;
  bytes_ += text.size();
  lines = split(text);
  return &*lines;
}

std::optional<std::string_view> SourceLines::line(const std::string& path, std::uint32_t number) {
  const std::vector<std::string>* const lines = file(path);
  if (lines == nullptr || number == 0 || number > lines->size()) return std::nullopt;
  return (*lines)[number - 1];
}

}  // namespace omen::report
