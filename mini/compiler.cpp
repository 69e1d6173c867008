#include <algorithm>

#include "mini/code.hpp"
#include "trace/error.hpp"

namespace omen::mini {
namespace {

using Kind = Expression::Kind;

class Compiler {
 public:
  explicit Compiler(const Program& program) : program_(program) {}

  Code run() {
    code_.file = program_.file;
    code_.main = program_.main;
    for (const Variable& variable : program_.shared) {
      code_.places.push_back(place_of(variable));
      code_.initial.insert(code_.initial.end(), variable.values.begin(), variable.values.end());
    }
    for (std::uint32_t s = 0; s < program_.structures.size(); ++s) {
      const Structure& structure = program_.structures[s];
      first_field_.push_back(static_cast<std::uint32_t>(code_.places.size()));
      for (const Variable& field : structure.fields) {
        code_.places.push_back(place_of(field));
        code_.places.back().field = true;
        code_.places.back().structure = s;
      }
      code_.structures.push_back({structure.name, structure.cells});
    }
    for (const Function& function : program_.functions) routine(function);
    return std::move(code_);
  }

 private:
  static Place place_of(const Variable& variable) {
    Place place;
    place.name = variable.name;
    place.lock = variable.is_lock;
    place.cell = variable.cell;
    place.array = variable.size.has_value();
    place.cells = variable.cells();
    place.type = variable.is_lock ? Scalar::U32 : variable.type.scalar;
    return place;
  }

  void routine(const Function& function) {
    Routine routine;
    routine.name = function.name;
    routine.locals = routine.registers = function.slots;
    routine.parameters = static_cast<std::uint32_t>(function.parameters.size());
    for (const Variable& parameter : function.parameters) routine.parameter_types.push_back(parameter.type.scalar);
    routine.has_result = function.type != kVoid;
    routine_ = &routine;
    block(function.body);
    if (!routine.has_result) emit(OpCode::Return, function.at);
    code_.routines.push_back(std::move(routine));
  }

  Instruction& emit(OpCode code, Position at) {
    Instruction& i = routine_->instructions.emplace_back();
    i.code = code;
    i.at = at;
    return i;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(routine_->instructions.size()); }
  /// Emits a jump or branch whose target is set later.
  std::uint32_t emit_jump(OpCode code, Position at, std::uint32_t condition = kNoRegister) {
    emit(code, at).a = condition;
    return here() - 1;
  }
  void land(std::uint32_t jump) { routine_->instructions[jump].target = here(); }

  std::uint32_t temporary() {
    const std::uint32_t r = next_++;
    routine_->registers = std::max(routine_->registers, next_);
    return r;
  }

  // Statements

  void block(const std::vector<Statement>& statements) {
    for (const Statement& s : statements) {
      next_ = routine_->locals;
      statement(s);
    }
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Declare:
        if (s.value) {
          value_into(*s.value, s.slot);
        } else {
          constant_into(s.type.scalar, 0, s.slot, s.at);
        }
        return;
      case Statement::Kind::Assign:
        return assign(s);
      case Statement::Kind::Update:
        return update(s);
      case Statement::Kind::If:
        return if_statement(s);
      case Statement::Kind::While:
        return while_statement(s);
      case Statement::Kind::Return: {
        const std::uint32_t result = s.value ? value(*s.value) : kNoRegister;
        emit(OpCode::Return, s.at).a = result;
        return;
      }
      case Statement::Kind::Lock:
      case Statement::Kind::Unlock: {
        const Instruction access = address(*s.target);
        emit_access(s.kind == Statement::Kind::Lock ? OpCode::Lock : OpCode::Unlock, s.at, access);
        return;
      }
      case Statement::Kind::Spawn: {
        const std::uint32_t first = arguments(*s.target);
        const std::uint32_t number = value(*s.value);
        Instruction& i = emit(OpCode::Spawn, s.at);
        i.target = s.target->index;
        i.a = first;
        i.c = number;
        i.type = s.value->type.scalar;
        return;
      }
      case Statement::Kind::Wait: {
        const std::uint32_t number = value(*s.value);
        Instruction& i = emit(OpCode::Wait, s.at);
        i.c = number;
        i.type = s.value->type.scalar;
        return;
      }
      case Statement::Kind::Assert: {
        const std::uint32_t holds = condition(*s.value);
        emit(OpCode::Assert, s.at).a = holds;
        return;
      }
      case Statement::Kind::Print: {
        const std::uint32_t printed = value(*s.value);
        Instruction& i = emit(OpCode::Print, s.at);
        i.a = printed;
        i.type = s.value->type.scalar;
        return;
      }
      case Statement::Kind::Call:
        call(*s.target, kNoRegister);
        return;
      case Statement::Kind::Block:
        return block(s.body);
    }
  }

  void assign(const Statement& s) {
    if (s.target->local) {
      value_into(*s.value, s.target->index);
      return;
    }
    const Instruction access = address(*s.target);
    const std::uint32_t stored = value(*s.value);
    emit_access(OpCode::Store, s.target->at, access).c = stored;
  }

  void update(const Statement& s) {
    const bool local = s.target->local;
    const Instruction access = local ? Instruction{} : address(*s.target);
    std::uint32_t old = s.target->index;
    if (!local) {
      old = temporary();
      emit_access(OpCode::Load, s.target->at, access).dst = old;
    }
    const std::uint32_t operand = value(*s.value);
    const std::uint32_t result = local ? s.target->index : temporary();
    binary_into(s.op, s.target->type.scalar, old, operand, result, s.operator_at);
    if (!local) emit_access(OpCode::Store, s.operator_at, access).c = result;
  }

  void if_statement(const Statement& s) {
    const std::uint32_t to_else = emit_jump(OpCode::Branch, s.value->at, condition(*s.value));
    block(s.body);
    if (s.otherwise.empty()) return land(to_else);
    const std::uint32_t to_end = emit_jump(OpCode::Jump, s.at);
    land(to_else);
    block(s.otherwise);
    land(to_end);
  }

  void while_statement(const Statement& s) {
    const std::uint32_t start = here();
    const std::uint32_t to_end = emit_jump(OpCode::Branch, s.value->at, condition(*s.value));
    routine_->instructions[to_end].loop = true;
    block(s.body);
    emit(OpCode::Jump, s.at).target = start;
    land(to_end);
  }

  // Places

  /// The registers and the place of an access, as an instruction without its code.
  Instruction address(const Expression& e) {
    Instruction access;
    const Expression* base = &e;
    if (e.kind == Kind::Element) base = e.parts[0].get();
    if (base->kind == Kind::Field) {
      access.a = value(*base->parts[0]);
      access.target = first_field_[base->parts[0]->type.structure] + base->index;
    } else {
      access.target = base->index;
    }
    if (e.kind == Kind::Element) {
      access.b = value(*e.parts[1]);
      access.index_type = e.parts[1]->type.scalar;
    }
    return access;
  }

  Instruction& emit_access(OpCode code, Position at, const Instruction& access) {
    Instruction& i = routine_->instructions.emplace_back(access);
    i.code = code;
    i.at = at;
    i.type = code_.places[access.target].type;
    return i;
  }

  // Expressions

  /// A register that holds its value; for a variable, the variable's own register.
  std::uint32_t value(const Expression& e) {
    if (e.kind == Kind::Name && e.local) return e.index;
    const std::uint32_t dst = temporary();
    value_into(e, dst);
    return dst;
  }

  /// Its truth value.
  std::uint32_t condition(const Expression& e) {
    const std::uint32_t v = value(e);
    if (e.type == kBool) return v;
    const std::uint32_t dst = temporary();
    convert_into(v, e.type.scalar, Scalar::Bool, dst, e.at);
    return dst;
  }

  void value_into(const Expression& e, std::uint32_t dst) {
    switch (e.kind) {
      case Kind::Literal:
      case Kind::Boolean:
      case Kind::Null:
        return constant_into(e.type.scalar, e.number, dst, e.at);
      case Kind::Name:
      case Kind::Field:
      case Kind::Element: {
        if (e.local) {
          Instruction& i = emit(OpCode::Copy, e.at);
          i.dst = dst;
          i.a = e.index;
          i.type = e.type.scalar;
          return;
        }
        const Instruction access = address(e);
        emit_access(OpCode::Load, e.at, access).dst = dst;
        return;
      }
      case Kind::Unary: {
        const bool is_not = e.unary == UnaryOp::Not;
        const std::uint32_t a = is_not ? condition(*e.parts[0]) : value(*e.parts[0]);
        Instruction& i = emit(OpCode::Unary, e.at);
        i.unary = e.unary;
        i.type = is_not ? Scalar::Bool : e.type.scalar;
        i.dst = dst;
        i.a = a;
        return;
      }
      case Kind::Binary:
        return binary_expression(e, dst);
      case Kind::Convert:
        return convert_into(value(*e.parts[0]), e.parts[0]->type.scalar, e.to, dst, e.at);
      case Kind::Call:
        return call(e, dst);
      case Kind::New: {
        Instruction& i = emit(OpCode::New, e.at);
        i.dst = dst;
        i.target = e.index;
        i.type = Scalar::Reference;
        return;
      }
    }
  }

  void constant_into(Scalar type, std::uint64_t number, std::uint32_t dst, Position at) {
    Instruction& i = emit(OpCode::Constant, at);
    i.dst = dst;
    i.type = type;
    i.immediate = number;
  }

  void convert_into(std::uint32_t a, Scalar from, Scalar to, std::uint32_t dst, Position at) {
    Instruction& i = emit(OpCode::Convert, at);
    i.dst = dst;
    i.a = a;
    i.type = from;
    i.to = to;
  }

  void binary_into(BinaryOp op, Scalar type, std::uint32_t a, std::uint32_t b, std::uint32_t dst, Position at) {
    if (divides(op)) {
      Instruction& check = emit(OpCode::NotZero, at);
      check.a = b;
      check.type = type;
    }
    Instruction& i = emit(OpCode::Binary, at);
    i.binary = op;
    i.type = type;
    i.dst = dst;
    i.a = a;
    i.b = b;
  }

  void binary_expression(const Expression& e, std::uint32_t dst) {
    if (is_logical(e.binary)) return logical(e, dst);
    const std::uint32_t a = value(*e.parts[0]);
    const std::uint32_t b = value(*e.parts[1]);
    binary_into(e.binary, e.parts[0]->type.scalar, a, b, dst, e.at);
  }

  /// True if its evaluation has no observable effect.
  static bool silent(const Expression& e) {
    if (e.kind == Kind::Call || e.kind == Kind::New || e.kind == Kind::Field || e.kind == Kind::Element) return false;
    if (e.kind == Kind::Name && !e.local) return false;
    if (e.kind == Kind::Binary && divides(e.binary)) return false;
    return std::ranges::all_of(e.parts, [](const ExpressionPtr& part) { return silent(*part); });
  }

  void logical(const Expression& e, std::uint32_t dst) {
    const bool is_and = e.binary == BinaryOp::LogicalAnd;
    const std::uint32_t a = condition(*e.parts[0]);
    if (silent(*e.parts[1])) {
      const std::uint32_t b = condition(*e.parts[1]);
      return binary_into(is_and ? BinaryOp::And : BinaryOp::Or, Scalar::Bool, a, b, dst, e.at);
    }
    const std::uint32_t result = temporary();  // not dst: the assigned variable may occur on the right side
    constant_into(Scalar::Bool, is_and ? 0 : 1, result, e.at);
    std::uint32_t to_end = emit_jump(OpCode::Branch, e.at, a);
    if (!is_and) {
      const std::uint32_t decided = emit_jump(OpCode::Jump, e.at);
      land(to_end);
      to_end = decided;
    }
    const std::uint32_t b = condition(*e.parts[1]);
    Instruction& i = emit(OpCode::Copy, e.at);
    i.dst = result;
    i.a = b;
    i.type = Scalar::Bool;
    land(to_end);
    Instruction& last = emit(OpCode::Copy, e.at);
    last.dst = dst;
    last.a = result;
    last.type = Scalar::Bool;
  }

  /// Evaluates them into adjacent registers; the first of these.
  std::uint32_t arguments(const Expression& call) {
    const std::uint32_t first = next_;
    for (std::size_t i = 0; i < call.parts.size(); ++i) temporary();
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      value_into(*call.parts[i], first + static_cast<std::uint32_t>(i));
    }
    return first;
  }

  void call(const Expression& e, std::uint32_t dst) {
    const std::uint32_t first = arguments(e);
    Instruction& i = emit(OpCode::Call, e.at);
    i.target = e.index;
    i.a = first;
    i.dst = dst;
    i.type = e.type.scalar;
  }

  const Program& program_;
  Code code_;
  std::vector<std::uint32_t> first_field_;  ///< of each struct: the place of its first field
  Routine* routine_ = nullptr;
  std::uint32_t next_ = 0;  ///< the next free register
};

}  // namespace

Code compile(const Program& program) {
  return Compiler(program).run();
}

}  // namespace omen::mini
