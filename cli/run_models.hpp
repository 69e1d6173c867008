/// \file
/// What a witness may change: what the arguments allow, and what the compilers of the run's files have made known.
#pragma once

#include <optional>
#include <vector>

#include "cli/run_parts.hpp"
#include "relax/model.hpp"
#include "report/race_report.hpp"
#include "trace/capture_info.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

/// In which witnesses are looked for.
vindicate::Model model_of(const RunArguments& arguments);

/// The last of those that rest on values; nothing: none is to be asked.
std::optional<relax::Model> value_model_of(const RunArguments& arguments);

/// As the report says it. The files are those that are there now.
report::Models models_of(const RunArguments& arguments, const std::vector<Module>& modules);

}  // namespace omen::cli
