/// \file
/// Shadows an execution: each register has the expression that computes it from the values that its thread has read.
/// Emits the events of a value trace (trace/values/value_trace.hpp); a subclass consumes them.
///
/// Exactness: each `read` defines a fresh value; each branch, division and assertion whose condition depends on a value
/// emits a `branch`; each object, index, lock and thread that is chosen by a value emits a `fix`, and so does each
/// argument of a new thread, since values do not travel between threads. So a thread for which all of these have
/// the same outcome executes the same events with the same expressions. Conditions without values emit no event: they
/// cannot change.
#pragma once

#include <vector>

#include "mini/machine.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::mini {

class Shadow : public Observer {
 public:
  /// Adds names, cells and expressions to `trace`, which outlives this.
  explicit Shadow(values::ValueTrace& trace) : trace_(trace) {}

  void local(const Machine& machine, ThreadNumber t, const Instruction& i) override;
  bool choose(const Machine& machine, ThreadNumber t, const Instruction& i, bool holds) override;
  void visible(const Machine& machine, ThreadNumber t, const Next& next, std::uint64_t value) override;
  void spawned(const Machine& machine, ThreadNumber t) override;
  void ended(const Machine& machine, ThreadNumber t) override;

 protected:
  /// Consumes an event. If it defines a value, of this width, returns its id.
  virtual values::ValueId emit(values::ValueEvent event, values::Width defines) = 0;

  values::ExprId expr(ThreadNumber t, std::uint32_t r) const {
    const Thread& thread = threads_[t];
    return thread.registers[thread.frames.back().base + r];
  }
  bool is_constant(values::ExprId e) const { return trace_.expressions[e].op == values::ExprOp::Constant; }
  /// The condition of a choice.
  values::ExprId condition(ThreadNumber t, const Instruction& choice);
  /// Emits a branch, unless its condition is constant.
  void branch(ThreadNumber t, values::ExprId condition, const Machine& machine, Position at, bool holds);

  values::ValueTrace& trace_;

 private:
  struct Frame {
    std::uint32_t base;
    std::uint32_t result;
  };
  struct Thread {
    ThreadId id{};
    std::vector<Frame> frames;
    std::vector<values::ExprId> registers;
  };

  values::ExprId& at(ThreadNumber t, std::uint32_t r) {
    Thread& thread = threads_[t];
    return thread.registers[thread.frames.back().base + r];
  }
  /// Sets the expression of a register. Variables hold only constants and values: larger expressions become
  /// assignments.
  void set(const Machine& machine, ThreadNumber t, const Instruction& i, std::uint32_t r, values::ExprId e,
           std::uint64_t value, bool variable);
  values::ExprId constant(Scalar type, std::uint64_t value) {
    return trace_.expressions.constant(static_cast<values::Width>(width(type)), value);
  }
  values::ExprId computed(const Instruction& i, ThreadNumber t);
  void fix(const Machine& machine, ThreadNumber t, std::uint32_t r, Position at);
  void call(const Machine& machine, ThreadNumber t, const Instruction& i);
  void result(const Machine& machine, ThreadNumber t, const Instruction& i);

  std::vector<Thread> threads_;
};

}  // namespace omen::mini
