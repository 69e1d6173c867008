#include "mini/checker.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "mini/lexer.hpp"
#include "mini/parser.hpp"
#include "trace/quote.hpp"

namespace omen::mini {
namespace {

using Kind = Expression::Kind;

/// Thrown within the checker, caught by `check`.
struct Refusal {
  InputError error;
};

template <class Items>
const typename Items::value_type* find_named(const Items& items, std::string_view name) {
  const auto found = std::ranges::find(items, name, &Items::value_type::name);
  return found == items.end() ? nullptr : &*found;
}

class Checker {
 public:
  explicit Checker(Program& program) : program_(program) {}

  void run() {
    unique(program_.structures, "struct");
    for (Structure& structure : program_.structures) {
      unique(structure.fields, "field");
      structure.cells = lay_out(structure.fields);
    }
    unique(program_.shared, "shared variable");
    program_.cells = lay_out(program_.shared);
    unique(program_.functions, "function");
    for (Function& function : program_.functions) signature(function);
    for (Function& function : program_.functions) body(function);
    main();
  }

 private:
  [[noreturn]] void refuse(Position at, std::string message) const {
    throw Refusal{error_at(program_.file, at, std::move(message))};
  }

  template <class Items>
  void unique(const Items& items, const std::string& what) const {
    std::vector<std::string_view> names;
    for (const auto& item : items) names.push_back(item.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice == names.end()) return;
    const auto last = std::find_if(items.rbegin(), items.rend(), [&](const auto& i) { return i.name == *twice; });
    refuse(last->at, "expected one " + what + " " + omen::quoted(*twice) + ", this is another");
  }

  Type resolve(const TypeName& written, bool may_be_void = false) const {
    if (const auto scalar = scalar_named(written.text)) {
      if (*scalar == Scalar::Void && !may_be_void) refuse(written.at, "expected a type that has values, found 'void'");
      return {*scalar};
    }
    const Structure* structure = find_named(program_.structures, written.text);
    if (structure == nullptr) refuse(written.at, "expected a type, found " + omen::quoted(written.text));
    return {Scalar::Reference, static_cast<std::uint32_t>(structure - program_.structures.data())};
  }

  std::uint32_t lay_out(std::vector<Variable>& variables) {
    std::uint32_t cells = 0;
    for (Variable& variable : variables) {
      if (!variable.is_lock) variable.type = resolve(variable.declared);
      if (variable.cells() > kMaxCells - cells) {
        refuse(variable.at, "expected at most " + std::to_string(kMaxCells) + " cells in all");
      }
      variable.cell = cells;
      cells += variable.cells();
      if (variable.initial.size() > variable.cells()) {
        refuse(variable.initial.back()->at, "expected at most " + std::to_string(variable.cells()) + " values");
      }
      variable.values.assign(variable.cells(), 0);
      for (std::size_t i = 0; i < variable.initial.size(); ++i) {
        Expression& constant = *variable.initial[i];
        require(constant, variable.type);
        const bool negative = constant.kind == Kind::Unary;
        const std::uint64_t value = (negative ? *constant.parts[0] : constant).number;
        variable.values[i] = fit(variable.type.scalar, negative ? std::uint64_t{0} - value : value);
      }
    }
    return cells;
  }

  void signature(Function& function) {
    function.type = resolve(function.returned, /*may_be_void=*/true);
    unique(function.parameters, "parameter");
    for (Variable& parameter : function.parameters) parameter.type = resolve(parameter.declared);
  }

  void main() {
    const Function* main = find_named(program_.functions, "main");
    if (main == nullptr) throw Refusal{{program_.file, "", "expected a function 'void main()'"}};
    if (!main->parameters.empty() || main->type != kVoid) refuse(main->at, "expected 'void main()'");
    program_.main = static_cast<std::uint32_t>(main - program_.functions.data());
  }

  // Statements

  struct Local {
    std::string_view name;
    Type type;
    std::uint32_t slot;
  };

  void body(Function& function) {
    function_ = &function;
    locals_.clear();
    for (Variable& parameter : function.parameters) {
      parameter.cell = new_slot(parameter.at);
      locals_.push_back({parameter.name, parameter.type, parameter.cell});
    }
    block(function.body);
    if (function.type != kVoid && !returns(function.body)) {
      refuse(function.at, "expected a return at the end of every path through " + omen::quoted(function.name));
    }
  }

  std::uint32_t new_slot(Position at) {
    if (function_->slots == kMaxLocals) refuse(at, "expected at most " + std::to_string(kMaxLocals) + " variables");
    return function_->slots++;
  }

  void block(std::vector<Statement>& statements) {
    const std::size_t outer = locals_.size();
    for (Statement& s : statements) statement(s, outer);
    locals_.resize(outer);
  }

  static bool returns(const std::vector<Statement>& statements) {
    if (statements.empty()) return false;
    const Statement& last = statements.back();
    switch (last.kind) {
      case Statement::Kind::Return:
        return true;
      case Statement::Kind::Block:
        return returns(last.body);
      case Statement::Kind::If:
        return returns(last.body) && returns(last.otherwise);
      default:
        return false;
    }
  }

  void statement(Statement& s, std::size_t scope) {
    switch (s.kind) {
      case Statement::Kind::Declare:
        return declare(s, scope);
      case Statement::Kind::Assign:
        require(*s.value, place(*s.target, /*lock=*/false));
        return;
      case Statement::Kind::Update:
        update(s);
        return;
      case Statement::Kind::If:
        condition(*s.value);
        block(s.body);
        block(s.otherwise);
        return;
      case Statement::Kind::While:
        condition(*s.value);
        block(s.body);
        return;
      case Statement::Kind::Return:
        return return_statement(s);
      case Statement::Kind::Lock:
      case Statement::Kind::Unlock:
        place(*s.target, /*lock=*/true);
        return;
      case Statement::Kind::Spawn:
        call(*s.target);
        thread_number(*s.value);
        return;
      case Statement::Kind::Wait:
        thread_number(*s.value);
        return;
      case Statement::Kind::Assert:
        condition(*s.value);
        return;
      case Statement::Kind::Print:
        infer(*s.value);
        has_value(*s.value);
        return;
      case Statement::Kind::Call:
        call(*s.target);
        return;
      case Statement::Kind::Block:
        return block(s.body);
    }
  }

  void declare(Statement& s, std::size_t scope) {
    const Type type = resolve(s.declared);
    if (s.value) require(*s.value, type);
    for (std::size_t i = scope; i < locals_.size(); ++i) {
      if (locals_[i].name == s.name) {
        refuse(s.at, "expected one variable " + omen::quoted(s.name) + " in this block, this is another");
      }
    }
    s.slot = new_slot(s.at);
    s.type = type;
    locals_.push_back({s.name, type, s.slot});
  }

  void update(Statement& s) {
    const Type type = place(*s.target, /*lock=*/false);
    if (!takes(s.op, type)) {
      refuse(s.operator_at, "expected a type that has '" + std::string(traits(s.op).text) + "', found " + shown(type));
    }
    require(*s.value, type);
  }

  void return_statement(Statement& s) {
    if (function_->type == kVoid) {
      if (s.value) refuse(s.value->at, "expected ';': " + omen::quoted(function_->name) + " returns nothing");
    } else if (!s.value) {
      refuse(s.at, "expected a value of type " + shown(function_->type));
    } else {
      require(*s.value, function_->type);
    }
  }

  void thread_number(Expression& e) {
    if (!is_integer(infer(e).scalar)) refuse(e.at, "expected a thread's number, an integer, found " + shown(e.type));
  }

  // Expressions

  std::string shown(Type type) const { return "'" + text(type, program_) + "'"; }

  void has_value(const Expression& e) const {
    if (e.type == kVoid) refuse(e.at, "expected a value: " + omen::quoted(e.name) + " returns nothing");
  }

  /// Integers are true if they are not 0.
  void condition(Expression& e) {
    const Type type = infer(e);
    has_value(e);
    if (type != kBool && !is_integer(type.scalar)) refuse(e.at, "expected a condition, found " + shown(type));
  }

  /// A variable, field or element that can be assigned or locked.
  Type place(Expression& e, bool lock) {
    if (e.kind != Kind::Name && e.kind != Kind::Field && e.kind != Kind::Element) {
      refuse(e.at, lock ? "expected a lock" : "expected a variable, a field or an element");
    }
    bool is_lock = false;
    access(e, is_lock);
    if (is_lock != lock) refuse(e.at, lock ? "expected a lock, found a variable" : "expected a variable, found a lock");
    return e.type;
  }

  /// True if its type is determined by its context.
  static bool flexible(const Expression& e) {
    switch (e.kind) {
      case Kind::Literal:
        return true;
      case Kind::Unary:
        return e.unary != UnaryOp::Not && flexible(*e.parts[0]);
      case Kind::Binary:
        return !is_comparison(e.binary) && !is_logical(e.binary) && flexible(*e.parts[0]) && flexible(*e.parts[1]);
      default:
        return false;
    }
  }

  /// Checks `e` in a context that needs a value of this type.
  void require(Expression& e, Type type) {
    if (is_integer(type.scalar) && flexible(e)) return adapt(e, type, /*negative=*/false);
    const Type found = infer(e);
    has_value(e);
    if (found == type) return;
    if (found == kNull && type.scalar == Scalar::Reference) {
      e.type = type;
      return;
    }
    refuse(e.at, "expected a value of type " + shown(type) + ", found " + shown(found));
  }

  /// Gives all numbers in `e` the type. Rejects those that do not fit.
  void adapt(Expression& e, Type type, bool negative) {
    e.type = type;
    if (e.kind == Kind::Literal) {
      const std::uint64_t most = is_signed(type.scalar) ? mask(type.scalar) / 2 : mask(type.scalar);
      if (e.number > most + (negative && is_signed(type.scalar) ? 1U : 0U)) {
        refuse(e.at, "expected a number that fits into " + shown(type));
      }
      return;
    }
    const bool minus = e.kind == Kind::Unary && e.unary == UnaryOp::Negate;
    for (const ExpressionPtr& part : e.parts) adapt(*part, type, minus);
  }

  Type infer(Expression& e) {
    switch (e.kind) {
      case Kind::Literal:
        adapt(e, literal_type(e), /*negative=*/false);
        return e.type;
      case Kind::Boolean:
        return e.type = kBool;
      case Kind::Null:
        return e.type = kNull;
      case Kind::Name:
      case Kind::Field:
      case Kind::Element:
        return place(e, /*lock=*/false);
      case Kind::Unary:
        return unary(e);
      case Kind::Binary:
        return binary(e);
      case Kind::Convert:
        return convert(e);
      case Kind::Call:
        return call(e);
      case Kind::New: {
        const Type type = resolve({e.name, e.at});
        e.index = type.structure;
        return e.type = type;
      }
    }
    OMEN_CHECK(false);
    return kVoid;
  }

  static Type literal_type(const Expression& e) {
    if (e.number <= 0x7fff'ffffU) return kI32;
    return {e.number <= ~std::uint64_t{0} / 2 ? Scalar::I64 : Scalar::U64};
  }

  void access(Expression& e, bool& is_lock) {
    if (e.kind == Kind::Element) {
      Expression& array = *e.parts[0];
      if (array.kind != Kind::Name && array.kind != Kind::Field) refuse(e.at, "expected an array before '['");
      const Variable* variable = base(array);
      if (variable == nullptr || !variable->size) refuse(e.at, "expected an array before '['");
      is_lock = variable->is_lock;
      e.type = variable->type;
      if (!is_integer(infer(*e.parts[1]).scalar)) {
        refuse(e.parts[1]->at, "expected an index, an integer, found " + shown(e.parts[1]->type));
      }
      return;
    }
    const Variable* variable = base(e);
    if (variable == nullptr) return;
    if (variable->size)
      refuse(e.at, "expected an element, as " + omen::quoted(e.name + "[0]") + ", found the whole array");
    is_lock = variable->is_lock;
  }

  /// Resolves a Name or Field; null for a local variable.
  const Variable* base(Expression& e) {
    if (e.kind == Kind::Name) {
      for (std::size_t i = locals_.size(); i-- > 0;) {
        if (locals_[i].name != e.name) continue;
        e.local = true;
        e.index = locals_[i].slot;
        e.type = locals_[i].type;
        return nullptr;
      }
      const Variable* variable = find_named(program_.shared, e.name);
      if (variable == nullptr) refuse(e.at, "expected a variable, found " + omen::quoted(e.name));
      e.index = static_cast<std::uint32_t>(variable - program_.shared.data());
      e.type = variable->type;
      return variable;
    }
    const Type object = infer(*e.parts[0]);
    if (object.scalar != Scalar::Reference || object.structure == Type::kAnyStructure) {
      refuse(e.at, "expected an object before '.', found " + shown(object));
    }
    const Structure& structure = program_.structures[object.structure];
    const Variable* field = find_named(structure.fields, e.name);
    if (field == nullptr)
      refuse(e.at, "expected a field of " + omen::quoted(structure.name) + ", found " + omen::quoted(e.name));
    e.index = static_cast<std::uint32_t>(field - structure.fields.data());
    e.type = field->type;
    return field;
  }

  Type unary(Expression& e) {
    Expression& part = *e.parts[0];
    if (e.unary == UnaryOp::Not) {
      condition(part);
      return e.type = kBool;
    }
    if (flexible(e)) {
      const bool minus = e.unary == UnaryOp::Negate && part.kind == Kind::Literal;
      adapt(e, minus && part.number == 0x8000'0000U ? kI32 : flexible_type(part), false);
      return e.type;
    }
    const Type type = infer(part);
    if (!is_integer(type.scalar)) refuse(e.at, "expected an integer, found " + shown(type));
    return e.type = type;
  }

  /// That of the largest number in it.
  static Type flexible_type(const Expression& e) {
    if (e.kind == Kind::Literal) return literal_type(e);
    Type type = kI32;
    for (const ExpressionPtr& part : e.parts) {
      const Type other = flexible_type(*part);
      if (other.scalar == Scalar::U64 || (other.scalar == Scalar::I64 && type.scalar == Scalar::I32)) type = other;
    }
    return type;
  }

  static bool takes(BinaryOp op, Type type) {
    if (is_integer(type.scalar)) return true;
    if (op == BinaryOp::Equal || op == BinaryOp::NotEqual) return type.scalar != Scalar::Void;
    return type == kBool && (op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor);
  }

  Type binary(Expression& e) {
    Expression& left = *e.parts[0];
    Expression& right = *e.parts[1];
    if (is_logical(e.binary)) {
      condition(left);
      condition(right);
      return e.type = kBool;
    }
    Type type;
    if (flexible(left) && flexible(right)) {
      const Type a = flexible_type(left);
      const Type b = flexible_type(right);
      type = width(a.scalar) > width(b.scalar) || a.scalar == Scalar::U64 ? a : b;
      adapt(left, type, false);
      adapt(right, type, false);
    } else {
      const bool by_right = flexible(left) || left.kind == Kind::Null;
      Expression& first = by_right ? right : left;
      type = infer(first);
      has_value(first);
      require(by_right ? left : right, type);
    }
    if (!takes(e.binary, type)) {
      refuse(e.at, "expected operands that have '" + std::string(traits(e.binary).text) + "', found " + shown(type));
    }
    return e.type = is_comparison(e.binary) ? kBool : type;
  }

  Type convert(Expression& e) {
    const Type from = infer(*e.parts[0]);
    if (from != kBool && !is_integer(from.scalar)) {
      refuse(e.parts[0]->at, "expected an integer or a bool, found " + shown(from));
    }
    return e.type = {e.to};
  }

  Type call(Expression& e) {
    const Function* function = find_named(program_.functions, e.name);
    if (function == nullptr) refuse(e.at, "expected a function, found " + omen::quoted(e.name));
    e.index = static_cast<std::uint32_t>(function - program_.functions.data());
    if (e.parts.size() != function->parameters.size()) {
      refuse(e.at, "expected " + std::to_string(function->parameters.size()) + " arguments, found " +
                       std::to_string(e.parts.size()));
    }
    for (std::size_t i = 0; i < e.parts.size(); ++i) require(*e.parts[i], function->parameters[i].type);
    return e.type = function->type;
  }

  Program& program_;
  Function* function_ = nullptr;
  std::vector<Local> locals_;
};

}  // namespace

std::expected<void, InputError> check(Program& program) {
  try {
    Checker(program).run();
    return {};
  } catch (Refusal& refusal) {
    return std::unexpected(std::move(refusal.error));
  }
}

std::expected<Program, InputError> load(std::string_view source, std::string file) {
  auto program = parse(source, std::move(file));
  if (!program) return program;
  if (auto good = check(*program); !good) return std::unexpected(std::move(good.error()));
  return program;
}

std::expected<Program, InputError> load_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(InputError{path, "", std::string("cannot open: ") + std::strerror(errno)});
  std::string source(kMaxSourceBytes + 1, '\0');
  file.read(source.data(), static_cast<std::streamsize>(source.size()));
  source.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return std::unexpected(InputError{path, "", "cannot read"});
  auto program = load(source, std::filesystem::path(path).filename().string());
  if (!program) program.error().file = path;
  return program;
}

std::string text(Type type, const Program& program) {
  if (type.scalar != Scalar::Reference) return std::string(traits(type.scalar).name);
  return type.structure == Type::kAnyStructure ? "null" : program.structures[type.structure].name;
}

}  // namespace omen::mini
