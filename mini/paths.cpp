#include "mini/paths.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "mini/shadow.hpp"
#include "trace/error.hpp"

namespace omen::mini {
namespace {

using values::Act;
using values::Path;
using values::ValueEvent;
using values::ValueTrace;

/// A decision at a branch on values.
struct Decision {
  bool way;
  bool open;  ///< the other direction has not been tried
};

/// Follows the recorded trace, event by event, up to one branch; then generates a path.
class PathShadow final : public Shadow {
 public:
  explicit PathShadow(ValueTrace& trace) : Shadow(trace) {}

  std::size_t cursor() const { return cursor_; }  ///< the number of recorded events that were reached
  void turn_at(std::size_t branch, std::vector<Decision> decisions) {
    turn_ = branch;
    decisions_ = std::move(decisions);
  }
  bool turned() const { return turned_; }
  /// Receives the recorded branches that have another direction.
  void note_branches(std::vector<bool>* turnable) { turnable_ = turnable; }
  Path& path() { return path_; }
  const std::vector<Decision>& decisions() const { return decisions_; }

  bool choose(const Machine& machine, ThreadNumber t, const Instruction& i, bool holds) override {
    const values::ExprId condition = this->condition(t, i);
    if (is_constant(condition)) return holds;
    if (!turned_ && cursor_ != turn_) {
      if (turnable_ != nullptr && i.code == OpCode::Branch) (*turnable_)[cursor_] = true;
      return Shadow::choose(machine, t, i, holds);
    }
    bool way = !holds;
    if (turned_) {
      way = decide(machine.depth(t), i, holds);
    } else {
      turned_ = true;
      thread_ = trace_.events[turn_].thread;
      if (i.loop && way) ++entered_[{machine.depth(t), &i}];
    }
    branch(t, condition, machine, i.at, way);
    return way;
  }

 protected:
  values::ValueId emit(ValueEvent event, values::Width defines) override {
    if (!turned_) {
      OMEN_CHECK(cursor_ < trace_.size() && trace_.events[cursor_].act == event.act);
      return trace_.events[cursor_++].value;
    }
    if (event.thread != thread_ || event.act == Act::End) return values::kNoValue;
    if (defines != 0) event.value = trace_.expressions.new_value(defines);
    path_.events.push_back(event);
    return event.value;
  }

 private:
  bool decide(std::size_t depth, const Instruction& i, bool holds) {
    const bool may_enter = !i.loop || entered_[{depth, &i}] == 0;
    if (used_ == decisions_.size()) {
      if (i.code != OpCode::Branch) {
        decisions_.push_back({true, false});
      } else {
        decisions_.push_back({holds && may_enter, may_enter});
      }
    }
    const bool way = decisions_[used_++].way;
    if (i.loop && way) ++entered_[{depth, &i}];
    return way;
  }

  std::size_t cursor_ = 0;
  std::size_t turn_ = ~std::size_t{0};
  bool turned_ = false;
  ThreadId thread_{};
  Path path_;
  std::vector<Decision> decisions_;
  std::size_t used_ = 0;
  std::vector<bool>* turnable_ = nullptr;
  std::map<std::pair<std::size_t, const Instruction*>, unsigned> entered_;  ///< loops, by call depth
};

class Provider final : public values::PathProvider {
 public:
  Provider(const Code& code, Schedule schedule, PathBounds bounds)
      : code_(code), schedule_(std::move(schedule)), bounds_(bounds) {}

  std::vector<Path> paths(ValueTrace& trace, std::size_t branch) override {
    OMEN_CHECK(branch < trace.size() && trace.events[branch].act == Act::Branch);
    if (first_event_.empty()) survey(trace);
    if (!turnable_[branch]) return {};  // the other direction of an assertion or of a divisor check is a fault
    const std::size_t step = step_of(branch);
    go_to(trace, step);

    std::vector<Path> paths;
    std::vector<Decision> decisions;
    while (paths.size() < bounds_.paths) {
      PathShadow shadow = *shadow_;
      shadow.turn_at(branch, decisions);
      Machine machine = *machine_;
      follow(machine, shadow, step);
      OMEN_CHECK(shadow.turned());
      decisions = shadow.decisions();
      paths.push_back(std::move(shadow.path()));
      while (!decisions.empty() && !decisions.back().open) decisions.pop_back();
      if (decisions.empty()) break;
      decisions.back() = {!decisions.back().way, false};
    }
    return paths;
  }

 private:
  /// How, and at which step, a thread was spawned.
  struct Birth {
    ThreadNumber parent = 0;
    std::uint32_t routine = 0;
    std::vector<std::uint64_t> arguments;
    std::size_t step = 0;
  };
  /// The thread that t's next event, a spawn, will create.
  Birth birth(const Machine& machine, ThreadNumber t, std::size_t step) const {
    const Instruction& spawn = *machine.next(t).instruction;
    Birth result{t, spawn.target, {}, step};
    for (std::uint32_t p = 0; p < code_.routines[spawn.target].parameters; ++p) {
      result.arguments.push_back(machine.reg(t, spawn.a + p));
    }
    return result;
  }

  /// The events of each step, and the threads that were spawned and that ended.
  void survey(ValueTrace& trace) {
    PathShadow shadow(trace);
    turnable_.assign(trace.size(), false);
    shadow.note_branches(&turnable_);
    Machine machine(code_, Machine::Limits{}, &shadow);
    births_.resize(kMaxThread + 1);
    births_[0] = Birth{};
    for (std::size_t step = 0; step < schedule_.size(); ++step) {
      first_event_.push_back(shadow.cursor());
      const ThreadNumber t = schedule_[step];
      const Next& next = machine.next(t);
      if (next.action == Action::Spawn && !births_[next.thread]) births_[next.thread] = birth(machine, t, step);
      machine.step(t, &shadow);
    }
    for (ThreadNumber t = 0; t < machine.threads(); ++t) ended_.push_back(machine.next(t).action == Action::End);
  }

  std::size_t step_of(std::size_t event) const {
    const auto after = std::ranges::upper_bound(first_event_, event);
    return static_cast<std::size_t>(after - first_event_.begin()) - 1;
  }

  /// The state before a step. Steps are mostly requested in ascending order.
  void go_to(ValueTrace& trace, std::size_t step) {
    if (!machine_ || done_ > step || trace_ != &trace) {
      trace_ = &trace;
      shadow_.emplace(trace);
      machine_.emplace(code_, Machine::Limits{}, &*shadow_);
      done_ = 0;
    }
    for (; done_ < step; ++done_) machine_->step(schedule_[done_], &*shadow_);
  }

  void follow(Machine& machine, PathShadow& shadow, std::size_t step) const {
    const ThreadNumber t = schedule_[step];
    machine.step(t, &shadow);
    machine.detach(t, ended_);
    while (shadow.path().events.size() < bounds_.events) {
      const Next& next = machine.next(t);
      if (next.action == Action::End) {
        shadow.path().complete = true;
        return;
      }
      if (next.action == Action::Fault || !machine.enabled(t)) return;
      const bool spawns = next.action == Action::Spawn;
      if (spawns && !may_spawn(machine, t, step)) return;
      machine.step(t, &shadow);
      if (spawns) machine.detach(t, ended_);
    }
  }

  /// True if the recorded run does not have the thread, or t spawned this same one there after the branch.
  bool may_spawn(const Machine& machine, ThreadNumber t, std::size_t branch_step) const {
    const std::optional<Birth>& recorded = births_[machine.next(t).thread];
    if (!recorded) return true;
    const Birth now = birth(machine, t, branch_step);
    return recorded->step > branch_step && recorded->parent == t && recorded->routine == now.routine &&
           recorded->arguments == now.arguments;
  }

  const Code& code_;
  Schedule schedule_;
  PathBounds bounds_;
  std::vector<std::size_t> first_event_;      ///< of each step
  std::vector<bool> turnable_;                ///< by event: a branch with another direction
  std::vector<std::optional<Birth>> births_;  ///< by thread, in the recorded run
  std::vector<bool> ended_;
  const ValueTrace* trace_ = nullptr;
  std::optional<PathShadow> shadow_;
  std::optional<Machine> machine_;
  std::size_t done_ = 0;  ///< steps of `machine_`
};

}  // namespace

std::unique_ptr<values::PathProvider> path_provider(const Code& code, Schedule schedule, PathBounds bounds) {
  return std::make_unique<Provider>(code, std::move(schedule), bounds);
}

}  // namespace omen::mini
