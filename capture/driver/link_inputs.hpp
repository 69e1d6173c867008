/// \file
/// Which files a linker's command line names: as themselves, or as libraries to look for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

struct LinkInput {
  size_t argument;   ///< index of the word that stands for the file
  size_t words;      ///< 1, or 2 for `-l NAME`
  std::string path;  ///< an existing file
};

struct LinkLine {
  std::vector<LinkInput> inputs;
  bool is_relocatable = false;  ///< -r: there will be another link
  bool is_shared = false;       ///< a library is made
  bool has_script = false;      ///< -T: sections are named by the user
};

/// `arguments` are the linker's, without its name, and with response files expanded. For GNU ld, gold, lld and mold.
LinkLine read_link_line(const std::vector<std::string>& arguments);

}  // namespace omen::driver
