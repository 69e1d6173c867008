#include "report/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace omen::report {
namespace {

/// So many parts of the witness are looked at, from its end.
constexpr std::size_t kMostSegments = 4096;
/// So many synchronisations of each racing thread are wanted.
constexpr std::size_t kLastSyncs = 5;

/// Events of one thread in a row that make one line.
struct Segment {
  std::size_t first = 0;  ///< positions in the witness
  std::size_t last = 0;
  StepKind kind = StepKind::Run;
  bool kept = false;
  int worth = 0;  ///< those with less go first
};

class Shortener {
 public:
  Shortener(const SourceMap& map, std::span<const std::uint32_t> witness, std::span<const LockHeld> held)
      : map_(map), witness_(witness), held_(held) {}

  std::vector<ScheduleStep> run(std::size_t most) {
    cut();
    choose();
    drop(most);
    return lines();
  }

 private:
  const Event& event(std::size_t position) const { return map_.trace().events[witness_[position]]; }
  bool racing_thread(const Segment& segment) const {
    const std::size_t n = witness_.size();
    const ThreadId thread = event(segment.first).thread;
    return thread == event(n - 1).thread || thread == event(n - 2).thread;
  }
  bool is_sync(std::size_t position) const { return is_synchronisation(event(position).op) && !event(position).nested; }
  /// The same thing done again at the same place, as in a loop that waits.
  bool repeats(std::size_t position, const Segment& segment) const { return event(position) == event(segment.first); }

  /// Into segments, the last one first.
  void cut() {
    const std::size_t n = witness_.size();
    for (std::size_t at = n; at-- > 0;) {
      if (n - at <= 2) {
        segments_.push_back({at, at, StepKind::Access, true, 9});
        continue;
      }
      Segment& before = segments_.back();
      const StepKind kind = is_sync(at) ? StepKind::Sync : StepKind::Run;
      const bool joins = kind == before.kind && event(at).thread == event(before.first).thread &&
                         (kind == StepKind::Run || repeats(at, before));
      if (joins) {
        before.first = at;
      } else if (segments_.size() < kMostSegments) {
        segments_.push_back({at, at, kind, false, 0});
      } else {
        return;
      }
    }
  }

  void keep(Segment& segment, int worth) {
    segment.kept = true;
    segment.worth = std::max(segment.worth, worth);
  }

  void choose() {
    const std::size_t n = witness_.size();
    std::array<std::size_t, 2> wanted{kLastSyncs, kLastSyncs};
    std::array<std::size_t, 2> oldest{n, n};  // what is kept of each racing thread begins here
    for (Segment& segment : segments_) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (segment.kind != StepKind::Sync || event(segment.first).thread != event(n - 1 - i).thread) continue;
        const bool begins_held = std::ranges::find(held_, witness_[segment.last], &LockHeld::acquired) != held_.end();
        if (wanted[i] == 0 && !begins_held) continue;
        if (wanted[i] > 0) --wanted[i];
        oldest[i] = segment.first;
        keep(segment, begins_held ? 8 : 5);
        objects_.insert(object(event(segment.first)));
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (wanted[i] > 0) oldest[i] = 0;  // all that the thread did
    }
    const std::size_t earliest = std::min(oldest[0], oldest[1]);
    for (Segment& segment : segments_) {
      const Event& first = event(segment.first);
      if (segment.kept || segment.kind == StepKind::Access) continue;
      if (segment.kind == StepKind::Run) {
        for (std::size_t i = 0; i < 2; ++i) {
          if (first.thread == event(n - 1 - i).thread && segment.first >= oldest[i]) keep(segment, 2);
        }
      } else if (!racing_thread(segment) && segment.first >= earliest && objects_.contains(object(first))) {
        keep(segment, 4);
      } else if (first.op == Op::Fork) {
        for (std::size_t i = 0; i < 2; ++i) {
          if (first.target() == event(n - 1 - i).thread) keep(segment, 3);
        }
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
    while (line_count() > most) {
      Segment* least = nullptr;
      for (Segment& segment : segments_) {  // of the same worth the oldest, which stands last
        if (segment.kept && segment.worth < 8 && (least == nullptr || segment.worth <= least->worth)) least = &segment;
      }
      if (least == nullptr) return;
      least->kept = false;
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
    ScheduleStep step = step_of(map_, event(segment.last));
    step.kind = segment.kind;
    step.first = segment.first;
    step.last = segment.last;
    if (segment.kind == StepKind::Sync && segment.first != segment.last) {
      step.text += fmt::format(", {} times", segment.last - segment.first + 1);
    }
    if (segment.kind == StepKind::Run) step.text = run_text(segment);
    return step;
  }

  std::string run_text(const Segment& segment) const {
    const auto name = [](const Frame& frame) {
      if (frame.has_source()) return fmt::format("{}:{}", base_name(frame.file), frame.line);
      if (!frame.function.empty()) return frame.function;
      return frame.module.empty() ? fmt::format("{:#x}", frame.offset)
                                  : fmt::format("{}+{:#x}", base_name(frame.module), frame.offset);
    };
    const std::string from = name(map_.place(event(segment.first)));
    const std::string to = name(map_.place(event(segment.last)));
    return from == to ? fmt::format("runs {}", from) : fmt::format("runs {} … {}", from, to);
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
  std::vector<Segment> segments_;                            ///< the last one first
  std::set<std::pair<OperandKind, std::uint32_t>> objects_;  ///< that the racing threads' kept lines are about
};

std::string words(const SourceMap& map, const Event& event) {
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
      return fmt::format("reads atomic {} ({})", map.titled_atomic(event.atomic()), order);
    case Op::AtomicStore:
      return fmt::format("writes atomic {} ({})", map.titled_atomic(event.atomic()), order);
    case Op::AtomicRmw:
      return fmt::format("updates atomic {} ({})", map.titled_atomic(event.atomic()), order);
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

ScheduleStep step_of(const SourceMap& map, const Event& event) {
  ScheduleStep step;
  step.kind = is_synchronisation(event.op) ? StepKind::Sync : StepKind::Access;
  step.thread = static_cast<std::uint32_t>(event.thread);
  step.text = words(map, event);
  const Frame frame = map.place(event);
  step.file = frame.file;
  step.line = frame.line;
  step.function = frame.function;
  return step;
}

std::vector<ScheduleStep> short_schedule(const SourceMap& map, std::span<const std::uint32_t> witness,
                                         std::span<const LockHeld> held, std::size_t most) {
  if (witness.size() < 2) return {};
  return Shortener(map, witness, held).run(most);
}

}  // namespace omen::report
