#include "mini/reexecute.hpp"

#include "mini/machine.hpp"

namespace omen::mini {
namespace {

using values::Act;
using values::Step;
using values::ValueTrace;

class MiniReexecutor final : public values::Reexecutor {
 public:
  explicit MiniReexecutor(const Code& code) : code_(code) {}

  std::expected<void, std::string> run(const values::Witness& witness, const ValueTrace& trace) const override {
    Machine machine(code_);
    for (std::size_t i = 0; i < witness.steps.size(); ++i) {
      const std::string where = "step " + std::to_string(i) + ": ";
      const Step& step = witness.steps[i];
      const auto t = stands(machine, step, trace);
      if (!t) return std::unexpected(where + t.error());
      if (!machine.enabled(*t)) return std::unexpected(where + trace.names.of(step.thread) + " is blocked");
      const Next next = machine.next(*t);
      if (values::is_access(step.act)) {
        const std::uint64_t value = step.act == Act::Read ? machine.memory(next.at) : next.value;
        if (value != step.value) {
          return std::unexpected(where + "expected the value " + std::to_string(step.value) + " of " +
                                 machine.cell_name(*next.instruction, next.cell) + ", found " + std::to_string(value));
        }
      }
      machine.step(*t);
    }
    const auto first = stands(machine, witness.first, trace);
    if (!first) return std::unexpected("the first access: " + first.error());
    const auto second = stands(machine, witness.second, trace);
    if (!second) return std::unexpected("the second access: " + second.error());
    const Next& a = machine.next(*first);
    const Next& b = machine.next(*second);
    if (*first == *second || !is_access(a.action) || !is_access(b.action) || a.cell != b.cell ||
        (a.action == Action::Load && b.action == Action::Load)) {
      return std::unexpected("the two do not conflict");
    }
    return {};
  }

 private:
  static std::optional<Action> action_of(Act act) {
    switch (act) {
      case Act::Read:
        return Action::Load;
      case Act::Write:
        return Action::Store;
      case Act::Acquire:
        return Action::Lock;
      case Act::Release:
        return Action::Unlock;
      case Act::Fork:
        return Action::Spawn;
      case Act::Join:
        return Action::Wait;
      default:
        return std::nullopt;
    }
  }

  /// The thread's number, if its next event is this step.
  std::expected<ThreadNumber, std::string> stands(const Machine& machine, const Step& step,
                                                  const ValueTrace& trace) const {
    const std::string& name = trace.names.of(step.thread);
    const auto t = thread_named(name);
    if (!t || *t >= machine.threads() || machine.next(*t).action == Action::Unborn) {
      return std::unexpected("there is no thread " + name);
    }
    const Next& next = machine.next(*t);
    const auto action = action_of(step.act);
    if (next.instruction == nullptr) return std::unexpected(name + " has ended");
    const std::string stands_at = name + " stands at " + location_text(code_, next.instruction->at);
    if (!action || next.action != *action) return std::unexpected(stands_at + ", at another kind of event");
    if (trace.names.text(step.location) != location_text(code_, next.instruction->at)) {
      return std::unexpected(stands_at + ", not at " + trace.names.text(step.location));
    }
    const bool of_thread = step.act == Act::Fork || step.act == Act::Join;
    const std::string operand = of_thread ? thread_name(next.thread) : machine.cell_name(*next.instruction, next.cell);
    const std::string& wanted = values::is_access(step.act) ? trace.names.of(VariableId{step.operand})
                                : of_thread                 ? trace.names.of(ThreadId{step.operand})
                                                            : trace.names.of(LockId{step.operand});
    if (operand != wanted) return std::unexpected(stands_at + ", with " + operand + " and not " + wanted);
    return *t;
  }

  const Code& code_;
};

}  // namespace

std::unique_ptr<values::Reexecutor> reexecutor(const Code& code) {
  return std::make_unique<MiniReexecutor>(code);
}

}  // namespace omen::mini
