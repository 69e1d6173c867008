#include "mini/shadow.hpp"

namespace omen::mini {

using values::Act;
using values::ExprId;
using values::ExprOp;
using values::kNoExpr;
using values::kNoValue;
using values::ValueEvent;
using values::Width;

namespace {

ExprOp op_of(BinaryOp op, bool is_signed) {
  switch (op) {
    case BinaryOp::Mul:
      return ExprOp::Mul;
    case BinaryOp::Div:
      return is_signed ? ExprOp::SDiv : ExprOp::UDiv;
    case BinaryOp::Rem:
      return is_signed ? ExprOp::SRem : ExprOp::URem;
    case BinaryOp::Add:
      return ExprOp::Add;
    case BinaryOp::Sub:
      return ExprOp::Sub;
    case BinaryOp::Shl:
      return ExprOp::Shl;
    case BinaryOp::Shr:
      return is_signed ? ExprOp::AShr : ExprOp::LShr;
    case BinaryOp::Less:
    case BinaryOp::Greater:
      return is_signed ? ExprOp::SLt : ExprOp::ULt;
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
      return is_signed ? ExprOp::SLe : ExprOp::ULe;
    case BinaryOp::Equal:
      return ExprOp::Eq;
    case BinaryOp::NotEqual:
      return ExprOp::Ne;
    case BinaryOp::And:
    case BinaryOp::LogicalAnd:
      return ExprOp::And;
    case BinaryOp::Xor:
      return ExprOp::Xor;
    case BinaryOp::Or:
    case BinaryOp::LogicalOr:
      return ExprOp::Or;
  }
  return ExprOp::Add;
}

}  // namespace

void Shadow::set(const Machine& machine, ThreadNumber t, const Instruction& i, std::uint32_t r, ExprId e,
                 std::uint64_t value, bool variable) {
  const ExprOp op = trace_.expressions[e].op;
  if (variable && op != ExprOp::Constant && op != ExprOp::Value) {
    const ValueEvent event{threads_[t].id, Act::Assign, 0, trace_.location(location_text(machine.code(), i.at)), e,
                           kNoValue,       value};
    e = trace_.expressions.value(emit(event, trace_.expressions.width(e)));
  }
  at(t, r) = e;
}

ExprId Shadow::computed(const Instruction& i, ThreadNumber t) {
  values::Expressions& expressions = trace_.expressions;
  const ExprId a = expr(t, i.a);
  if (i.code == OpCode::Copy) return a;
  if (i.code == OpCode::Unary) return expressions.unary(i.unary == UnaryOp::Negate ? ExprOp::Neg : ExprOp::Not, a);
  if (i.code == OpCode::Binary) {
    const bool turned = i.binary == BinaryOp::Greater || i.binary == BinaryOp::GreaterEqual;
    const ExprOp op = op_of(i.binary, is_signed(i.type));
    return turned ? expressions.binary(op, expr(t, i.b), a) : expressions.binary(op, a, expr(t, i.b));
  }
  if (i.to == Scalar::Bool && i.type != Scalar::Bool) {
    return expressions.binary(ExprOp::Ne, a, constant(i.type, 0));
  }
  const auto bits = static_cast<Width>(width(i.to));
  if (bits <= expressions.width(a)) return expressions.resize(ExprOp::Trunc, bits, a);
  return expressions.resize(is_signed(i.type) ? ExprOp::SExt : ExprOp::ZExt, bits, a);
}

void Shadow::local(const Machine& machine, ThreadNumber t, const Instruction& i) {
  const bool variable = i.dst < machine.routine(t).locals;
  switch (i.code) {
    case OpCode::Constant:
      at(t, i.dst) = constant(i.type, i.immediate);
      return;
    case OpCode::Copy:
    case OpCode::Unary:
    case OpCode::Binary:
    case OpCode::Convert: {
      const std::uint64_t a = machine.reg(t, i.a);
      const std::uint64_t value = i.code == OpCode::Copy     ? a
                                  : i.code == OpCode::Unary  ? apply(i.unary, i.type, a)
                                  : i.code == OpCode::Binary ? apply(i.binary, i.type, a, machine.reg(t, i.b))
                                                             : convert(i.type, i.to, a);
      const bool of_constants = is_constant(expr(t, i.a)) && (i.code != OpCode::Binary || is_constant(expr(t, i.b)));
      const Scalar type = i.code == OpCode::Convert                             ? i.to
                          : i.code == OpCode::Binary && is_comparison(i.binary) ? Scalar::Bool
                                                                                : i.type;
      set(machine, t, i, i.dst, of_constants ? constant(type, value) : computed(i, t), value, variable);
      return;
    }
    case OpCode::New:
      at(t, i.dst) = constant(Scalar::Reference, Machine::reference(t, machine.objects(t) + 1));
      return;
    case OpCode::Call:
      return call(machine, t, i);
    case OpCode::Return:
      return result(machine, t, i);
    default:
      return;
  }
}

void Shadow::call(const Machine& machine, ThreadNumber t, const Instruction& i) {
  const Routine& routine = machine.code().routines[i.target];
  std::vector<ExprId> arguments;
  for (std::uint32_t p = 0; p < routine.parameters; ++p) {
    set(machine, t, i, i.a + p, expr(t, i.a + p), machine.reg(t, i.a + p), /*variable=*/true);
    arguments.push_back(expr(t, i.a + p));
  }
  Thread& thread = threads_[t];
  const auto base = static_cast<std::uint32_t>(thread.registers.size());
  thread.frames.push_back({base, i.dst});
  thread.registers.insert(thread.registers.end(), arguments.begin(), arguments.end());
  thread.registers.resize(base + routine.registers, kNoExpr);
}

void Shadow::result(const Machine& machine, ThreadNumber t, const Instruction& i) {
  Thread& thread = threads_[t];
  const Frame frame = thread.frames.back();
  const bool wanted = i.a != kNoRegister && frame.result != kNoRegister;
  const ExprId e = wanted ? expr(t, i.a) : kNoExpr;
  const std::uint64_t value = wanted ? machine.reg(t, i.a) : 0;
  thread.registers.resize(frame.base);
  thread.frames.pop_back();
  if (wanted && !thread.frames.empty()) set(machine, t, i, frame.result, e, value, /*variable=*/true);
}

void Shadow::branch(ThreadNumber t, ExprId condition, const Machine& machine, Position position, bool holds) {
  if (is_constant(condition)) return;
  emit({threads_[t].id, Act::Branch, 0, trace_.location(location_text(machine.code(), position)), condition, kNoValue,
        holds ? 1U : 0U},
       0);
}

ExprId Shadow::condition(ThreadNumber t, const Instruction& choice) {
  const ExprId e = expr(t, choice.a);
  if (choice.code != OpCode::NotZero) return e;
  if (is_constant(e)) return constant(Scalar::Bool, trace_.expressions[e].bits != 0 ? 1 : 0);
  return trace_.expressions.binary(ExprOp::Ne, e, constant(choice.type, 0));
}

bool Shadow::choose(const Machine& machine, ThreadNumber t, const Instruction& i, bool holds) {
  // A fault is not recorded: the thread has no event after it.
  if (i.code == OpCode::Branch || holds) branch(t, condition(t, i), machine, i.at, holds);
  return holds;
}

void Shadow::fix(const Machine& machine, ThreadNumber t, std::uint32_t r, Position position) {
  if (is_constant(expr(t, r))) return;
  emit({threads_[t].id, Act::Fix, 0, trace_.location(location_text(machine.code(), position)), expr(t, r), kNoValue,
        machine.reg(t, r)},
       0);
}

void Shadow::visible(const Machine& machine, ThreadNumber t, const Next& next, std::uint64_t value) {
  const Instruction& i = *next.instruction;
  ValueEvent event{threads_[t].id, Act::Read, 0, trace_.location(location_text(machine.code(), i.at)),
                   kNoExpr,        kNoValue,  0};
  if (next.action == Action::Spawn || next.action == Action::Wait) {
    fix(machine, t, i.c, i.at);
    const bool spawn = next.action == Action::Spawn;
    const std::uint32_t arguments = spawn ? machine.code().routines[i.target].parameters : 0;
    for (std::uint32_t p = 0; p < arguments; ++p) fix(machine, t, i.a + p, i.at);
    event.act = spawn ? Act::Fork : Act::Join;
    event.operand = static_cast<std::uint32_t>(trace_.thread(thread_name(next.thread)));
    emit(event, 0);
    return;
  }
  if (i.a != kNoRegister) fix(machine, t, i.a, i.at);
  if (i.b != kNoRegister) fix(machine, t, i.b, i.at);
  const std::string name = machine.cell_name(i, next.cell);
  if (next.action == Action::Lock || next.action == Action::Unlock) {
    event.act = next.action == Action::Lock ? Act::Acquire : Act::Release;
    event.operand = static_cast<std::uint32_t>(trace_.lock(name));
    emit(event, 0);
    return;
  }
  const auto bits = static_cast<Width>(width(i.type));
  const std::uint64_t initial = next.cell.reference == 0 ? machine.code().initial[next.cell.offset] : 0;
  event.operand = static_cast<std::uint32_t>(trace_.cell(name, bits, initial));
  if (next.action == Action::Store) {
    event.act = Act::Write;
    event.expr = expr(t, i.c);
    event.recorded = next.value;
    emit(event, 0);
  } else {
    event.recorded = value;
    at(t, i.dst) = trace_.expressions.value(emit(event, bits));
  }
}

void Shadow::spawned(const Machine& machine, ThreadNumber t) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  Thread& thread = threads_[t];
  const Routine& routine = machine.routine(t);
  thread.id = trace_.thread(thread_name(t));
  thread.frames.push_back({0, kNoRegister});
  thread.registers.assign(routine.registers, kNoExpr);
  for (std::uint32_t p = 0; p < routine.parameters; ++p) {
    thread.registers[p] = constant(routine.parameter_types[p], machine.reg(t, p));
  }
}

void Shadow::ended(const Machine&, ThreadNumber t) {
  emit({threads_[t].id, Act::End, 0, trace_.location(""), kNoExpr, kNoValue, 0}, 0);
}

}  // namespace omen::mini
