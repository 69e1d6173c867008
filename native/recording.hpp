/// \file
/// A raw recording with values, as the interpreter wants it: the events of the whole run, and what each thread
/// recorded, in the thread's own order.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "capture/abi/values.hpp"
#include "trace/capture_info.hpp"
#include "trace/error.hpp"
#include "trace/trace.hpp"

namespace omen::native {

/// An event, or a value.
struct Item {
  bool is_event = false;
  abi::ValueKind kind{};   ///< of a value
  std::uint64_t bits = 0;  ///< of a value; of an event its number in `Recording::trace`
};

/// What a variable or an atomic is in memory.
struct Place {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< 0: not known, or it is no memory
  bool view = false;        ///< stands for one thread's atomic accesses
};

struct Recording {
  Trace trace;
  CaptureInfo info;
  std::vector<std::vector<Item>> threads;
  std::vector<Place> variables;  ///< by VariableId
  std::vector<Place> atomics;    ///< by AtomicId
};

std::expected<Recording, InputError> load_recording(const std::string& raw);

}  // namespace omen::native
