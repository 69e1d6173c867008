/// \file
/// The bytes of an input, from a file, a pipe or memory. The readers of the formats use only this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "trace/error.hpp"

namespace omen {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// The next bytes, at least one unless the input has ended (then 0).
  virtual std::expected<std::size_t, InputError> read(std::span<char> out) = 0;

  /// Reads bytes from `offset` on, without changing what `read` returns next. Only if `size` is known.
  virtual std::expected<std::size_t, InputError> read_at(std::uint64_t offset, std::span<char> out) = 0;

  /// The size of the whole input; nothing for a pipe.
  virtual std::optional<std::uint64_t> size() const = 0;

  /// The input's name in messages.
  virtual const std::string& name() const = 0;
};

/// Reads until `out` is full or the input ends.
std::expected<std::size_t, InputError> read_fully(ByteSource& bytes, std::span<char> out);
std::expected<std::size_t, InputError> read_fully_at(ByteSource& bytes, std::uint64_t offset, std::span<char> out);

/// `-` is standard input.
std::expected<std::unique_ptr<ByteSource>, InputError> open_bytes(const std::string& path);

std::unique_ptr<ByteSource> bytes_in_memory(std::string content, std::string name);

/// `first`, which was already read from `rest`, and then `rest`.
std::unique_ptr<ByteSource> put_back(std::string first, std::unique_ptr<ByteSource> rest);

}  // namespace omen
