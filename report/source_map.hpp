/// \file
/// Maps the numbers of a recorded trace to source terms: stacks, threads, locks, variables. For a trace without a
/// recorder's data it returns the trace's own names and locations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/race_report.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/capture_info.hpp"
#include "trace/trace.hpp"

namespace omen::report {

/// Parses `0xADDRESS:BYTES`, the name of a recorded variable, or `0xADDRESS`, that of a lock or an atomic.
struct Place {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0: not in the name
};
std::optional<Place> parse_place(const std::string& name);

/// Parses `file:line:column` or `file:line`; any other text becomes a function's name.
Frame frame_of(const std::string& location);

class SourceMap {
 public:
  /// The most frames of a stack in a report; endless recursion is truncated.
  static constexpr std::size_t kMostFrames = 256;

  /// All arguments must outlive the map.
  SourceMap(const Trace& trace, const CaptureInfo& info, symbolize::Symbolizer& symbolizer)
      : trace_(trace), info_(info), symbolizer_(symbolizer) {}

  const Trace& trace() const { return trace_; }
  const CaptureInfo& info() const { return info_; }

  /// The stack of the event's location; empty if it is unknown.
  Stack stack(const Event& event) const;
  Stack stack_of_node(std::uint32_t node) const;

  /// The frame that `Race::place` chooses for the event; an empty one if nothing is known.
  Frame place(const Event& event) const;
  /// The same in the program's own source if the place is in a system header: where the program acquires a lock, not
  /// where the library's inline function does.
  Frame user_place(const Event& event) const;

  bool is_main(ThreadId thread) const;
  std::string label(ThreadId thread) const;          ///< "main", "T1"
  std::string label(LockId lock) const;              ///< "M0"
  std::string titled(LockId lock) const;             ///< "M0 'guard'"
  std::string titled(VariableId variable) const;     ///< "'total'", or its address
  std::string titled_atomic(AtomicId atomic) const;  ///< "atomic 'ready'", "pipe or file"
  /// For an atomic that represents hidden state of uninstrumented code: the title of the lock that guards it.
  std::optional<std::string> hidden_state(AtomicId atomic) const;
  std::string titled_object(const std::string& name) const { return titled(name); }

  /// The global variable at the lock's address.
  std::string global_name(LockId lock) const;
  std::optional<symbolize::Global> global_at(std::uint64_t address) const { return symbolizer_.global_at(address); }

 private:
  std::string titled(const std::string& name) const;

  const Trace& trace_;
  const CaptureInfo& info_;
  symbolize::Symbolizer& symbolizer_;
};

}  // namespace omen::report
