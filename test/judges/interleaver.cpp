#include "test/judges/interleaver.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "trace/well_formed.hpp"

namespace omen::judges {
namespace {

enum class Fate { Go, Block, Drop };

/// V0, L0, T0, B0, A0 …
std::string numbered(OperandKind kind, std::size_t number) {
  std::string text(1, "?VLTBA"[static_cast<std::size_t>(kind)]);
  text += std::to_string(number);
  return text;
}

struct ThreadState {
  bool started = false;
  bool needs_fork = false;
  bool forked = false;
  bool over = false;  ///< ended or joined
  bool tidy = true;   ///< releases its locks when its program is over
  std::optional<std::size_t> waits_for;
  std::map<std::size_t, std::size_t> exclusive;  ///< depth of each lock held in this mode
  std::map<std::size_t, std::size_t> shared;
  std::map<std::size_t, std::size_t> depth_before_wait;
  std::map<std::size_t, std::size_t> arrivals;
};

/// Decides which steps are legal and tracks the locks. The result is checked with `WellFormedness`, an independent
/// implementation.
class Interleaver {
 public:
  Interleaver(Scene scene, std::size_t max_events, Random& random)
      : scene_(std::move(scene)), max_events_(max_events), random_(random), threads_(scene_.programs.size()) {
    for (ThreadState& t : threads_) t.tidy = random_.percent(85);
    for (const auto& program : scene_.programs) {
      for (const Step& step : program) {
        if (step.op == Op::Fork && step.operand < threads_.size()) threads_[step.operand].needs_fork = true;
      }
    }
  }

  Trace run() {
    for (const std::size_t t : scene_.schedule) {
      if (step(t)) {
        catch_up();
      } else {
        late_.push_back(t);
      }
    }
    while (!full() && step_any()) {
    }
    return std::move(trace_);
  }

 private:
  bool full() const { return trace_.size() >= max_events_; }

  /// Threads that missed a turn get one soon after.
  void catch_up() {
    while (!late_.empty() && random_.percent(60)) {
      const std::size_t at = random_.below(late_.size());
      if (!step(late_[at])) return;
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  bool step_any() {
    const std::size_t first = random_.below(threads_.size());
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (step((first + i) % threads_.size())) return true;
    }
    return false;
  }

  /// Executes the thread's next legal step, if it is enabled now.
  bool step(std::size_t t) {
    auto& program = scene_.programs[t];
    while (!full()) {
      if (program.empty()) tidy_up(t);
      if (program.empty() || threads_[t].over) return false;
      const Step next = program.front();
      const Fate fate = fate_of(t, next);
      if (fate == Fate::Block) return false;
      program.pop_front();
      if (fate == Fate::Drop) continue;
      perform(t, next);
      return true;
    }
    return false;
  }

  void tidy_up(std::size_t t) {
    const ThreadState& self = threads_[t];
    if (!self.tidy || self.waits_for) return;
    auto& program = scene_.programs[t];
    for (const auto& [lock, depth] : self.exclusive) program.insert(program.end(), depth, Step{Op::Release, lock});
    for (const auto& [lock, depth] : self.shared) program.insert(program.end(), depth, Step{Op::ReleaseShared, lock});
    if (!program.empty() && random_.percent(30)) std::ranges::reverse(program);
  }

  bool held_by_another(std::size_t t, std::size_t lock, bool also_shared) const {
    for (std::size_t u = 0; u < threads_.size(); ++u) {
      if (u == t) continue;
      if (threads_[u].exclusive.contains(lock) || (also_shared && threads_[u].shared.contains(lock))) return true;
    }
    return false;
  }

  Fate fate_of(std::size_t t, const Step& step) {
    const ThreadState& self = threads_[t];
    if (self.needs_fork && !self.forked) return Fate::Block;
    if (self.waits_for && (step.op != Op::Wake || step.operand != *self.waits_for)) return Fate::Drop;
    const std::size_t x = step.operand;
    const auto go_if = [](bool legal) { return legal ? Fate::Go : Fate::Drop; };
    switch (step.op) {
      case Op::Acquire:
        if (self.shared.contains(x)) return Fate::Drop;
        if (self.exclusive.contains(x)) return go_if(scene_.recursive);
        return held_by_another(t, x, true) ? Fate::Block : Fate::Go;
      case Op::AcquireShared:
        if (self.exclusive.contains(x)) return Fate::Drop;
        if (self.shared.contains(x)) return go_if(scene_.recursive);
        return held_by_another(t, x, false) ? Fate::Block : Fate::Go;
      case Op::Release:
      case Op::Wait:
        return go_if(self.exclusive.contains(x));
      case Op::ReleaseShared:
        return go_if(self.shared.contains(x));
      case Op::Wake:
        if (!self.waits_for) return Fate::Drop;
        return held_by_another(t, x, true) ? Fate::Block : Fate::Go;
      case Op::Fork:
        return go_if(x != t && x < threads_.size() && !threads_[x].started && !threads_[x].forked && !threads_[x].over);
      case Op::Join:
        return fate_of_join(t, x);
      case Op::Begin:
        return go_if(!self.started);
      case Op::BarrierLeave:
        return go_if(self.arrivals.contains(x) && self.arrivals.at(x) > 0);
      default:
        return Fate::Go;
    }
  }

  /// A join waits for the end of its target's program, or occasionally truncates that program.
  Fate fate_of_join(std::size_t t, std::size_t target) {
    if (target == t || target >= threads_.size()) return Fate::Drop;
    const ThreadState& other = threads_[target];
    if (other.waits_for) return Fate::Block;
    const bool cut = (other.started || other.forked) && random_.percent(10);
    return scene_.programs[target].empty() || other.over || cut ? Fate::Go : Fate::Block;
  }

  void perform(std::size_t t, const Step& step) {
    ThreadState& self = threads_[t];
    self.started = true;
    const std::size_t x = step.operand;
    const auto leave = [x](std::map<std::size_t, std::size_t>& held) {
      if (--held.at(x) == 0) held.erase(x);
    };
    switch (step.op) {
      case Op::Acquire:
        ++self.exclusive[x];
        break;
      case Op::AcquireShared:
        ++self.shared[x];
        break;
      case Op::Release:
        leave(self.exclusive);
        break;
      case Op::ReleaseShared:
        leave(self.shared);
        break;
      case Op::Wait:
        self.waits_for = x;
        self.depth_before_wait[x] = self.exclusive.at(x);
        self.exclusive.erase(x);
        break;
      case Op::Wake:
        self.waits_for.reset();
        self.exclusive[x] = self.depth_before_wait.at(x);
        break;
      case Op::Fork:
        threads_[x].forked = true;
        break;
      case Op::Join:
        threads_[x].over = true;
        break;
      case Op::End:
        self.over = true;
        break;
      case Op::BarrierArrive:
        ++self.arrivals[x];
        break;
      case Op::BarrierLeave:
        --self.arrivals.at(x);
        break;
      default:
        break;
    }
    emit(t, step);
  }

  void emit(std::size_t t, const Step& step) {
    const OperandKind kind = traits(step.op).operand;
    Names& names = trace_.names;
    Event event;
    event.op = step.op;
    event.order = step.order;
    event.thread = ThreadId{names.of(OperandKind::Thread).intern(numbered(OperandKind::Thread, t))};
    if (kind != OperandKind::None) {
      event.operand = names.of(kind).intern(numbered(kind, step.operand));
    }
    event.location = names.intern_location(std::to_string(trace_.size()));
    const auto legal = rules_.check(event, names);
    if (!legal) internal_error(__FILE__, __LINE__, "the generator made an ill-formed trace: " + legal.error());
    trace_.events.push_back(event);
  }

  Scene scene_;
  std::size_t max_events_;
  Random& random_;
  std::vector<ThreadState> threads_;
  std::vector<std::size_t> late_;
  WellFormedness rules_;
  Trace trace_;
};

}  // namespace

Trace interleave(Scene scene, std::size_t max_events, Random& random) {
  return Interleaver(std::move(scene), max_events, random).run();
}

}  // namespace omen::judges
