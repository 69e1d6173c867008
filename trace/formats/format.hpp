/// \file
/// The formats by name, and the one way to open and to create a trace whatever its format.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/formats/std_writer.hpp"
#include "trace/sink.hpp"
#include "trace/source.hpp"

namespace omen {

enum class Format : std::uint8_t { Auto, Std, Omen };

/// `auto`, `std`, `omen`.
std::optional<Format> parse_format(std::string_view name);

/// What a file's first bytes say. `Auto` for a pipe, where looking would take them.
std::expected<Format, InputError> format_of(const std::string& path);

/// Opens a trace; `-` is standard input. `Auto` decides by the first bytes, not by the name. The events are not yet
/// known to be well formed: read them through `ValidatedSource`.
std::expected<std::unique_ptr<EventSource>, InputError> open_trace(const std::string& path,
                                                                   Format format = Format::Auto);

/// Creates a trace; `-` is standard output. `Auto` is `.omen` where the name ends so, else STD. The file appears in
/// `finish`, whole; a sink that is destroyed before leaves nothing.
std::expected<std::unique_ptr<EventSink>, InputError> create_trace(const std::string& path,
                                                                   Format format = Format::Auto,
                                                                   StdNames names = StdNames::Refuse,
                                                                   NumberedLocation numbered = nullptr);

/// A trace in memory, under the name that messages use.
std::unique_ptr<EventSource> read_std(std::string text, std::string name = "memory");
std::unique_ptr<EventSource> read_omen(std::string content, std::string name = "memory");

}  // namespace omen
