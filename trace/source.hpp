/// \file
/// The origin of events. A source streams: it returns one block at a time and stores only names.
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

  /// The next events in trace order; an empty block is the end. The block, and the results of `error_at` for it, are
  /// valid until the next call. After an error the source must not be used.
  virtual std::expected<std::span<Event>, InputError> next() = 0;

  /// An error about the i-th event of the current block, with its position in the file.
  virtual InputError error_at(std::size_t i, std::string message) const = 0;

  /// Grows while events are read: every identifier in a returned block has a name.
  virtual const Names& names() const = 0;

  /// How much of the input has been read, from 0 to 1, for progress; negative if unknown (a pipe).
  virtual double progress() const { return -1; }
};

}  // namespace omen
