/// \file
/// `omen manual FOLDER`: writes the man pages, generated from `--help`. The build runs it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/command_tree.hpp"
#include "cli/other_programs.hpp"
#include "cli/output.hpp"

namespace omen::cli {
namespace {

/// Escapes text in the middle of a roff line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

/// Escapes whole lines, so that none begins a roff request.
std::string lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string line = escaped(text.substr(0, end));
    result += (line.starts_with('.') || line.starts_with('\'') ? "\\&" : "") + line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string heading(const std::string& name, const std::string& version, std::string_view help) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format(".TH {} 1 \"\" \"omen {}\" \"omen\"\n.SH NAME\n{} \\- {}\n", escaped(upper), version,
                     escaped(name), escaped(help));
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const OptionWords& option : option_words(command)) {
    text += ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      text += (i == 0 ? "" : ", ") + ("\\fB" + escaped(option.names[i]) + "\\fR");
    }
    if (!option.value.empty()) text += (option.names.empty() ? "" : " ") + ("\\fI" + escaped(option.value) + "\\fR");
    text += "\n" + lines(option.help);
  }
  return text;
}

/// The text below the options, unchanged.
std::string notes_of(const CLI::App& command) {
  const std::string footer = command.get_footer();
  return footer.empty() ? "" : ".SH NOTES\n.nf\n" + lines(footer) + ".fi\n";
}

std::string page_of(const CLI::App& command, const std::string& version) {
  std::string arguments;
  for (const OptionWords& option : option_words(command)) {
    if (option.names.empty()) arguments += " \\fI" + escaped(option.value) + "\\fR";
  }
  return heading("omen-" + command.get_name(), version, command.get_description()) +
         fmt::format(".SH SYNOPSIS\n\\fBomen {}\\fR [\\fIoptions\\fR]{}\n.SH OPTIONS\n", escaped(command.get_name()),
                     arguments) +
         options_of(command) + notes_of(command) + ".SH SEE ALSO\n.BR omen (1)\n";
}

std::string whole_page(const CLI::App& whole, const std::vector<const CLI::App*>& commands,
                       const std::string& version) {
  std::string text = heading("omen", version, whole.get_description());
  text += ".SH SYNOPSIS\n\\fBomen\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n";
  for (const CLI::App* command : commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}See\n.BR omen\\-{} (1).\n", escaped(command->get_name()),
                        lines(command->get_description() + "."), escaped(command->get_name()));
  }
  return text + ".SH OPTIONS\n" + options_of(whole) + notes_of(whole);
}

std::expected<int, InputError> run(CLI::App& self, const std::string& folder) {
  const auto commands = visible_commands(self);
  const CLI::App& whole = whole_of(self);
  const auto write = [&](const std::string& name, const std::string& text) {
    return write_text((std::filesystem::path(folder) / (name + ".1")).string(), text);
  };
  const std::string version = OMEN_VERSION;
  if (auto written = write("omen", whole_page(whole, commands, version)); !written) {
    return std::unexpected(std::move(written.error()));
  }
  for (const CLI::App* command : commands) {
    if (auto written = write("omen-" + command->get_name(), page_of(*command, version)); !written) {
      return std::unexpected(std::move(written.error()));
    }
  }
  // The driver prints its own options.
  if (const auto driver = output_of({beside("omen-cc"), "--omen-help"})) {
    const std::string text = heading("omen-cc", version, "a compiler whose programs omen can watch") +
                             ".SH DESCRIPTION\n.nf\n" + lines(*driver) + ".fi\n.SH SEE ALSO\n.BR omen (1)\n";
    if (auto written = write("omen-cc", text); !written) return std::unexpected(std::move(written.error()));
    if (auto written = write("omen-c++", ".so man1/omen-cc.1\n"); !written) {
      return std::unexpected(std::move(written.error()));
    }
  }
  return kExitNothingFound;
}

const Command command{"manual", "Write the man pages into a folder", [](CLI::App& app) -> Action {
                        auto folder = std::make_shared<std::string>();
                        app.group("");
                        app.add_option("FOLDER", *folder, "where to write them")->required();
                        return [folder, &app] { return run(app, *folder); };
                      }};

}  // namespace
}  // namespace omen::cli
