#include "cli/run_models.hpp"

#include <filesystem>

#include "capture/abi/pass_mark.hpp"
#include "symbolize/instrumented.hpp"

namespace omen::cli {

vindicate::Model model_of(const RunArguments& arguments) {
  return arguments.candidates < Candidates::Data ? vindicate::Model::Lw : vindicate::Model::Data;
}

std::optional<relax::Model> value_model_of(const RunArguments& arguments) {
  if (arguments.no_confirm || !arguments.online.empty()) return std::nullopt;
  switch (arguments.candidates) {
    case Candidates::Value:
      return relax::Model::Value;
    case Candidates::Control:
      return relax::Model::Control;
    case Candidates::Relax:
      return relax::Model::Relax;
    case Candidates::Paths:
      return relax::Model::Paths;
    default:
      return std::nullopt;
  }
}

report::Models models_of(const RunArguments& arguments, const std::vector<Module>& modules) {
  report::Models models;
  if (arguments.no_confirm) return models;
  models.witnesses = "lw";
  if (arguments.candidates < Candidates::Data) return models;
  for (const Module& module : modules) {
    std::error_code ignored;  // not every module is a file
    if (!std::filesystem::is_regular_file(module.path, ignored)) continue;
    if (symbolize::has_section(module.path, OMEN_PASS_SECTION)) models.witnesses = "data";
    if (symbolize::has_section(module.path, OMEN_NO_PASS_SECTION)) models.without_pass.push_back(module.path);
  }
  return models;
}

}  // namespace omen::cli
