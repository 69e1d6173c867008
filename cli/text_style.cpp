#include "cli/text_style.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "cli/output.hpp"

namespace omen::cli {
namespace {

bool has_colours(report::ColourWhen when, std::FILE* out) {
  if (when != report::ColourWhen::Auto) return when == report::ColourWhen::Always;
  const char* const refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return out != nullptr && isatty(fileno(out)) == 1;
}

}  // namespace

void add_text_options(CLI::App& app, TextArguments& arguments) {
  app.add_option("--color", arguments.color,
                 "colours in text: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--explain", arguments.explain, "say more about each finding: what it means, and what to do");
  app.add_flag("--full-stacks", arguments.full_stacks, "show each frame of the system, and whole names of functions");
}

report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options, std::FILE* out) {
  return {.strip_path_prefix = options.strip_path_prefix,
          .summary = options.print_summary,
          .from = viewpoint(),
          .colour = has_colours(report::parse_colour(arguments.color).value_or(options.color), out),
          .explain = arguments.explain,
          .full_stacks = arguments.full_stacks,
          .sources = std::make_shared<report::SourceLines>()};
}

report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options) {
  const bool is_file = !options.log_file(0).empty();
  return text_style(arguments, options, is_file ? nullptr : options.log_path == "stdout" ? stdout : stderr);
}

}  // namespace omen::cli
