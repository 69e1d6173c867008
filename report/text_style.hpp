/// \file
/// How a text report is to look.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "report/frames.hpp"
#include "report/hyperlinks.hpp"
#include "report/source_lines.hpp"

namespace omen::report {

struct TextStyle {
  std::string strip_path_prefix = {};         ///< everything up to and including this is left out of files' names
  bool summary = true;                        ///< end each race with its SUMMARY line
  bool unconfirmed = false;                   ///< list what is predicted and not confirmed as well
  bool candidates = false;                    ///< of that, list what rests on values
  Viewpoint from = {};                        ///< files below it are shown relative to it
  bool colour = false;                        ///< for a terminal
  Hyperlinks links = {};                      ///< places lead to their files
  std::size_t columns = 0;                    ///< of the terminal; 0: it is none, and lines are as long as they are
  bool explain = false;                       ///< say more about each finding
  bool full_stacks = false;                   ///< fold no frames, shorten no names
  std::shared_ptr<SourceLines> sources = {};  ///< for snippets; null: none
};

}  // namespace omen::report
