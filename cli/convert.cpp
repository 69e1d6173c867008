/// \file
/// `omen convert IN OUT`: converts a trace to another format. It checks the input; an invalid one leaves no output.
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/report_input.hpp"
#include "cli/source_places.hpp"
#include "report/perfetto.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/validated_source.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string in;
  std::string out;
  Format from = Format::Auto;
  Format to = Format::Auto;
  bool escape = false;
  bool raw = false;
};

/// The recorder's data. If it is damaged the trace is converted without it, as far as its events are intact.
std::optional<CaptureInfo> known_by_recorder(const std::string& path) {
  auto info = read_capture_info(path);
  return info ? std::move(*info) : std::nullopt;
}

/// Writes the format of Perfetto and Chrome, with the trace's races.
std::expected<int, InputError> to_perfetto(const Options& options) {
  auto whole = whole_trace_of(options.in, options.from);
  if (!whole) return std::unexpected(std::move(whole.error()));
  auto out = create_bytes(options.out);
  if (!out) return std::unexpected(std::move(out.error()));
  const auto input = report_of_trace(whole->trace, whole->info, {});
  if (!input) return std::unexpected(input.error());
  symbolize::Symbolizer symbolizer(whole->info.modules);
  const report::SourceMap map(whole->trace, whole->info, symbolizer);
  if (auto written = report::write_perfetto(map, input->report, **out); !written) {
    return std::unexpected(std::move(written.error()));
  }
  return kExitNothingFound;
}

std::expected<int, InputError> run(const Options& options) {
  if (options.out.ends_with(".perfetto.json")) return to_perfetto(options);
  auto opened = open_trace(options.in, options.from);
  if (!opened) return std::unexpected(std::move(opened.error()));
  ValidatedSource source(std::move(*opened));
  auto info = options.in == "-" ? std::optional<CaptureInfo>() : known_by_recorder(options.in);
  std::unique_ptr<SourcePlaces> places;
  if (info && !info->stacks.empty()) places = std::make_unique<SourcePlaces>(*info);
  NumberedLocation numbered;
  if (places && !options.raw) numbered = [&](LocationId location) { return places->text(location); };
  auto sink = create_trace(options.out, options.to, options.escape ? StdNames::Escape : StdNames::Refuse, numbered);
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
  if (info) {
    if (auto attached = (*sink)->attach(*info, source.names()); !attached) return std::unexpected(attached.error());
  }
  if (auto finished = (*sink)->finish(source.names()); !finished) return std::unexpected(finished.error());
  return kExitNothingFound;
}

const Command command{
    "convert", "Write a trace in another format", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("IN", options->in, "the trace to read; '-' is standard input")->required();
      app.add_option("OUT", options->out,
                     "the trace to write; '-' is standard output; NAME.perfetto.json is for Perfetto and Chrome")
          ->required();
      add_format(app, "--from", options->from, "the format of IN; auto looks at its first bytes");
      add_format(app, "--to", options->to, "the format of OUT; auto is omen if it ends in .omen, else std");
      app.add_flag("--raw", options->raw,
                   "to STD, of a recorded trace: locations as numbers of stacks, not as places in the source");
      app.add_flag("--escape-names", options->escape,
                   "write what STD cannot hold in a name ('|', parentheses, …) as %XX instead of refusing it");
      app.footer(
          "Examples:\n  omen convert t.std t.omen\n  omen convert t.omen t.perfetto.json\n  omen convert t.omen - | "
          "grep 'w(x)'");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
