/// \file
/// What the HTML page shows, as the JSON that the page holds.
///
/// The page knows no kinds of finding. It shows *findings*: a title, sentences, sides (stacks that take part), related
/// stacks, threads and steps. A new kind of finding is a function that fills these members (page_data.cpp); the page's
/// scripts stay as they are. `page/types.d.ts` has the members' types.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/frames.hpp"
#include "report/race_report.hpp"

namespace omen::report {

struct PageStyle {
  std::string version = {};      ///< of omen
  Viewpoint from = {};           ///< how files are named
  std::uint32_t context = 8;     ///< lines of source before and after each place
  std::size_t most_steps = 400;  ///< of one finding
};

/// Reads the sources that the report names (report/source_lines.hpp).
nlohmann::ordered_json page_data(const RunReport& report, const PageStyle& style);

}  // namespace omen::report
