/// \file
/// The style of text reports.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "report/frames.hpp"
#include "report/hyperlinks.hpp"
#include "report/source_lines.hpp"

namespace omen::report {

struct TextStyle {
  std::string strip_path_prefix = {};         ///< cut from file names, with everything in front of it
  bool summary = true;                        ///< end each race with its SUMMARY line
  bool unconfirmed = false;                   ///< list unconfirmed predictions too
  bool candidates = false;                    ///< of these, list those that rest on values
  Viewpoint from = {};                        ///< files below its folder are shown relative to it
  bool colour = false;                        ///< use the terminal's colours
  Hyperlinks links = {};                      ///< how places link to their files
  std::size_t columns = 0;                    ///< the terminal's width; 0: no terminal, lines are not broken
  bool explain = false;                       ///< explain each finding in more detail
  bool full_stacks = false;                   ///< show all frames, and full function names
  std::shared_ptr<SourceLines> sources = {};  ///< for snippets; null: no snippets
};

}  // namespace omen::report
