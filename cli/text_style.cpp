#include "cli/text_style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli/output.hpp"

namespace omen::cli {
namespace {

bool is_terminal(std::FILE* out) {
  return out != nullptr && isatty(fileno(out)) == 1;
}

bool is_refused() {
  const char* const refused = std::getenv("NO_COLOR");
  return refused != nullptr && *refused != '\0';
}

bool has_colours(report::ColourWhen when, std::FILE* out) {
  if (when != report::ColourWhen::Auto) return when == report::ColourWhen::Always;
  const char* const terminal = std::getenv("TERM");
  return !is_refused() && terminal != nullptr && std::string_view(terminal) != "dumb" && is_terminal(out);
}

/// Links only on a terminal, whatever the setting for colours: they have no place in a file.
report::Hyperlinks links(report::ColourWhen when, std::FILE* out) {
  if (when == report::ColourWhen::Never || is_refused() || !is_terminal(out)) return {};
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {.form = report::link_form([](const char* name) -> const char* { return std::getenv(name); }),
          .host = host.data()};
}

/// Outside a repository the project is the folder with the nearest build description. Tests run in the build folder,
/// whose sources are elsewhere.
report::Viewpoint reader() {
  namespace fs = std::filesystem;
  report::Viewpoint from = viewpoint();
  std::error_code ignored;
  for (fs::path folder = from.folder; from.project.empty() && folder.has_relative_path();
       folder = folder.parent_path()) {
    for (const char* const name : {"CMakeLists.txt", "meson.build", "configure.ac"}) {
      if (fs::exists(folder / name, ignored)) from.project = folder.string();
    }
  }
  return from;
}

}  // namespace

std::size_t terminal_columns(std::FILE* out) {
  winsize size{};
  return is_terminal(out) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void add_text_options(CLI::App& app, TextArguments& arguments) {
  app.add_option("--color", arguments.color,
                 "colours in text: auto (on a terminal, unless NO_COLOR is set), always, never; never also means no "
                 "hyperlinks")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--explain", arguments.explain, "say more about each finding: what it means, and what to do");
  app.add_flag("--full-stacks", arguments.full_stacks, "show each frame of the system, and whole names of functions");
}

report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options, std::FILE* out) {
  const report::ColourWhen when = report::parse_colour(arguments.color).value_or(options.color);
  return {.strip_path_prefix = options.strip_path_prefix,
          .summary = options.print_summary,
          .from = reader(),
          .colour = has_colours(when, out),
          .links = links(when, out),
          .columns = terminal_columns(out),
          .explain = arguments.explain,
          .full_stacks = arguments.full_stacks,
          .sources = std::make_shared<report::SourceLines>()};
}

report::TextStyle text_style(const TextArguments& arguments, const report::RunOptions& options) {
  const bool is_file = !options.log_file(0).empty();
  return text_style(arguments, options, is_file ? nullptr : options.log_path == "stdout" ? stdout : stderr);
}

}  // namespace omen::cli
