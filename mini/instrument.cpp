#include "mini/instrument.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mini/checker.hpp"
#include "mini/lexer.hpp"
#include "mini/printer.hpp"
#include "trace/quote.hpp"

namespace omen::mini {
namespace {

using Kind = Expression::Kind;

/// Thrown within the pass, caught by `instrument`.
struct Refusal {
  InputError error;
};

/// A variable or a lock as the source names it, with the parts that name its metadata.
struct Place {
  std::string object;  ///< `n.`, or empty
  std::string name;
  std::string index;  ///< an expression without loads, or empty

  std::string text(const std::string& prefix) const {
    return object + prefix + name + (index.empty() ? "" : "[" + index + "]");
  }
};

class Instrumenter {
 public:
  Instrumenter(const Program& program, std::uint32_t threads) : program_(program), threads_(threads) {}

  std::string run() {
    line("// Instrumented for race detection by vector clocks; an assertion fails where " + program_.file + " races.");
    for (const Structure& structure : program_.structures) {
      check_name(structure.name, structure.at);
      line("struct " + structure.name + " {");
      ++indent_;
      for (const Variable& field : structure.fields) declare(field, "");
      --indent_;
      line("}");
    }
    line("shared u32 vc_C[" + std::to_string(threads_ * threads_) + "] = {" + first_clocks() + "};");
    for (const Variable& shared : program_.shared) declare(shared, "shared ");
    for (const Function& f : program_.functions) function(f);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += std::string(text.empty() ? 0 : 2 * indent_, ' ') + text + "\n"; }
  void check_name(const std::string& name, Position at) const {
    if (!name.starts_with("vc_")) return;
    throw Refusal{error_at(program_.file, at, "expected no name that begins with 'vc_', found " + omen::quoted(name))};
  }

  // Declarations

  std::string first_clocks() const {
    std::string text;
    for (std::uint32_t t = 0; t < threads_; ++t) {
      for (std::uint32_t u = 0; u < threads_; ++u) text += (text.empty() ? "" : ", ") + std::string(t == u ? "1" : "0");
    }
    return text;
  }

  void declare(const Variable& v, const std::string& before) {
    check_name(v.name, v.at);
    const std::string size = v.size ? "[" + std::to_string(*v.size) + "]" : "";
    if (v.cells() > kMaxCells / threads_) {
      throw Refusal{error_at(program_.file, v.at, "expected a smaller array: it needs clocks for each element")};
    }
    const std::string clocks = "[" + std::to_string(v.cells() * threads_) + "];";
    if (v.is_lock) {
      line("lock " + v.name + size + ";");
      line(before + "u32 vc_L_" + v.name + clocks);
      return;
    }
    std::string initial;
    for (const ExpressionPtr& value : v.initial) initial += (initial.empty() ? "" : ", ") + print(*value);
    if (!initial.empty()) initial = v.size ? " = {" + initial + "}" : " = " + initial;
    line(before + v.declared.text + " " + v.name + size + initial + ";");
    line(before + "u32 vc_R_" + v.name + clocks);
    line(before + "u32 vc_W_" + v.name + clocks);
    line("lock vc_X_" + v.name + size + ";");
  }

  void function(const Function& f) {
    check_name(f.name, f.at);
    const bool is_main = &f == &program_.functions[program_.main];
    std::string head = f.returned.text + " " + f.name + "(" + (is_main ? "" : "u32 vc_t");
    for (const Variable& parameter : f.parameters) {
      check_name(parameter.name, parameter.at);
      head += ", " + parameter.declared.text + " " + parameter.name;
    }
    line("");
    line(head + ") {");
    ++indent_;
    if (is_main) line("u32 vc_t = 0;");
    line("u32 vc_1;");
    line("u32 vc_2;");
    for (const Statement& s : f.body) statement(s);
    --indent_;
    line("}");
  }

  // Figure 8, on entries of clocks as the source names them

  std::string clock(const std::string& t, const std::string& u) const {
    return "vc_C[" + t + " * " + std::to_string(threads_) + " + " + u + "]";
  }
  std::string entry(const Place& place, const char* prefix, const std::string& t) const {
    const std::string row = place.index.empty() ? "" : "u32(" + place.index + ") * " + std::to_string(threads_) + " + ";
    return place.object + prefix + place.name + "[" + row + t + "]";
  }
  void move(const std::string& from, const std::string& to) {
    line("vc_1 = " + from + ";");
    line(to + " = vc_1;");
  }
  void max(const std::string& from, const std::string& to) {
    line("vc_1 = " + from + ";");
    line("vc_2 = " + to + ";");
    line("if (vc_1 > vc_2) {");
    line("  " + to + " = vc_1;");
    line("}");
  }
  void check_leq(const std::string& a, const std::string& b) {
    line("vc_1 = " + a + ";");
    line("vc_2 = " + b + ";");
    line("assert vc_1 <= vc_2;");
  }
  void increment() {
    line("vc_1 = " + clock("vc_t", "vc_t") + ";");
    line(clock("vc_t", "vc_t") + " = vc_1 + 1;");
  }
  template <class Each>
  void for_each_thread(Each each) {
    for (std::uint32_t t = 0; t < threads_; ++t) each(std::to_string(t));
  }

  // Figure 9 with section 4.3

  std::string load(const Place& place, Type type) {
    line("lock " + place.text("vc_X_") + ";");
    for_each_thread([&](const std::string& t) { check_leq(entry(place, "vc_W_", t), clock("vc_t", t)); });
    move(clock("vc_t", "vc_t"), entry(place, "vc_R_", "vc_t"));
    const std::string loaded = define(type, place.text(""));
    line("unlock " + place.text("vc_X_") + ";");
    return loaded;
  }
  void store(const Place& place, const std::string& value) {
    line("lock " + place.text("vc_X_") + ";");
    for_each_thread([&](const std::string& t) { check_leq(entry(place, "vc_W_", t), clock("vc_t", t)); });
    for_each_thread([&](const std::string& t) { check_leq(entry(place, "vc_R_", t), clock("vc_t", t)); });
    move(clock("vc_t", "vc_t"), entry(place, "vc_W_", "vc_t"));
    line(place.text("") + " = " + value + ";");
    line("unlock " + place.text("vc_X_") + ";");
  }
  void lock(const Place& place) {
    line("lock " + place.text("") + ";");
    for_each_thread([&](const std::string& t) { max(entry(place, "vc_L_", t), clock("vc_t", t)); });
  }
  void unlock(const Place& place) {
    for_each_thread([&](const std::string& t) { move(clock("vc_t", t), entry(place, "vc_L_", t)); });
    increment();
    line("unlock " + place.text("") + ";");
  }
  void spawn(const Statement& s) {
    const std::string arguments = flat_arguments(*s.target);
    const std::string number = flat(*s.value);
    const std::string u = define({Scalar::U32}, "u32(" + number + ")");
    for_each_thread([&](const std::string& t) { max(clock("vc_t", t), clock(u, t)); });
    increment();
    line("spawn " + s.target->name + "(" + u + arguments + ") as " + number + ";");
  }
  void wait(const Statement& s) {
    const std::string number = flat(*s.value);
    line("wait " + number + ";");
    const std::string u = define({Scalar::U32}, "u32(" + number + ")");
    for_each_thread([&](const std::string& t) { max(clock(u, t), clock("vc_t", t)); });
  }

  // Statements

  void block(const std::vector<Statement>& statements) {
    ++indent_;
    for (const Statement& s : statements) statement(s);
    --indent_;
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Declare: {
        check_name(s.name, s.at);
        const std::string value = s.value ? " = " + flat(*s.value) : "";
        return line(s.declared.text + " " + s.name + value + ";");
      }
      case Statement::Kind::Assign: {
        if (s.target->local) return line(s.target->name + " = " + flat(*s.value) + ";");
        const Place to = place(*s.target);
        return store(to, flat(*s.value));
      }
      case Statement::Kind::Update:
        return update(s);
      case Statement::Kind::If:
        line("if (" + flat(*s.value) + ") {");
        block(s.body);
        if (!s.otherwise.empty()) {
          line("} else {");
          block(s.otherwise);
        }
        return line("}");
      case Statement::Kind::While:
        return while_statement(s);
      case Statement::Kind::Return:
        return line(s.value ? "return " + flat(*s.value) + ";" : "return;");
      case Statement::Kind::Lock:
        return lock(place(*s.target));
      case Statement::Kind::Unlock:
        return unlock(place(*s.target));
      case Statement::Kind::Spawn:
        return spawn(s);
      case Statement::Kind::Wait:
        return wait(s);
      case Statement::Kind::Assert:
        return line("assert " + flat(*s.value) + ";");
      case Statement::Kind::Print:
        return line("print " + flat(*s.value) + ";");
      case Statement::Kind::Call:
        return line(s.target->name + "(vc_t" + flat_arguments(*s.target) + ");");
      case Statement::Kind::Block:
        line("{");
        block(s.body);
        return line("}");
    }
  }

  void update(const Statement& s) {
    const std::string op = " " + std::string(traits(s.op).text);
    if (s.target->local) return line(s.target->name + op + "= " + flat(*s.value) + ";");
    const Place to = place(*s.target);
    const std::string old = load(to, s.target->type);
    const std::string operand = flat(*s.value);
    store(to, define(s.target->type, old + op + " " + operand));
  }

  void while_statement(const Statement& s) {
    if (silent(*s.value)) {
      line("while (" + flat(*s.value) + ") {");
      block(s.body);
      return line("}");
    }
    const std::string on = define(kBool, "true");
    line("while (" + on + ") {");
    ++indent_;
    line(on + " = " + truth(*s.value) + ";");
    line("if (" + on + ") {");
    block(s.body);
    line("}");
    --indent_;
    line("}");
  }

  // Expressions: each first emits the statements it needs, then returns a non-faulting expression over local variables

  /// A new local variable.
  std::string define(Type type, const std::string& value) {
    const std::string name = "vc_v" + std::to_string(++variables_);
    line(text(type, program_) + " " + name + " = " + value + ";");
    return name;
  }

  Place place(const Expression& e) {
    Place result;
    const Expression& base = e.kind == Kind::Element ? *e.parts[0] : e;
    if (base.kind == Kind::Field) result.object = flat(*base.parts[0]) + ".";
    result.name = base.name;
    if (e.kind == Kind::Element) result.index = flat(*e.parts[1]);
    return result;
  }

  static bool silent(const Expression& e) {
    if (e.kind == Kind::Call || e.kind == Kind::New || e.kind == Kind::Field || e.kind == Kind::Element) return false;
    if (e.kind == Kind::Name && !e.local) return false;
    if (e.kind == Kind::Binary && divides(e.binary)) return false;
    return std::ranges::all_of(e.parts, [](const ExpressionPtr& part) { return silent(*part); });
  }

  std::string truth(const Expression& e) { return e.type == kBool ? flat(e) : "bool(" + flat(e) + ")"; }

  std::string flat(const Expression& e) {
    switch (e.kind) {
      case Kind::Literal:
      case Kind::Boolean:
      case Kind::Null:
        return print(e);
      case Kind::Name:
      case Kind::Field:
      case Kind::Element:
        return e.local ? e.name : load(place(e), e.type);
      case Kind::Unary:
        return "(" + std::string(text_of(e.unary)) + flat(*e.parts[0]) + ")";
      case Kind::Binary:
        return flat_binary(e);
      case Kind::Convert:
        return std::string(traits(e.to).name) + "(" + flat(*e.parts[0]) + ")";
      case Kind::Call: {
        const std::string arguments = flat_arguments(e);
        return define(e.type, e.name + "(vc_t" + arguments + ")");
      }
      case Kind::New:
        return define(e.type, "new " + e.name);
    }
    return "";
  }

  static std::string_view text_of(UnaryOp op) { return mini::text(op); }

  std::string flat_binary(const Expression& e) {
    const std::string op = " " + std::string(traits(e.binary).text) + " ";
    if (!is_logical(e.binary) || silent(*e.parts[1])) {
      const std::string left = flat(*e.parts[0]);
      const std::string right = flat(*e.parts[1]);
      return divides(e.binary) ? define(e.type, left + op + right) : "(" + left + op + right + ")";
    }
    const std::string result = define(kBool, truth(*e.parts[0]));
    line(std::string("if (") + (e.binary == BinaryOp::LogicalOr ? "!" : "") + result + ") {");
    ++indent_;
    line(result + " = " + truth(*e.parts[1]) + ";");
    --indent_;
    line("}");
    return result;
  }

  /// Each preceded by a comma.
  std::string flat_arguments(const Expression& call) {
    if (call.index == program_.main) {
      throw Refusal{error_at(program_.file, call.at, "expected that main is neither called nor spawned")};
    }
    std::string arguments;
    for (const ExpressionPtr& argument : call.parts) arguments += ", " + flat(*argument);
    return arguments;
  }

  const Program& program_;
  std::uint32_t threads_;
  std::string out_;
  std::size_t indent_ = 0;
  std::size_t variables_ = 0;
};

/// The largest thread number, if all are constants.
void spawned(const std::vector<Statement>& statements, const Program& program, std::uint64_t& largest) {
  for (const Statement& s : statements) {
    spawned(s.body, program, largest);
    spawned(s.otherwise, program, largest);
    if (s.kind != Statement::Kind::Spawn) continue;
    if (s.value->kind != Kind::Literal) {
      throw Refusal{error_at(program.file, s.value->at,
                             "expected a constant, or to be told how many threads there are (--threads)")};
    }
    largest = std::max(largest, s.value->number);
  }
}

}  // namespace

std::expected<std::string, InputError> instrument(const Program& program, std::optional<std::uint32_t> threads) {
  try {
    if (!threads) {
      std::uint64_t largest = 0;
      for (const Function& function : program.functions) spawned(function.body, program, largest);
      threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(largest, kMaxThread)) + 1;
    }
    return Instrumenter(program, *threads).run();
  } catch (Refusal& refusal) {
    return std::unexpected(std::move(refusal.error));
  }
}

}  // namespace omen::mini
