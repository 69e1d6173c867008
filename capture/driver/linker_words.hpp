/// \file
/// What a command line says to the linker itself: -Wl,A,B and -Xlinker A are the same to it, also when one of its
/// options and that option's value come in different ones of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

class LinkerWords {
 public:
  /// Reads the words, and keeps the command line.
  explicit LinkerWords(std::vector<std::string> arguments);

  /// Whether any of the linker's words is this one.
  bool contains(std::string_view word) const;

  /// The command line without -z defs and --no-undefined, however they are spelled.
  std::vector<std::string> without_defs() const;

 private:
  struct Word {
    std::string text;
    size_t argument;  // index of the argument that it came with
  };
  std::vector<std::string> arguments_;
  std::vector<Word> words_;
};

}  // namespace omen::driver
