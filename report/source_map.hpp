/// \file
/// From the numbers of a recorded trace to what people call things: stacks, threads, locks, variables. Works, with less
/// to say, for a trace that no recorder wrote: then the trace's own names and locations are used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/race_report.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/capture_info.hpp"
#include "trace/trace.hpp"

namespace omen::report {

/// `0xADDRESS:BYTES`, the name of a recorded variable, or `0xADDRESS`, that of a lock or an atomic.
struct Place {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0: not said
};
std::optional<Place> parse_place(const std::string& name);

/// `file:line:column` or `file:line`; anything else is taken for a function.
Frame frame_of(const std::string& location);

class SourceMap {
 public:
  /// No stack has more frames in a report; a recursion without end is cut.
  static constexpr std::size_t kMostFrames = 256;

  /// All of them outlive the map.
  SourceMap(const Trace& trace, const CaptureInfo& info, symbolize::Symbolizer& symbolizer)
      : trace_(trace), info_(info), symbolizer_(symbolizer) {}

  const Trace& trace() const { return trace_; }
  const CaptureInfo& info() const { return info_; }

  /// Of the event's location; empty if nothing is known.
  Stack stack(const Event& event) const;
  Stack stack_of_node(std::uint32_t node) const;

  /// The frame to show for the event, as `Race::place` chooses it; without anything known, an empty one.
  Frame place(const Event& event) const;
  /// The same in the program's own source, if the place is in a header of the system: where a lock is taken, say, not
  /// where the library takes it.
  Frame user_place(const Event& event) const;

  bool is_main(ThreadId thread) const;
  std::string label(ThreadId thread) const;          ///< "main", "T1"
  std::string label(LockId lock) const;              ///< "M0"
  std::string titled(LockId lock) const;             ///< "M0 'guard'"
  std::string titled(VariableId variable) const;     ///< "'total'", or its address
  std::string titled_atomic(AtomicId atomic) const;  ///< "atomic 'ready'", "pipe or file"
  /// Where the atomic stands for the state that code without instrumentation keeps behind a lock: the lock's title.
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
