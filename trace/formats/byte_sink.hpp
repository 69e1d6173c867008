/// \file
/// The output of the writers of the formats. A file appears complete or not at all: bytes go to an unnamed (or, where
/// the file system has none, a temporary) file in the same folder, which gets its name in `commit`.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "trace/error.hpp"

namespace omen {

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  virtual std::expected<void, InputError> write(std::span<const char> bytes) = 0;

  /// Nothing is written after this. Without it the output does not appear.
  virtual std::expected<void, InputError> commit() = 0;

  /// The output's name in messages.
  virtual const std::string& name() const = 0;
};

/// `-` is standard output. Standard output, devices and pipes are written directly.
std::expected<std::unique_ptr<ByteSink>, InputError> create_bytes(const std::string& path);

/// Appends to `out`, which must outlive the sink.
std::unique_ptr<ByteSink> bytes_to_memory(std::string& out, std::string name);

}  // namespace omen
