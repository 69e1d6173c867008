/// \file
/// The events of a raw recording: two passes over the records in the order of the run. The first finds out what the
/// memory's variables are, which of it is used both plainly and atomically, and which locks are used irregularly
/// (survey.hpp); the second hands out the events, block by block, and may be made as often as they are wanted. Neither
/// keeps events: memory grows with the program's memory, threads and locks, not with the length of the run.
///
/// *Memory that is accessed both plainly and atomically.* Two atomic accesses never race; a plain and an atomic one do.
/// The event model keeps atomics apart from variables, so an atomic access by thread t is, beside its atomic event, an
/// access to a variable of its own, `x@t`, and a plain access to x is also one to every other thread's `x@t`. Atomic
/// accesses of different threads thus never meet, and each meets every plain one.
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
  /// Makes the first pass. If `stop` says so during this or a later pass, the pass ends, and for those that follow the
  /// run ends there too: `complete` is false.
  static std::expected<RecordedRun, InputError> open(const std::string& raw, Stop stop = {});
  RecordedRun(RecordedRun&&) noexcept;
  RecordedRun& operator=(RecordedRun&&) = delete;
  ~RecordedRun();

  /// Takes the next events; an error ends the pass.
  using Take = std::function<std::expected<void, InputError>(std::span<Event>)>;

  /// Accesses to memory that one thread alone uses, throughout the run, race with nothing and order nothing: for the
  /// question whether there is a race at all they can be left out.
  enum class Which : std::uint8_t { All, OfSharedMemory };

  /// The second pass, from the beginning. What is said below is about the latest. Variables have other numbers where
  /// not all events are wanted.
  std::expected<void, InputError> events(Which which, const Take& take);

  /// A value that the program recorded (capture/abi/values.hpp), and what else it has to do with.
  struct Value {
    std::uint32_t thread = 0;
    std::uint32_t kind = 0;
    std::uint64_t bits = 0;
    std::uint64_t event = 0;  ///< the events with smaller numbers come before it, those from there on behind it
  };
  using TakeValue = std::function<void(const Value&)>;
  /// As `events` of all, with the values between them.
  std::expected<void, InputError> events_and_values(const Take& take, const TakeValue& value);

  /// Of what occurs in the events so far, without the variables: they are many, and seldom asked for.
  const Names& names() const;
  /// With the variables.
  const Names& all_names();
  Names take_names();
  Names take_all_names();

  std::uint64_t event_count() const;  ///< of all, also of those that are left out
  /// Memory was accessed after it was freed and before it was given out again, be it by one thread.
  bool used_after_free() const;
  std::uint64_t synchronisations() const;
  std::uint64_t threads() const;
  bool complete() const;  ///< recording did not stop before the program

  const std::string& suppressions() const;  ///< that the program itself brings

  /// Without the heap blocks. The stacks are those of the events so far.
  const CaptureInfo& info() const;
  /// Those that the events have allocated so far, where all are wanted; they are taken out.
  std::vector<HeapBlock> take_blocks();
  /// The scheduling points so far, as the blocks.
  std::vector<SchedulingPoint> take_points();

 private:
  explicit RecordedRun(std::unique_ptr<FirstPass> first);

  std::unique_ptr<FirstPass> first_;
  std::unique_ptr<EventWriter> second_;
};

}  // namespace omen::recording
