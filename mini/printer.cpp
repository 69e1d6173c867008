#include "mini/printer.hpp"

namespace omen::mini {
namespace {

using Kind = Expression::Kind;

constexpr int kUnaryPrecedence = 11;

int precedence(const Expression& e) {
  if (e.kind == Kind::Binary) return traits(e.binary).precedence;
  return e.kind == Kind::Unary ? kUnaryPrecedence : kUnaryPrecedence + 1;
}

class Printer {
 public:
  std::string out;

  void program(const Program& program) {
    for (const Structure& structure : program.structures) {
      line("struct " + structure.name + " {");
      ++indent_;
      for (const Variable& field : structure.fields) variable(field, "");
      --indent_;
      line("}");
    }
    for (const Variable& shared : program.shared) variable(shared, "shared ");
    for (const Function& function : program.functions) {
      std::string head = function.returned.text + " " + function.name + "(";
      for (const Variable& parameter : function.parameters) {
        if (&parameter != &function.parameters.front()) head += ", ";
        head += parameter.declared.text + " " + parameter.name;
      }
      line("");
      line(head + ") {");
      block(function.body);
      line("}");
    }
  }

  /// In parentheses if its operator binds less tightly than `least`.
  std::string expression(const Expression& e, int least = 0) {
    const std::string text = bare(e);
    return precedence(e) < least ? "(" + text + ")" : text;
  }

 private:
  void line(const std::string& text) {
    if (!text.empty()) out += std::string(2 * indent_, ' ') + text;
    out += "\n";
  }

  void variable(const Variable& v, const std::string& before) {
    std::string text = v.is_lock ? "lock " : before + v.declared.text + " ";
    text += v.name;
    if (v.size) text += "[" + std::to_string(*v.size) + "]";
    if (!v.initial.empty()) {
      text += v.size ? " = {" : " = ";
      for (const ExpressionPtr& value : v.initial) {
        if (&value != &v.initial.front()) text += ", ";
        text += expression(*value);
      }
      if (v.size) text += "}";
    }
    line(text + ";");
  }

  std::string bare(const Expression& e) {
    switch (e.kind) {
      case Kind::Literal:
        return std::to_string(e.number);
      case Kind::Boolean:
        return e.number != 0 ? "true" : "false";
      case Kind::Null:
        return "null";
      case Kind::Name:
        return e.name;
      case Kind::Field:
        return expression(*e.parts[0], kUnaryPrecedence + 1) + "." + e.name;
      case Kind::Element:
        return expression(*e.parts[0], kUnaryPrecedence + 1) + "[" + expression(*e.parts[1]) + "]";
      case Kind::Unary: {
        // "--" would be a different token.
        const bool twice = e.parts[0]->kind == Kind::Unary && e.parts[0]->unary == e.unary;
        return std::string(text(e.unary)) + expression(*e.parts[0], kUnaryPrecedence + (twice ? 1 : 0));
      }
      case Kind::Binary: {
        const int own = traits(e.binary).precedence;
        return expression(*e.parts[0], own) + " " + std::string(traits(e.binary).text) + " " +
               expression(*e.parts[1], own + 1);
      }
      case Kind::Convert:
        return std::string(traits(e.to).name) + "(" + expression(*e.parts[0]) + ")";
      case Kind::Call: {
        std::string text = e.name + "(";
        for (const ExpressionPtr& argument : e.parts) {
          if (&argument != &e.parts.front()) text += ", ";
          text += expression(*argument);
        }
        return text + ")";
      }
      case Kind::New:
        return "new " + e.name;
    }
    return "";
  }

  void block(const std::vector<Statement>& statements) {
    ++indent_;
    for (const Statement& s : statements) statement(s);
    --indent_;
  }

  void statement(const Statement& s) {
    const auto value = [&] { return expression(*s.value); };
    const auto target = [&] { return expression(*s.target); };
    switch (s.kind) {
      case Statement::Kind::Declare:
        return line(s.declared.text + " " + s.name + (s.value ? " = " + value() : "") + ";");
      case Statement::Kind::Assign:
        return line(target() + " = " + value() + ";");
      case Statement::Kind::Update:
        return line(target() + " " + std::string(traits(s.op).text) + "= " + value() + ";");
      case Statement::Kind::If:
        return if_statement(s, "");
      case Statement::Kind::While:
        line("while (" + value() + ") {");
        block(s.body);
        return line("}");
      case Statement::Kind::Return:
        return line(s.value ? "return " + value() + ";" : "return;");
      case Statement::Kind::Lock:
        return line("lock " + target() + ";");
      case Statement::Kind::Unlock:
        return line("unlock " + target() + ";");
      case Statement::Kind::Spawn:
        return line("spawn " + target() + " as " + value() + ";");
      case Statement::Kind::Wait:
        return line("wait " + value() + ";");
      case Statement::Kind::Assert:
        return line("assert " + value() + ";");
      case Statement::Kind::Print:
        return line("print " + value() + ";");
      case Statement::Kind::Call:
        return line(target() + ";");
      case Statement::Kind::Block:
        line("{");
        block(s.body);
        return line("}");
    }
  }

  void if_statement(const Statement& s, const std::string& before) {
    line(before + "if (" + expression(*s.value) + ") {");
    block(s.body);
    if (s.otherwise.empty()) return line("}");
    if (s.otherwise.size() == 1 && s.otherwise[0].kind == Statement::Kind::If) {
      return if_statement(s.otherwise[0], "} else ");
    }
    line("} else {");
    block(s.otherwise);
    line("}");
  }

  std::size_t indent_ = 0;
};

}  // namespace

std::string print(const Program& program) {
  Printer printer;
  printer.program(program);
  return std::move(printer.out);
}

std::string print(const Expression& expression) {
  return Printer().expression(expression);
}

}  // namespace omen::mini
