#include "cli/command_tree.hpp"

namespace omen::cli {

const CLI::App& whole_of(const CLI::App& any) {
  const CLI::App* whole = &any;
  while (whole->get_parent() != nullptr) whole = whole->get_parent();
  return *whole;
}

std::vector<const CLI::App*> visible_commands(CLI::App& any) {
  const CLI::App& whole = whole_of(any);
  const auto found = whole.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  return {found.begin(), found.end()};
}

std::vector<OptionWords> option_words(const CLI::App& command) {
  std::vector<OptionWords> result;
  for (const bool positional : {false, true}) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional() != positional || option->get_group().empty()) continue;
      OptionWords words;
      for (const std::string& name : option->get_snames()) words.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) words.names.push_back("--" + name);
      if (positional) {
        words.value = option->get_name(true);
      } else if (option->get_items_expected_max() != 0) {
        words.value = option->get_type_name();
      }
      words.help = option->get_description();
      result.push_back(std::move(words));
    }
  }
  return result;
}

}  // namespace omen::cli
