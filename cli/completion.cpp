/// \file
/// `omen completion SHELL`: a script that completes commands and options, generated from `--help`.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/command_tree.hpp"

namespace omen::cli {
namespace {

enum class Shell : std::uint8_t { Bash, Zsh, Fish };

std::string all_names(const CLI::App& command) {
  std::string names;
  for (const OptionWords& option : option_words(command)) {
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

/// Single-quotes the text; `with` replaces each quote in it.
std::string quoted(std::string_view text, std::string_view with) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += with;
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  return result + "'";
}

std::string bash(const CLI::App& whole, const std::vector<const CLI::App*>& commands) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : commands) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) options='{}' ;;\n", command->get_name(), all_names(*command));
  }
  return fmt::format(
      R"(# bash completion of omen; written by `omen completion bash`
_omen() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command='' options='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
      --) COMPREPLY=(); return ;;
      -*) ;;
      *) command=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  for ((; i < COMP_CWORD; ++i)); do
    [[ ${{COMP_WORDS[i]}} != -- ]] || {{ COMPREPLY=(); return; }}
  done
  case $command in
    '') options='{} {}' ;;
{}  esac
  COMPREPLY=()
  if [[ -z $command || $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word"); fi
}}
complete -o default -F _omen omen
)",
      names, all_names(whole), cases);
}

std::string zsh(const CLI::App& whole, const std::vector<const CLI::App*>& commands) {
  const auto described = [](const OptionWords& option, const std::string& name) {
    std::string help;
    for (const char c : option.help) {
      if (c == '[' || c == ']' || c == '\\' || c == ':') help += '\\';
      help += c;
    }
    return "      " + quoted(name + "[" + help + "]" + (option.value.empty() ? "" : ":value:_files"), "'\\''") +
           " \\\n";
  };
  const auto arguments = [&](const CLI::App& command) {
    std::string text = "    _arguments \\\n";
    for (const OptionWords& option : option_words(command)) {
      for (const std::string& name : option.names) text += described(option, name);
    }
    return text + "      '*::file:_files'\n";
  };
  std::string names;
  std::string cases;
  for (const CLI::App* command : commands) {
    names += "    " + quoted(command->get_name() + ":" + command->get_description(), "'\\''") + "\n";
    cases += fmt::format("    {})\n  {}      ;;\n", command->get_name(), arguments(*command));
  }
  std::string own;
  for (const OptionWords& option : option_words(whole)) {
    for (const std::string& name : option.names) own += " " + quoted(name, "");
  }
  return fmt::format(
      R"(#compdef omen
# zsh completion of omen; written by `omen completion zsh`
local -a commands
commands=(
{})
if (( CURRENT == 2 )); then
  _describe command commands
  compadd --{}
else
  local chosen=${{words[2]}}
  shift words
  (( CURRENT-- ))
  case $chosen in
{}  esac
fi
)",
      names, own, cases);
}

std::string fish(const CLI::App& whole, const std::vector<const CLI::App*>& commands) {
  const auto options = [](const CLI::App& command, const std::string& condition) {
    std::string text;
    for (const OptionWords& option : option_words(command)) {
      if (option.names.empty()) continue;
      text += "complete -c omen -n " + quoted(condition, "\\'");
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) text += " -r";
      text += " -d " + quoted(option.help, "\\'") + "\n";
    }
    return text;
  };
  std::string text = "# fish completion of omen; written by `omen completion fish`\n";
  text += options(whole, "__fish_use_subcommand");
  for (const CLI::App* command : commands) {
    text += fmt::format("complete -c omen -f -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                        quoted(command->get_description(), "\\'"));
    text += options(*command, "__fish_seen_subcommand_from " + command->get_name());
  }
  return text;
}

const Command command{
    "completion", "Print a script that completes omen's commands and options in a shell", [](CLI::App& app) -> Action {
      auto shell = std::make_shared<Shell>(Shell::Bash);
      app.add_option("SHELL", *shell, "bash, zsh or fish")
          ->required()
          ->type_name("SHELL")
          ->transform(CLI::CheckedTransformer(std::map<std::string, Shell>{
                                                  {"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}})
                          .description(""));
      app.footer("Example:\n  source <(omen completion bash)");
      return [shell, &app]() -> std::expected<int, InputError> {
        const auto commands = visible_commands(app);
        const auto write = *shell == Shell::Bash ? bash : *shell == Shell::Zsh ? zsh : fish;
        fmt::print("{}", write(whole_of(app), commands));
        return kExitNothingFound;
      };
    }};

}  // namespace
}  // namespace omen::cli
