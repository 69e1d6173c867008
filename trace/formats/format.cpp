#include "trace/formats/format.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "trace/formats/byte_sink.hpp"
#include "trace/formats/byte_source.hpp"
#include "trace/formats/omen_layout.hpp"
#include "trace/formats/omen_reader.hpp"
#include "trace/formats/omen_writer.hpp"
#include "trace/formats/std_reader.hpp"
#include "trace/formats/std_writer.hpp"

namespace omen {

std::optional<Format> parse_format(std::string_view name) {
  if (name == "auto") return Format::Auto;
  if (name == "std") return Format::Std;
  if (name == "omen") return Format::Omen;
  return std::nullopt;
}

namespace {

std::unique_ptr<EventSource> read_trace(std::unique_ptr<ByteSource> bytes, Format format) {
  if (format == Format::Omen) return std::make_unique<OmenReader>(std::move(bytes));
  return std::make_unique<StdReader>(std::move(bytes));
}

using FirstBytes = std::array<char, layout::kMagic.size()>;

/// An empty file is an empty STD trace, unless its name requires another format.
Format decide(std::string_view first, const std::string& path) {
  if (first.empty()) return path.ends_with(".omen") ? Format::Omen : Format::Std;
  const bool is_omen = first.front() == layout::kMagic.front() || first.substr(1).starts_with("OMEN");
  return is_omen ? Format::Omen : Format::Std;
}

}  // namespace

std::expected<Format, InputError> format_of(const std::string& path) {
  const auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(bytes.error());
  if (!(*bytes)->size()) return Format::Auto;
  FirstBytes first{};
  const auto count = read_fully_at(**bytes, 0, first);
  if (!count) return std::unexpected(count.error());
  return decide({first.data(), *count}, path);
}

std::expected<std::unique_ptr<EventSource>, InputError> open_trace(const std::string& path, Format format) {
  auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  if (format == Format::Auto) {
    FirstBytes first{};
    const auto count = read_fully(**bytes, first);
    if (!count) return std::unexpected(count.error());
    const std::string_view seen(first.data(), *count);
    format = decide(seen, path);
    bytes = put_back(std::string(seen), std::move(*bytes));
  }
  return read_trace(std::move(*bytes), format);
}

std::expected<std::unique_ptr<EventSink>, InputError> create_trace(const std::string& path, Format format,
                                                                   StdNames names, NumberedLocation numbered) {
  if (format == Format::Auto) format = path.ends_with(".omen") ? Format::Omen : Format::Std;
  auto bytes = create_bytes(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  if (format == Format::Omen) return std::make_unique<OmenWriter>(std::move(*bytes));
  return std::make_unique<StdWriter>(std::move(*bytes), names, std::move(numbered));
}

std::unique_ptr<EventSource> read_std(std::string text, std::string name) {
  return read_trace(bytes_in_memory(std::move(text), std::move(name)), Format::Std);
}

std::unique_ptr<EventSource> read_omen(std::string content, std::string name) {
  return read_trace(bytes_in_memory(std::move(content), std::move(name)), Format::Omen);
}

}  // namespace omen
