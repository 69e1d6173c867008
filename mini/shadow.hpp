/// \file
/// Shadows an execution: beside each register stands the expression that computes it from what its thread has read.
/// The events of a value trace (trace/values/value_trace.hpp) come out; what becomes of them is a subclass's affair.
///
/// Exactness: each `read` gives a fresh value; each branch, division and assertion whose condition depends on a value
/// gives a `branch`; each object, index, lock and thread that is chosen by a value gives a `fix`, and so does each
/// argument of a new thread, since values do not travel between threads. So a thread that sees all of these come out
/// alike does the same events with the same expressions. Conditions without values give no event: they cannot change.
#pragma once

#include <vector>

#include "mini/machine.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::mini {

class Shadow : public Observer {
 public:
  /// Names, cells and expressions go to `trace`, which outlives this.
  explicit Shadow(values::ValueTrace& trace) : trace_(trace) {}

  void local(const Machine& machine, ThreadNumber t, const Instruction& i) override;
  bool choose(const Machine& machine, ThreadNumber t, const Instruction& i, bool holds) override;
  void visible(const Machine& machine, ThreadNumber t, const Next& next, std::uint64_t value) override;
  void spawned(const Machine& machine, ThreadNumber t) override;
  void ended(const Machine& machine, ThreadNumber t) override;

 protected:
  /// Takes an event. Where it defines a value, of this width, answers which.
  virtual values::ValueId emit(values::ValueEvent event, values::Width defines) = 0;

  values::ExprId expr(ThreadNumber t, std::uint32_t r) const {
    const Thread& thread = threads_[t];
    return thread.registers[thread.frames.back().base + r];
  }
  bool is_constant(values::ExprId e) const { return trace_.expressions[e].op == values::ExprOp::Constant; }
  /// What a choice depends on.
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
  /// Gives a register its expression. Variables hold only constants and values: larger ones become assignments.
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
