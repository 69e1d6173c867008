/// \file
/// `omen`: finds the subcommand, runs it, and maps every outcome to an exit code of `command.hpp`.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/help_format.hpp"
#include "cli/inherited_signals.hpp"
#include "cli/text_style.hpp"
#include "cli/version.hpp"

namespace omen::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  omen demo                       a race that happens-before misses
  omen run -- ./prog              the races of a program that omen-cc or omen-c++ built
  omen run --online -- ./server   the same while it runs
  omen doctor                     what works on this machine
  omen analyze t.std              candidate races of a trace
  omen convert t.std t.omen       text to the compact binary format
  omen dump t.omen --from 100     events from the 100th on, one a line
  omen stats t.omen               what the trace holds

A trace is read from standard input where its name is '-'. `omen COMMAND --help` explains a command.
Exit codes: 66 a finding that makes the command fail (of `omen run`: what --fail-on selects), else 0 or the program's own;
64 bad usage, 65 bad input, 70 a bug in omen.)";

int usage_error(const CLI::App& app, const CLI::Error& error) {
  std::string command = "omen";
  const CLI::App* meant = &app;
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = meant->get_subcommands()) {
    meant = chosen.back();
    command += " " + meant->get_name();
  }
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = meant->remaining(true);
    const auto unknown = std::ranges::find_if(
        extras, [](const std::string& word) { return word.size() > 1 && word.starts_with('-') && word != "--"; });
    if (unknown != extras.end()) what = "there is no option " + *unknown;
  }
  std::fprintf(stderr, "omen: %s\nTry '%s --help'.\n", what.c_str(), command.c_str());
  return kExitUsage;
}

int run(int argc, char** argv) {
  CLI::App app("omen predicts data races from a recorded execution", "omen");
  app.formatter(std::make_shared<HelpFormat>(terminal_columns(stdout)));  // inherited by the subcommands
  app.footer(kFooter);
  const std::function<std::string()> version = version_text;  // when it is asked for: libpq is loaded for it
  app.set_version_flag("--version", version, "Print the version, and what omen was built with");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  std::map<const CLI::App*, Action> actions;
  const auto commands = Command::all();
  for (const Command* command : commands) {
    CLI::App* sub = app.add_subcommand(command->name, command->help);
    actions[sub] = command->define(*sub);
  }

  // `omen help` and `omen help COMMAND`, as in many programs.
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && std::string_view(argv[1]) == "help") {
    static char help[] = "--help";
    words.erase(words.begin() + 1);
    words.insert(words.begin() + (argc > 2 ? 2 : 1), help);
    argv = words.data();
  }

  try {
    // CLI11's message would only say that a subcommand is required.
    const auto is_first = [&](const Command* command) { return std::string_view(command->name) == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(commands, is_first)) {
      throw CLI::ValidationError(std::string("there is no command '") + argv[1] + "'");
    }
    app.parse(argc, argv);
    const auto result = actions.at(app.get_subcommands().front())();
    if (!result) {
      std::fprintf(stderr, "omen: %s\n", result.error().text().c_str());
      return kExitInput;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      std::fprintf(stderr, "omen: standard output: cannot write\n");
      return kExitInput;
    }
    return *result;
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::Error& error) {
    return usage_error(app, error);
  }
}

}  // namespace
}  // namespace omen::cli

int main(int argc, char** argv) {
  omen::cli::take_default_signals();
  try {
    return omen::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "omen: out of memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "omen: internal error (this is a bug in omen): %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "omen: internal error (this is a bug in omen)\n");
  }
  return omen::cli::kExitInternal;
}
