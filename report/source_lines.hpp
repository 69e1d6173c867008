/// \file
/// Lines of the source files that a report names, for snippets.
///
/// The names come from the debugging information of the program, which may name any file. Only regular files that are
/// called like sources are read, up to a size: a report that is passed on holds nothing else of the machine.
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
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;  ///< of all files together
  static constexpr std::size_t kLongestLine = 400;                   ///< bytes; the rest of a line is not shown

  /// The lines of the file, without their ends; null if it cannot be shown. Files are read once.
  const std::vector<std::string>* file(const std::string& path);

  /// Line `number`, from 1.
  std::optional<std::string_view> line(const std::string& path, std::uint32_t number);

 private:
  std::map<std::string, std::optional<std::vector<std::string>>> files_;
  std::size_t bytes_ = 0;
};

/// Whether a file of this name may be shown: it ends like a source of C, C++ or assembly, or is a header of the C++
/// library, which has no ending.
bool named_like_source(std::string_view path);

}  // namespace omen::report
