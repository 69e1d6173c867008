/// \file
/// The words of a command line that are for the linker. -Wl,A,B and -Xlinker A are equivalent, and an option and its
/// value may come in different ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

class LinkerWords {
 public:
  /// Parses the words, and stores the command line.
  explicit LinkerWords(std::vector<std::string> arguments);

  /// True if one of the linker's words equals this one.
  bool contains(std::string_view word) const;

  /// The command line without -z defs and --no-undefined, in any spelling.
  std::vector<std::string> without_defs() const;

 private:
  struct Word {
    std::string text;
    size_t argument;  // index of the argument that contains it
  };
  std::vector<std::string> arguments_;
  std::vector<Word> words_;
};

}  // namespace omen::driver
