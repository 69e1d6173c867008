#include "store/codeowners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "store/records.hpp"
#include "trace/quote.hpp"

namespace omen::store {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Words between blanks. `\ ` is a blank in the first word, the pattern; a word that begins with `#` begins a comment.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < line.size()) {
    if (is_blank(line[i])) {
      ++i;
      continue;
    }
    if (line[i] == '#') break;
    std::string word;
    for (; i < line.size() && !is_blank(line[i]); ++i) {
      if (words.empty() && line[i] == '\\' && i + 1 < line.size()) ++i;
      word += line[i];
    }
    words.push_back(std::move(word));
  }
  return words;
}

bool is_owner(std::string_view word) {
  return word.find('@') != std::string_view::npos;
}

std::string joined(std::span<const std::string> words) {
  return storable(fmt::format("{}", fmt::join(words, " ")));
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    if (end != 0) parts.push_back(path.substr(0, end));
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
  }
  return parts;
}

/// Matches a part of a pattern with a part of a path. Backtracks only to the last `*`, which is enough.
bool part_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Which prefixes of the path the pattern matches, in time linear in the product of their parts: element n is true if
/// the whole pattern matches the first n parts.
std::vector<bool> matched_prefixes(const std::vector<std::string>& pattern, const std::vector<std::string_view>& path) {
  std::vector<bool> reached(path.size() + 1, false);
  reached[0] = true;
  for (const std::string& part : pattern) {
    std::vector<bool> next(path.size() + 1, false);
    bool any = false;
    for (std::size_t n = 0; n <= path.size(); ++n) {
      if (part == "**") {
        any = any || reached[n];
        next[n] = any;
      } else if (n > 0) {
        next[n] = reached[n - 1] && part_matches(part, path[n - 1]);
      }
    }
    reached = std::move(next);
  }
  return reached;
}

}  // namespace

std::expected<CodeOwners, InputError> CodeOwners::parse(std::string_view text, const std::string& file) {
  CodeOwners result;
  std::string section_owners;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto wrong = [&](const std::string& message) {
      return std::unexpected(InputError{file, std::to_string(number), message});
    };
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (line.starts_with('[') || line.starts_with("^[")) {  // `^[Optional][2] @default`
      const std::size_t close = line.rfind(']');
      if (close == std::string_view::npos) return wrong("expected the ']' of a section");
      words = words_of(line.substr(close + 1));
      if (!std::ranges::all_of(words, is_owner)) return wrong("expected owners behind a section: @NAME or an address");
      section_owners = joined(words);
      continue;
    }
    if (words[0].starts_with('!')) return wrong("expected a pattern without '!'");
    const std::span<const std::string> owners = std::span(words).subspan(1);
    for (const std::string& owner : owners) {
      if (!is_owner(owner)) return wrong(fmt::format("expected @NAME or an address, not {}", quoted(owner)));
    }
    Rule rule;
    std::string_view pattern = words[0];
    rule.owners = owners.empty() ? section_owners : joined(owners);
    rule.only_folders = pattern.ends_with('/');
    if (rule.only_folders) pattern.remove_suffix(1);
    rule.only_direct = pattern.ends_with("/*");
    const bool from_root = pattern.find('/') != std::string_view::npos;
    if (!from_root) rule.parts.emplace_back("**");
    for (const std::string_view part : split(pattern)) rule.parts.emplace_back(part);
    result.rules_.push_back(std::move(rule));
  }
  return result;
}

bool CodeOwners::matches(const Rule& rule, const std::vector<std::string_view>& path) {
  const std::vector<bool> matched = matched_prefixes(rule.parts, path);
  if (matched.back()) return !rule.only_folders;
  if (rule.only_direct) return false;
  // A folder that matches covers the file. `**` alone matches the empty path, which is the root.
  return std::ranges::any_of(matched.begin(), matched.end() - 1, [](bool one) { return one; });
}

std::string CodeOwners::owners_of(std::string_view path) const {
  const std::vector<std::string_view> parts = split(path);
  if (parts.empty()) return {};
  std::string owners;
  for (const Rule& rule : rules_) {
    if (matches(rule, parts)) owners = rule.owners;
  }
  return owners;
}

}  // namespace omen::store
