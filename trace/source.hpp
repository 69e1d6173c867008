/// \file
/// Where events come from. A source streams: it hands out one block at a time and remembers only names.
#pragma once

#include <expected>
#include <span>
#include <string>

#include "trace/error.hpp"
#include "trace/event.hpp"
#include "trace/names.hpp"

namespace omen {

class EventSource {
 public:
  virtual ~EventSource() = default;

  /// The next events in trace order; an empty block is the end. The block, and what `error_at` says of it, are valid
  /// until the next call. After an error the source is spent.
  virtual std::expected<std::span<Event>, InputError> next() = 0;

  /// An error about the i-th event of the current block, with its position in the file.
  virtual InputError error_at(std::size_t i, std::string message) const = 0;

  /// Grows while events are read: every identifier in a block that was handed out has a name.
  virtual const Names& names() const = 0;

  /// How much of the input has been read, from 0 to 1, for progress; negative where that is not known (a pipe).
  virtual double progress() const { return -1; }
};

}  // namespace omen
