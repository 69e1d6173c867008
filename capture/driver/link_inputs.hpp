/// \file
/// The input files of a linker's command line, named directly or as libraries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

struct LinkInput {
  size_t argument;   ///< index of the word that names the file
  size_t words;      ///< 1, or 2 for `-l NAME`
  std::string path;  ///< of an existing file
};

struct LinkLine {
  std::vector<LinkInput> inputs;
  bool is_relocatable = false;  ///< -r: the output is linked again
  bool is_shared = false;       ///< the output is a shared library
  bool has_script = false;      ///< -T: the user's script names sections
};

/// `arguments` are the linker's, without its name, with response files expanded. Supports GNU ld, gold, lld and mold.
LinkLine read_link_line(const std::vector<std::string>& arguments);

}  // namespace omen::driver
