#include "cli/analysis_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace omen::cli {
namespace {

std::string known_names() {
  std::string names;
  for (const AnalysisInfo& info : all_analyses()) {
    names += info.name;
    names += ' ';
  }
  return names + "all";
}

}  // namespace

CLI::Option* add_analyses(CLI::App& app, std::vector<std::string>& names) {
  return app.add_option("-a,--analysis", names, "analyses to run, separated by commas: " + known_names())
      ->delimiter(',')
      ->type_name("A")
      ->default_str(fmt::format("{}", fmt::join(names, ",")));
}

std::vector<const AnalysisInfo*> resolve_analyses(const std::vector<std::string>& names) {
  std::vector<const AnalysisInfo*> chosen;
  const auto add = [&](const AnalysisInfo& info) {
    if (std::ranges::find(chosen, &info) == chosen.end()) chosen.push_back(&info);
  };
  for (const std::string& name : names) {
    if (name == "all") {
      for (const AnalysisInfo& info : all_analyses()) add(info);
    } else if (const AnalysisInfo* info = find_analysis(name)) {
      add(*info);
    } else {
      throw CLI::ValidationError("--analysis",
                                 fmt::format("unknown analysis '{}'; expected one of: {}", name, known_names()));
    }
  }
  if (chosen.empty()) throw CLI::ValidationError("--analysis", "expected at least one of: " + known_names());
  return chosen;
}

}  // namespace omen::cli
