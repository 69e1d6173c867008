#include "report/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/attempt_words.hpp"

namespace omen::report {
namespace {

/// The most segments of a witness that are examined, from its end.
constexpr std::size_t kMostSegments = 4096;
/// Number of synchronisations to keep of each racing thread.
constexpr std::size_t kLastSyncs = 5;
/// Number of events at each end of a segment whose locations are tried.
constexpr std::size_t kMostPlaces = 16;
/// Of these, the number that is dropped only after everything older.
constexpr std::size_t kLateSyncs = 2;

/// Consecutive events of one thread that share one line.
struct Segment {
  std::size_t first = 0;  ///< position in the witness
  std::size_t last = 0;
  StepKind kind = StepKind::Run;
  bool section = false;  ///< a Sync that is a whole critical section, uninterrupted by other threads
  bool kept = false;
  bool stays = false;  ///< never dropped
  bool late = false;   ///< dropped only after all segments that are not
};

class Shortener {
 public:
  Shortener(const SourceMap& map, std::span<const std::uint32_t> witness, std::span<const LockHeld> held,
            std::size_t goals)
      : map_(map), witness_(witness), held_(held), goals_(goals) {}

  std::vector<ScheduleStep> run(std::size_t most) {
    cut();
    join_sections();
    choose();
    drop(most);
    return lines();
  }

 private:
  const Event& event(std::size_t position) const { return map_.trace().events[witness_[position]]; }
  bool racing_thread(const Segment& segment) const {
    const ThreadId thread = event(segment.first).thread;
    for (std::size_t i = 0; i < goals_; ++i) {
      if (thread == event(witness_.size() - 1 - i).thread) return true;
    }
    return false;
  }
  bool is_sync(std::size_t position) const { return is_synchronisation(event(position).op) && !event(position).nested; }
  /// The same event at the same location, as in a loop that waits.
  bool repeats(std::size_t position, const Segment& segment) const { return event(position) == event(segment.first); }

  /// For a wake-up at this position: true if another thread may have signalled it since its wait began. The trace has
  /// no signals. A candidate is an event of another thread that, in the recorded run, is between the wait and the wake.
  /// If another thread unlocked the mutex in between, as signalling threads usually do, only unlocks count.
  bool may_be_signalled(std::size_t position) const {
    const std::uint32_t wakes = witness_[position];
    const Event& wake = event(position);
    std::uint32_t waits = wakes;
    while (waits > 0 &&
           !(map_.trace().events[waits].thread == wake.thread && map_.trace().events[waits].op == Op::Wait))
      --waits;
    const auto unlocks = [&](const Event& other) {
      return other.thread != wake.thread && !other.nested && other.operand == wake.operand &&
             (other.op == Op::Release || other.op == Op::Wait);
    };
    const auto between = std::span(map_.trace().events).subspan(waits, wakes - waits);
    const bool by_lock = std::ranges::any_of(between, unlocks);
    for (std::size_t at = position; at-- > 0 && witness_[at] != waits;) {
      if (witness_[at] <= waits || witness_[at] >= wakes) continue;
      if (by_lock ? unlocks(event(at)) : event(at).thread != wake.thread) return true;
    }
    return false;
  }

  /// Splits the witness into segments, the last one first.
  void cut() {
    const std::size_t n = witness_.size();
    for (std::size_t at = n; at-- > 0;) {
      if (n - at <= goals_) {
        segments_.push_back({at, at, StepKind::Access, false, true, true});
        continue;
      }
      Segment& before = segments_.back();
      const StepKind kind = is_sync(at) ? StepKind::Sync : StepKind::Run;
      const bool joins = kind == before.kind && event(at).thread == event(before.first).thread &&
                         (kind == StepKind::Run || repeats(at, before));
      if (joins) {
        before.first = at;
      } else if (segments_.size() < kMostSegments) {
        segments_.push_back({at, at, kind});
      } else {
        return;
      }
    }
  }

  /// True if `later` ends the critical section that `earlier` begins. Both are Sync; the caller has checked the events
  /// in between.
  bool section(const Segment& earlier, const Segment& later) const {
    const Event& begin = event(earlier.first);
    const Event& end = event(later.first);
    const bool fits = (begin.op == Op::Acquire && end.op == Op::Release) ||
                      (begin.op == Op::AcquireShared && end.op == Op::ReleaseShared);
    return fits && begin.operand == end.operand && begin.thread == end.thread && earlier.first == earlier.last &&
           later.first == later.last && !earlier.section && !later.section;
  }

  /// Merges a critical section with at most one run of accesses in it into one segment.
  void join_sections() {
    std::vector<Segment> joined;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      Segment segment = segments_[i];
      if (segment.kind == StepKind::Sync) {
        const std::size_t inner = i + 1 < segments_.size() && segments_[i + 1].kind == StepKind::Run &&
                                          event(segments_[i + 1].first).thread == event(segment.first).thread
                                      ? 1
                                      : 0;
        const std::size_t begin = i + 1 + inner;
        if (begin < segments_.size() && segments_[begin].kind == StepKind::Sync && section(segments_[begin], segment)) {
          segment.first = segments_[begin].first;
          segment.section = true;
          i = begin;
        }
      }
      joined.push_back(segment);
    }
    segments_ = std::move(joined);
  }

  void choose() {
    const std::size_t n = witness_.size();
    std::vector<std::size_t> wanted(goals_, kLastSyncs);
    std::vector<std::size_t> oldest(goals_, n);  // for each racing thread the position where its kept part begins
    for (Segment& segment : segments_) {
      for (std::size_t i = 0; i < goals_; ++i) {
        if (segment.kind != StepKind::Sync || event(segment.first).thread != event(n - 1 - i).thread) continue;
        const bool begins_held = std::ranges::find(held_, witness_[segment.last], &LockHeld::acquired) != held_.end();
        if (wanted[i] == 0 && !begins_held) continue;
        segment.kept = true;
        segment.stays = begins_held;
        segment.late = wanted[i] + kLateSyncs > kLastSyncs;
        if (wanted[i] > 0) {
          --wanted[i];
          oldest[i] = segment.first;
        }
        objects_.insert(object(event(segment.first)));
      }
    }
    for (std::size_t i = 0; i < goals_; ++i) {
      if (wanted[i] > 0) oldest[i] = 0;  // keep everything that the thread did
    }
    const std::size_t earliest = std::ranges::min(oldest);
    for (Segment& segment : segments_) {
      const Event& first = event(segment.first);
      if (segment.kept) continue;
      const bool related = segment.kind == StepKind::Sync && !racing_thread(segment) && segment.first >= earliest &&
                           objects_.contains(object(first));
      segment.kept = related;
      for (std::size_t i = 0; i < goals_; ++i) {
        const ThreadId racing = event(n - 1 - i).thread;
        segment.kept |= segment.kind == StepKind::Run && first.thread == racing && segment.first >= oldest[i];
        segment.kept |= first.op == Op::Fork && first.target() == racing;
      }
    }
  }

  static std::pair<OperandKind, std::uint32_t> object(const Event& event) {
    return {traits(event.op).operand, event.operand};
  }

  std::size_t line_count() const {
    std::size_t count = 0;
    std::size_t end = witness_.size();
    for (const Segment& segment : segments_) {
      if (!segment.kept) continue;
      count += segment.last + 1 == end ? 1 : 2;
      end = segment.first;
    }
    return count + (end == 0 ? 0 : 1);
  }

  void drop(std::size_t most) {
    for (const bool late : {false, true}) {
      for (std::size_t i = segments_.size(); i-- > 0 && line_count() > most;) {
        if (!segments_[i].stays && segments_[i].late == late) segments_[i].kept = false;
      }
    }
  }

  ScheduleStep left_out(std::size_t first, std::size_t last) const {
    ScheduleStep step;
    step.kind = StepKind::LeftOut;
    step.first = first;
    step.last = last;
    const std::size_t count = last - first + 1;
    step.text = fmt::format("({} event{} left out)", count, count == 1 ? "" : "s");
    return step;
  }

  ScheduleStep line(const Segment& segment) const {
    ScheduleStep step = step_of(map_, witness_[segment.last]);
    step.recorded = {{witness_[segment.first], witness_[segment.last]}};
    step.kind = segment.kind;
    step.first = segment.first;
    step.last = segment.last;
    if (event(segment.first).op == Op::Wake && !may_be_signalled(segment.first)) {
      step.text += " (spurious wake-up: nobody signals)";
    }
    if (segment.section) {
      const ScheduleStep begin = step_of(map_, witness_[segment.first]);
      step.text = begin.text;
      if (!begin.file.empty()) step.text += fmt::format(" at {}:{}", base_name(begin.file), begin.line);
      step.text += " and unlocks it";
    } else if (segment.kind == StepKind::Sync && segment.first != segment.last) {
      step.text += fmt::format(", {} times", segment.last - segment.first + 1);
    }
    if (segment.kind == StepKind::Run) step.text = run_text(segment);
    return step;
  }

  std::string run_text(const Segment& segment) const {
    const auto name = [](const Frame& frame) -> std::string {
      if (frame.has_source()) return fmt::format("{}:{}", base_name(frame.file), frame.line);
      if (!frame.function.empty()) return frame.function;
      if (!frame.module.empty()) return fmt::format("{}+{:#x}", base_name(frame.module), frame.offset);
      return frame.offset == 0 ? "" : fmt::format("{:#x}", frame.offset);
    };
    // A thread's begin has no location, and neither have actions of the C library.
    const std::size_t asked = std::min(segment.last - segment.first + 1, kMostPlaces);
    std::string from;
    std::string to;
    for (std::size_t i = 0; i < asked && from.empty(); ++i) from = name(map_.user_place(event(segment.first + i)));
    for (std::size_t i = 0; i < asked && to.empty(); ++i) to = name(map_.user_place(event(segment.last - i)));
    if (from.empty() && to.empty()) return std::string(event(segment.first).op == Op::Begin ? "begins" : "runs");
    if (from.empty() || to.empty() || from == to) return "runs " + (from.empty() ? to : from);
    return fmt::format("runs {} … {}", from, to);
  }

  std::vector<ScheduleStep> lines() const {
    std::vector<ScheduleStep> steps;
    std::size_t next = 0;
    for (std::size_t i = segments_.size(); i-- > 0;) {
      const Segment& segment = segments_[i];
      if (!segment.kept) continue;
      if (segment.first > next) steps.push_back(left_out(next, segment.first - 1));
      steps.push_back(line(segment));
      next = segment.last + 1;
    }
    return steps;
  }

  const SourceMap& map_;
  std::span<const std::uint32_t> witness_;
  std::span<const LockHeld> held_;
  std::size_t goals_;              ///< number of goals: the pair, or the requests, at the end of the witness
  std::vector<Segment> segments_;  ///< the last one first
  std::set<std::pair<OperandKind, std::uint32_t>>
      objects_;  ///< the objects that the racing threads' kept synchronisations use
};

std::string words(const SourceMap& map, const Event& event) {
  if (const auto attempt = attempt_words(map, event)) return *attempt;
  const std::string order(name(event.order));
  switch (event.op) {
    case Op::Read:
      return "reads " + map.titled(event.variable());
    case Op::Write:
      return "writes " + map.titled(event.variable());
    case Op::Free:
      return "frees " + map.titled(event.variable());
    case Op::Allocate:
      return "allocates " + map.titled(event.variable());
    case Op::Acquire:
      return "locks " + map.titled(event.lock());
    case Op::Release:
      return "unlocks " + map.titled(event.lock());
    case Op::AcquireShared:
      return "read-locks " + map.titled(event.lock());
    case Op::ReleaseShared:
      return "read-unlocks " + map.titled(event.lock());
    case Op::Wait:
      return "waits, and gives up " + map.titled(event.lock());
    case Op::Wake:
      return "wakes up with " + map.titled(event.lock());
    case Op::BarrierArrive:
      return fmt::format("reaches barrier B{}", index(event.barrier()));
    case Op::BarrierLeave:
      return fmt::format("passes barrier B{}", index(event.barrier()));
    case Op::AtomicLoad:
      if (const auto lock = map.hidden_state(event.atomic())) {
        return fmt::format("may read what code without instrumentation keeps under {}", *lock);
      }
      return fmt::format("reads {} ({})", map.titled_atomic(event.atomic()), order);
    case Op::AtomicStore:
      return fmt::format("writes {} ({})", map.titled_atomic(event.atomic()), order);
    case Op::AtomicRmw:
      if (const auto lock = map.hidden_state(event.atomic())) {
        return fmt::format("calls code without instrumentation, which may keep state under {}", *lock);
      }
      return fmt::format("updates {} ({})", map.titled_atomic(event.atomic()), order);
    case Op::Fence:
      return fmt::format("fence ({})", order);
    case Op::Fork:
      return "creates " + map.label(event.target());
    case Op::Join:
      return "joins " + map.label(event.target());
    case Op::Begin:
      return "begins";
    case Op::End:
      return "ends";
  }
  return {};
}

}  // namespace

ScheduleStep step_of(const SourceMap& map, std::uint64_t at) {
  const Event& event = map.trace().events[at];
  ScheduleStep step;
  step.recorded = {{at, at}};
  step.kind = is_synchronisation(event.op) ? StepKind::Sync : StepKind::Access;
  step.thread = static_cast<std::uint32_t>(event.thread);
  step.text = words(map, event);
  const Frame frame = map.user_place(event);
  step.file = frame.file;
  step.line = frame.line;
  step.function = frame.function;
  return step;
}

std::vector<ScheduleStep> short_schedule(const SourceMap& map, std::span<const std::uint32_t> witness,
                                         std::span<const LockHeld> held, std::size_t most, std::size_t goals) {
  if (witness.size() < goals) return {};
  return Shortener(map, witness, held, goals).run(most);
}

}  // namespace omen::report
