/// \file
/// CODEOWNERS as code hosts read it: a pattern and owners per line, and the last line that matches a file decides.
/// Patterns are those of .gitignore without `!` and `[…]`: `*` and `?` stay within a folder, `**` does not; a pattern
/// with a `/` that is not its last character begins at the root, others match at any depth; a folder covers everything
/// below it, except that `folder/*` covers no folders below. GitLab's `[Section]` lines and their owners are supported.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "trace/error.hpp"

namespace omen::store {

class CodeOwners {
 public:
  /// A pattern without a closing bracket, or an invalid owner, is an error with its line.
  static std::expected<CodeOwners, InputError> parse(std::string_view text, const std::string& file);

  /// The owners of a path relative to the root, separated by blanks; empty: none.
  std::string owners_of(std::string_view path) const;

 private:
  struct Rule {
    std::vector<std::string> parts;  ///< parts of the pattern, between slashes; `**` is a part of its own
    bool only_folders = false;
    bool only_direct = false;  ///< ends in `/*`
    std::string owners;
  };
  static bool matches(const Rule& rule, const std::vector<std::string_view>& path);

  std::vector<Rule> rules_;
};

}  // namespace omen::store
