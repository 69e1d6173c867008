/// \file
/// `omen suppress REPORT.json --race N`: prints the suppression line for a finding of a report.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/command.hpp"
#include "report/describe.hpp"
#include "report/race_json.hpp"
#include "report/race_report.hpp"
#include "report/whole_file.hpp"
#include "trace/quote.hpp"

namespace omen::cli {
namespace {

enum class By : std::uint8_t { Fingerprint, Function, File, Variable };

struct Options {
  std::string report;
  std::vector<std::uint64_t> races;
  std::vector<std::uint64_t> deadlocks;
  bool all = false;
  By by = By::Fingerprint;
  std::string to;
};

std::string place_of(const report::Stack& stack) {
  const report::Frame* const frame = report::Race::place(stack);
  if (frame == nullptr) return "an unknown place";
  const std::string function = frame->function.empty() ? "<null>" : frame->function;
  return frame->file.empty() ? function : fmt::format("{} {}:{}", function, frame->file, frame->line);
}

/// A comment for readers of the suppressions file.
std::string comment(std::string_view what, const std::string& first, const std::string& second) {
  return fmt::format("# {}: {} and {}\n", what, on_one_line(first), on_one_line(second));
}

/// Nothing if the finding lacks the property.
std::optional<std::string> line_for(const report::Race& race, By by) {
  const report::Stack& stack = race.accesses[0].stack;
  switch (by) {
    case By::Fingerprint:
      if (race.fingerprint.empty()) return std::nullopt;
      return "fingerprint:" + race.fingerprint;
    case By::Function:
      if (stack.empty() || stack.front().function.empty()) return std::nullopt;
      return fmt::format("race_top:^{}$", stack.front().function);
    case By::File:
      if (stack.empty() || stack.front().file.empty()) return std::nullopt;
      return fmt::format("race_top:^{}$", stack.front().file);
    case By::Variable:
      if (race.variable.kind != report::LocationKind::Global || race.variable.name.empty()) return std::nullopt;
      return fmt::format("race:^{}$", race.variable.name);
  }
  return std::nullopt;
}

class Lines {
 public:
  Lines(const Options& options, const report::RunReport& report) : options_(options), report_(report) {}

  std::expected<std::string, InputError> all() {
    const auto every = [&](std::vector<std::uint64_t> chosen, std::size_t count) {
      for (std::uint64_t i = 1; options_.all && i <= count; ++i) chosen.push_back(i);
      return chosen;
    };
    for (const std::uint64_t number : every(options_.races, report_.races.size())) {
      if (number == 0 || number > report_.races.size()) return missing("race", number, report_.races.size());
      const report::Race& race = report_.races[number - 1];
      const auto line = line_for(race, options_.by);
      if (!line) {
        return std::unexpected(
            InputError{options_.report, fmt::format("race {}", number), "has nothing of that kind to name it by"});
      }
      text_ += comment(race.headline(), place_of(race.accesses[0].stack), place_of(race.accesses[1].stack));
      text_ += *line + "\n";
    }
    for (const std::uint64_t number : every(options_.deadlocks, report_.deadlocks.size())) {
      if (number == 0 || number > report_.deadlocks.size())
        return missing("deadlock", number, report_.deadlocks.size());
      const report::Deadlock& deadlock = report_.deadlocks[number - 1];
      const auto& waiting = deadlock.waiting;
      if (!waiting.empty())
        text_ += comment("deadlock", place_of(waiting.front().stack), place_of(waiting.back().stack));
      text_ += fmt::format("fingerprint:{}\n", deadlock.fingerprint);
    }
    return text_;
  }

 private:
  std::unexpected<InputError> missing(std::string_view what, std::uint64_t number, std::size_t count) const {
    return std::unexpected(
        InputError{options_.report, "", fmt::format("there is no {} {}: it has {}", what, number, count)});
  }

  const Options& options_;
  const report::RunReport& report_;
  std::string text_;
};

std::expected<int, InputError> run(const Options& options) {
  if (!options.all && options.races.empty() && options.deadlocks.empty()) {
    throw CLI::ValidationError("suppress", "expected --race N, --deadlock N or --all");
  }
  const auto document = report::whole_file(options.report);
  if (!document) return std::unexpected(document.error());
  const auto report = report::report_from_json(*document, options.report);
  if (!report) return std::unexpected(report.error());
  const auto text = Lines(options, *report).all();
  if (!text) return std::unexpected(text.error());
  if (options.to.empty()) {
    fmt::print("{}", *text);
    return kExitNothingFound;
  }
  std::ofstream out(options.to, std::ios::app | std::ios::binary);
  out << *text;
  out.close();
  if (!out) return std::unexpected(InputError{options.to, "", std::strerror(errno)});
  return kExitNothingFound;
}

const Command command{
    "suppress", "Write the line that keeps a known finding out of later reports", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("REPORT", options->report, "what run --json wrote; '-' is standard input")->required();
      app.add_option("--race", options->races, "the number of a race in the report, from 1 on; several are allowed")
          ->type_name("N");
      app.add_option("--deadlock", options->deadlocks, "the same for deadlocks")->type_name("N");
      app.add_flag("--all", options->all, "all races and deadlocks of the report");
      app.add_option("--by", options->by,
                     "what the line names: fingerprint (default), this finding alone; function or file, of the later "
                     "access; variable, a global one")
          ->type_name("WHAT")
          ->transform(CLI::CheckedTransformer(std::map<std::string, By>{{"fingerprint", By::Fingerprint},
                                                                        {"function", By::Function},
                                                                        {"file", By::File},
                                                                        {"variable", By::Variable}})
                          .description(""));
      app.add_option("--to", options->to, "append to this file; default: standard output");
      app.footer(
          "Exit code: 0; 65 if the report has no such finding.\n"
          "Example:\n  omen suppress r.json --race 1 --to known.txt && omen run --suppressions known.txt -- ./prog");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
