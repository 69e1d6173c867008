/// \file
/// The data of the HTML page, as JSON.
///
/// The page does not know the kinds of findings. It shows a title, sentences, sides (the stacks that take part),
/// related stacks, threads and steps. For a new kind of finding a function fills these members (page_data.cpp); the
/// page's scripts do not change. `page/types.d.ts` declares the members.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/frames.hpp"
#include "report/race_report.hpp"

namespace omen::report {

struct PageStyle {
  std::string version = {};      ///< omen's
  Viewpoint from = {};           ///< the folders relative to which files are shown
  std::uint32_t context = 8;     ///< number of source lines shown before and after each place
  std::size_t most_steps = 400;  ///< per finding; only the last steps are shown
};

/// Reads the source files that the report names (report/source_lines.hpp).
nlohmann::ordered_json page_data(const RunReport& report, const PageStyle& style);

}  // namespace omen::report
