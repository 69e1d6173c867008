/// \file
/// The events of a raw recording, in two passes over the records in the order of the run. The first determines the
/// variables, the memory that is accessed both plainly and atomically, and the locks that are used irregularly
/// (survey.hpp). The second produces the events block by block, and can be repeated. Neither stores events: memory
/// grows with the program's memory, threads and locks, not with the length of the run.
///
/// *Memory that is accessed both plainly and atomically.* Two atomic accesses never race; a plain and an atomic one do.
/// The event model separates atomics from variables. So an atomic access by thread t is, in addition to its atomic
/// event, an access to a variable of its own, `x@t`, and a plain access to x is also one to every other thread's `x@t`.
/// Atomic accesses of different threads thus never conflict, and each conflicts with every plain one.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "capture/recording/stop.hpp"
#include "trace/capture_info.hpp"
#include "trace/error.hpp"
#include "trace/event.hpp"
#include "trace/names.hpp"

namespace omen::recording {

class EventWriter;
struct FirstPass;

class RecordedRun {
 public:
  /// Makes the first pass. If `stop` triggers during this or a later pass, the pass ends, and for the following passes
  /// the run ends there too: `complete` is false.
  static std::expected<RecordedRun, InputError> open(const std::string& raw, Stop stop = {});
  RecordedRun(RecordedRun&&) noexcept;
  RecordedRun& operator=(RecordedRun&&) = delete;
  ~RecordedRun();

  /// Receives the next events; an error ends the pass.
  using Take = std::function<std::expected<void, InputError>(std::span<Event>)>;

  /// Accesses to memory that only one thread uses throughout the run race with nothing and order nothing. A pass that
  /// only looks for races can leave them out.
  enum class Which : std::uint8_t { All, OfSharedMemory };

  /// The second pass, from the beginning. The accessors below describe the latest pass. Variables have other numbers in
  /// a pass that leaves events out.
  std::expected<void, InputError> events(Which which, const Take& take);

  /// A value that the program recorded (capture/abi/values.hpp), and its context.
  struct Value {
    std::uint32_t thread = 0;
    std::uint32_t kind = 0;
    std::uint64_t bits = 0;
    std::uint64_t event = 0;  ///< the number of events before it
  };
  using TakeValue = std::function<void(const Value&)>;
  /// As `events` for all events, with the values between them.
  std::expected<void, InputError> events_and_values(const Take& take, const TakeValue& value);

  /// The names that occur in the events so far, without the variables: they are many, and rarely needed.
  const Names& names() const;
  /// With the variables.
  const Names& all_names();
  Names take_names();
  Names take_all_names();

  std::uint64_t event_count() const;  ///< of all events, including those left out
  /// Memory was accessed after it was freed and before it was reallocated, possibly by the same thread.
  bool used_after_free() const;
  std::uint64_t synchronisations() const;
  std::uint64_t threads() const;
  bool complete() const;  ///< recording did not stop before the program

  const std::string& suppressions() const;  ///< the program's own suppressions

  /// Without the heap blocks. The stacks are those of the events so far.
  const CaptureInfo& info() const;
  /// Moves out the blocks that the events have allocated so far, in a pass over all events.
  std::vector<HeapBlock> take_blocks();
  /// Moves out the scheduling points so far, in a pass over all events.
  std::vector<SchedulingPoint> take_points();

 private:
  explicit RecordedRun(std::unique_ptr<FirstPass> first);

  std::unique_ptr<FirstPass> first_;
  std::unique_ptr<EventWriter> second_;
};

}  // namespace omen::recording
