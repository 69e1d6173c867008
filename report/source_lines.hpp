/// \file
/// Lines of the source files that a report names, for snippets.
///
/// The names come from the program's debug information, which may name any file. Only regular files up to a size, with
/// a source file's name, are read: a report that is passed on must not contain other files of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace omen::report {

class SourceLines {
 public:
  static constexpr std::size_t kLargestFile = std::size_t{8} << 20;  ///< bytes
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;  ///< all files together
  static constexpr std::size_t kLongestLine = 400;                   ///< bytes; longer lines are truncated

  /// The file's lines without line ends; null if it may not be shown. Each file is read once.
  const std::vector<std::string>* file(const std::string& path);

  /// Line `number`, counted from 1.
  std::optional<std::string_view> line(const std::string& path, std::uint32_t number);

 private:
  std::map<std::string, std::optional<std::vector<std::string>>> files_;
  std::size_t bytes_ = 0;
};

/// True if the name is that of a source file of C, C++ or assembly, or of a header of the C++ library, which has no
/// extension.
bool named_like_source(std::string_view path);

}  // namespace omen::report
