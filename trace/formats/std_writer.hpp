/// \file
/// Writes STD, the text format (docs/formats.md).
/// Invariant: the output reads back as the same events. Names that STD cannot hold are rejected, or, on request,
/// escaped.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "trace/formats/byte_sink.hpp"
#include "trace/sink.hpp"

namespace omen {

/// How to treat a name that STD cannot hold. `Escape` writes the offending bytes, and `%` itself, as `%` and two
/// hexadecimal digits, in every name. It keeps distinct names distinct, but no reader decodes them.
enum class StdNames : std::uint8_t { Refuse, Escape };

/// The text for a numeric location; null: the number. Bytes that STD cannot hold are escaped.
using NumberedLocation = std::function<std::string(LocationId)>;

class StdWriter final : public EventSink {
 public:
  explicit StdWriter(std::unique_ptr<ByteSink> bytes, StdNames policy = StdNames::Refuse,
                     NumberedLocation numbered = nullptr);

  std::expected<void, InputError> write(std::span<const Event> events, const Names& names) override;
  std::expected<void, InputError> finish(const Names& names) override;

 private:
  std::expected<void, InputError> check_new_names(const Names& names);
  std::expected<void, InputError> flush();

  std::unique_ptr<ByteSink> bytes_;
  StdNames policy_;
  NumberedLocation numbered_;
  std::string buffer_;
  std::array<std::size_t, kOperandKindCount + 1> checked_{};  ///< how many names were checked, per kind; locations last
};

}  // namespace omen
