#include "cli/command.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace omen::cli {
namespace {

std::vector<const Command*>& registered() {
  static std::vector<const Command*> commands;
  return commands;
}

}  // namespace

Command::Command(const char* its_name, const char* its_help, Action (*its_define)(CLI::App& app))
    : name(its_name), help(its_help), define(its_define) {
  registered().push_back(this);
}

std::vector<const Command*> Command::all() {
  auto commands = registered();
  std::ranges::sort(commands, {}, [](const Command* c) { return std::string_view(c->name); });
  return commands;
}

CLI::Option* add_format(CLI::App& app, const std::string& flags, Format& format, const std::string& help) {
  return app
      .add_option_function<std::string>(
          flags,
          [&format, flags](const std::string& text) {
            const auto parsed = parse_format(text);
            if (!parsed) throw CLI::ValidationError(flags, "expected auto, std or omen, not '" + text + "'");
            format = *parsed;
          },
          help + " (auto, std, omen)")
      ->type_name("FORMAT");
}

CLI::Option* add_number(CLI::App& app, const std::string& flags, std::uint64_t& number, const std::string& help) {
  return app
      .add_option_function<std::string>(
          flags,
          [&number, flags](const std::string& text) {
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, number);
            if (error != std::errc{} || stop != end) {
              throw CLI::ValidationError(flags, "expected a number from 0 on, not '" + text + "'");
            }
          },
          help)
      ->type_name("N");
}

}  // namespace omen::cli
