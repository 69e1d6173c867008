/// \file
/// The models of witnesses: those that the arguments allow, and those that the compilers of the run's files support.
#pragma once

#include <optional>
#include <vector>

#include "cli/run_parts.hpp"
#include "relax/model.hpp"
#include "report/race_report.hpp"
#include "trace/capture_info.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

/// The model of the witnesses to search.
vindicate::Model model_of(const RunArguments& arguments);

/// The last of the models that rest on values; nothing: none is asked.
std::optional<relax::Model> value_model_of(const RunArguments& arguments);

/// The models for the report. The files are read as they are now.
report::Models models_of(const RunArguments& arguments, const std::vector<Module>& modules);

}  // namespace omen::cli
