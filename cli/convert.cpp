/// \file
/// `omen convert IN OUT`: a trace in another format. The input is checked on the way; a bad one leaves no output.
#include <memory>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "trace/validated_source.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string in;
  std::string out;
  Format from = Format::Auto;
  Format to = Format::Auto;
  bool escape = false;
};

std::expected<int, InputError> run(const Options& options) {
  auto opened = open_trace(options.in, options.from);
  if (!opened) return std::unexpected(std::move(opened.error()));
  ValidatedSource source(std::move(*opened));
  auto sink = create_trace(options.out, options.to, options.escape ? StdNames::Escape : StdNames::Refuse);
  if (!sink) return std::unexpected(std::move(sink.error()));

  Progress progress("converting " + options.in);
  std::uint64_t events = 0;
  while (true) {
    const auto block = source.next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) break;
    if (auto written = (*sink)->write(*block, source.names()); !written) return std::unexpected(written.error());
    events += block->size();
    progress.update(events, source.progress());
  }
  if (auto finished = (*sink)->finish(source.names()); !finished) return std::unexpected(finished.error());
  return kExitNothingFound;
}

const Command command{
    "convert", "Write a trace in another format", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("IN", options->in, "the trace to read; '-' is standard input")->required();
      app.add_option("OUT", options->out, "the trace to write; '-' is standard output")->required();
      add_format(app, "--from", options->from, "the format of IN; auto looks at its first bytes");
      add_format(app, "--to", options->to, "the format of OUT; auto is omen if it ends in .omen, else std");
      app.add_flag("--escape-names", options->escape,
                   "write what STD cannot hold in a name ('|', parentheses, …) as %XX instead of refusing it");
      app.footer("Examples:\n  omen convert t.std t.omen\n  omen convert t.omen - | grep 'w(x)'");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
