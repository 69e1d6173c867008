/// \file
/// The requirements of the fuzz targets: a reader rejects bytes with a position, or returns a well-formed trace that
/// survives conversion to every format. The unit tests apply them to the corpus.
#pragma once

#include <optional>
#include <string>

#include "trace/error.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/formats/format.hpp"
#include "trace/formats/omen_file.hpp"
#include "trace/formats/omen_writer.hpp"
#include "trace/formats/std_writer.hpp"
#include "trace/trace.hpp"

namespace omen::fuzz {

inline std::string lines_of(const std::vector<Event>& events, const Names& names) {
  std::string lines;
  for (const Event& event : events) lines.append(to_text(event, names)).append("\n");
  return lines;
}

inline std::expected<std::string, InputError> written(const Trace& trace, EventSink& sink, const std::string& out) {
  if (auto ok = sink.write(trace.events, trace.names); !ok) return std::unexpected(ok.error());
  if (auto ok = sink.finish(trace.names); !ok) return std::unexpected(ok.error());
  return out;
}

inline std::expected<std::string, InputError> as_std(const Trace& trace) {
  std::string out;
  StdWriter writer(bytes_to_memory(out, "out.std"));
  return written(trace, writer, out);
}

/// Blocks of a few events, so that small inputs have several.
inline std::expected<std::string, InputError> as_omen(const Trace& trace) {
  std::string out;
  OmenWriter writer(bytes_to_memory(out, "out.omen"), 7);
  return written(trace, writer, out);
}

inline std::string by_blocks(const std::string& content) {
  auto file = OmenFile::open(bytes_in_memory(content, "blocks.omen"));
  OMEN_CHECK(file.has_value());
  std::string lines;
  for (std::size_t block = 0; block < file->blocks(); ++block) {
    const auto events = file->read_block(block);
    OMEN_CHECK(events.has_value());
    lines += lines_of(*events, file->names());
  }
  return lines;
}

/// The trace's lines, or nothing if it is rejected.
inline std::optional<std::string> read_back(std::unique_ptr<EventSource> source) {
  const auto trace = load(std::move(source));
  if (!trace) {
    OMEN_CHECK(!trace.error().file.empty() && !trace.error().position.empty() && !trace.error().message.empty());
    return std::nullopt;
  }
  return lines_of(trace->events, trace->names);
}

/// Checks one input in the given format; true if it is a trace.
inline bool round_trip(Format format, const std::string& content) {
  auto trace = load(format == Format::Std ? read_std(content, "in.std") : read_omen(content, "in.omen"));
  if (!trace) {
    OMEN_CHECK(!trace.error().file.empty() && !trace.error().position.empty() && !trace.error().message.empty());
    return false;
  }
  const std::string lines = lines_of(trace->events, trace->names);
  if (format == Format::Omen) OMEN_CHECK(by_blocks(content) == lines);

  const auto omen = as_omen(*trace);
  OMEN_CHECK(omen.has_value());
  OMEN_CHECK(read_back(read_omen(*omen)) == lines);
  OMEN_CHECK(by_blocks(*omen) == lines);

  const auto text = as_std(*trace);
  OMEN_CHECK(text.has_value() || format == Format::Omen);  // only `.omen` has names that STD cannot hold
  if (text) {
    OMEN_CHECK(*text == lines);
    OMEN_CHECK(read_back(read_std(*text)) == lines);
  }
  return true;
}

}  // namespace omen::fuzz
