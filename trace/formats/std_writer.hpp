/// \file
/// Writes STD, the text format (docs/formats.md).
/// Invariant: what is written reads back as the same events. Names that STD cannot hold are refused, or, if asked,
/// escaped.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "trace/formats/byte_sink.hpp"
#include "trace/sink.hpp"

namespace omen {

/// What to do with a name that STD cannot hold. `Escape` writes the offending bytes, and `%` itself, as `%` and two
/// hexadecimal digits, in every name. It keeps distinct names distinct, but no reader undoes it.
enum class StdNames : std::uint8_t { Refuse, Escape };

/// What to write for a location that is a number; null: the number. What STD cannot hold in it is escaped.
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
  std::array<std::size_t, kOperandKindCount + 1> checked_{};  ///< names found writable, per kind; locations last
};

}  // namespace omen
