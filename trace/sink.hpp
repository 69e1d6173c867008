/// \file
/// The destination of events: the writers of the formats.
#pragma once

#include <expected>
#include <span>

#include "trace/capture_info.hpp"
#include "trace/error.hpp"
#include "trace/event.hpp"
#include "trace/names.hpp"

namespace omen {

class EventSink {
 public:
  virtual ~EventSink() = default;

  /// `names` has a name for every identifier in `events`, and only grows from call to call.
  virtual std::expected<void, InputError> write(std::span<const Event> events, const Names& names) = 0;

  /// Adds the recorder's data. Called once, after the last event and before `finish`. A format that cannot store the
  /// data ignores it.
  virtual std::expected<void, InputError> attach(const CaptureInfo& /*info*/, const Names& /*names*/) { return {}; }

  /// Completes the output. Without this call no output file appears.
  virtual std::expected<void, InputError> finish(const Names& names) = 0;
};

}  // namespace omen
