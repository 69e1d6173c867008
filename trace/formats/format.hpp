/// \file
/// The formats by name, and functions that open and create a trace in any of them.
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

/// The format by the file's first bytes. `Auto` for a pipe, whose bytes would be consumed.
std::expected<Format, InputError> format_of(const std::string& path);

/// Opens a trace; `-` is standard input. `Auto` decides by the first bytes, not by the name. The events have not been
/// checked for well-formedness: read them through `ValidatedSource`.
std::expected<std::unique_ptr<EventSource>, InputError> open_trace(const std::string& path,
                                                                   Format format = Format::Auto);

/// Creates a trace; `-` is standard output. `Auto` means `.omen` if the name ends so, else STD. The file appears
/// complete, in `finish`; a sink that is destroyed before leaves nothing.
std::expected<std::unique_ptr<EventSink>, InputError> create_trace(const std::string& path,
                                                                   Format format = Format::Auto,
                                                                   StdNames names = StdNames::Refuse,
                                                                   NumberedLocation numbered = nullptr);

/// A trace in memory; `name` is its name in messages.
std::unique_ptr<EventSource> read_std(std::string text, std::string name = "memory");
std::unique_ptr<EventSource> read_omen(std::string content, std::string name = "memory");

}  // namespace omen
