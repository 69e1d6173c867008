/// \file
/// From a raw recording to a trace: two passes over the records in the order of the run. The first finds out what the
/// memory's variables are, which of it is used both plainly and atomically, and which locks are used irregularly; the
/// second writes the events.
///
/// *Memory that is accessed both plainly and atomically.* Two atomic accesses never race; a plain and an atomic one do.
/// The event model keeps atomics apart from variables, so an atomic access by thread t is, beside its atomic event, an
/// access to a variable of its own, `x@t`, and a plain access to x is also one to every other thread's `x@t`. Atomic
/// accesses of different threads thus never meet, and each meets every plain one.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>

#include "trace/capture_info.hpp"
#include "trace/error.hpp"

namespace omen::recording {

struct Converted {
  std::uint64_t events = 0;
  std::uint64_t synchronisations = 0;
  std::uint64_t threads = 0;
  bool complete = true;  ///< recording did not stop before the program
  CaptureInfo info;
  std::string suppressions;  ///< that the program itself brings
};

/// Writes the trace of `raw` to `omen`. The file appears whole or not at all.
std::expected<Converted, InputError> convert(const std::string& raw, const std::string& omen);

}  // namespace omen::recording
