/// \file
/// `omen dump T`: events as text, one per line: index, thread, operation, location. It also shows ill-formed traces,
/// since it is the tool to examine them. In a `.omen` file it starts to read at the requested block.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>

#include "cli/command.hpp"
#include "cli/source_places.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/formats/omen_file.hpp"
#include "trace/quote.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string trace;
  Format format = Format::Auto;
  std::uint64_t from = 0;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  bool raw = false;
};

class Printer {
 public:
  /// `places` for a recorded trace; otherwise null.
  Printer(std::unique_ptr<ByteSink> out, const Options& options, SourcePlaces* places)
      : out_(std::move(out)), places_(places), from_(options.from), left_(options.count) {}

  bool done() const { return left_ == 0; }

  /// Prints the requested ones of `events`; the first has the index `first`.
  std::expected<void, InputError> print(std::uint64_t first, std::span<const Event> events, const Names& names) {
    const std::uint64_t skip = first < from_ ? from_ - first : 0;
    if (skip >= events.size()) return {};
    events = events.subspan(static_cast<std::size_t>(skip));
    events = events.first(static_cast<std::size_t>(std::min<std::uint64_t>(events.size(), left_)));
    first += skip;
    left_ -= events.size();
    for (const Event& event : events) line(first++, event, names);
    auto written = out_->write({text_.data(), text_.size()});
    text_.clear();
    return written;
  }

 private:
  void line(std::uint64_t index, const Event& event, const Names& names) {
    const OpTraits& op = traits(event.op);
    operation_.assign(op.name);
    append_suffix(operation_, event);
    if (op.operand != OperandKind::None) {
      operation_ += '(';
      operation_ += on_one_line(names.of(op.operand)[event.operand]);
      operation_ += ')';
    }
    fmt::format_to(std::back_inserter(text_), "{:>9}  {:<8}  {:<20}  {}\n", index, on_one_line(names.of(event.thread)),
                   operation_, on_one_line(place(event, names)));
  }

  /// "bank.cpp:26:9 in deposit(int), total"; for a trace without a recorder's data the location itself.
  std::string place(const Event& event, const Names& names) {
    if (places_ == nullptr) return names.text(event.location);
    std::string text = places_->text(event.location);
    const OperandKind kind = traits(event.op).operand;
    const std::string function = places_->function_at(text);
    if (!function.empty()) text += " in " + function;
    if (kind == OperandKind::None || kind == OperandKind::Thread) return text;
    const std::string object = places_->object(names.of(kind)[event.operand]);
    return object.empty() ? text : text.empty() ? object : text + ", " + object;
  }

  std::unique_ptr<ByteSink> out_;
  SourcePlaces* places_;
  std::uint64_t from_;
  std::uint64_t left_;
  fmt::memory_buffer text_;
  std::string operation_;
};

std::expected<void, InputError> by_index(const Options& options, Printer& printer) {
  auto file = OmenFile::open(options.trace);
  if (!file) return std::unexpected(std::move(file.error()));
  if (options.from >= file->events()) return {};
  for (std::size_t block = file->block_of(options.from); block < file->blocks() && !printer.done(); ++block) {
    const auto events = file->read_block(block);
    if (!events) return std::unexpected(events.error());
    if (auto ok = printer.print(file->first_event(block), *events, file->names()); !ok) return ok;
  }
  return {};
}

std::expected<void, InputError> from_the_start(const Options& options, Printer& printer) {
  auto source = open_trace(options.trace, options.format);
  if (!source) return std::unexpected(std::move(source.error()));
  std::uint64_t first = 0;
  while (!printer.done()) {
    const auto block = (*source)->next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) break;
    if (auto ok = printer.print(first, *block, (*source)->names()); !ok) return ok;
    first += block->size();
  }
  return {};
}

std::expected<int, InputError> run(const Options& options) {
  Format format = options.format;
  bool seekable = false;
  if (options.trace != "-") {
    const auto found = format_of(options.trace);
    if (!found) return std::unexpected(found.error());
    seekable = *found != Format::Auto;
    if (format == Format::Auto) format = *found;
  }
  std::unique_ptr<SourcePlaces> places;
  if (!options.raw) places = SourcePlaces::of_intact(options.trace);
  auto out = create_bytes("-");
  if (!out) return std::unexpected(std::move(out.error()));
  Printer printer(std::move(*out), options, places.get());
  // A whole trace is streamed, which also shows all intact events of a damaged file before the error.
  const bool seek = seekable && format == Format::Omen && options.from > 0;
  if (auto ok = seek ? by_index(options, printer) : from_the_start(options, printer); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  return kExitNothingFound;
}

const Command command{
    "dump", "Print a trace, one event a line: index, thread, operation, location", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      add_number(app, "--from", options->from, "the index of the first event to print, from 0");
      add_number(app, "--count", options->count, "how many events to print at most");
      add_format(app, "--format", options->format, "the format of TRACE");
      app.add_flag("--raw", options->raw, "locations as the trace has them: of a recorded trace, numbers of stacks");
      app.footer(
          "Of a recorded trace the location is the place in the source, its function, and the global "
          "variable\nthat is used, as far as the program's files are there.\n"
          "Example:\n  omen dump t.omen --from 1000000 --count 20");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
