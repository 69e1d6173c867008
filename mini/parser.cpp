#include "mini/parser.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mini/lexer.hpp"
#include "trace/quote.hpp"

namespace omen::mini {
namespace {

constexpr std::array<std::string_view, 17> kReserved{"shared", "lock",   "unlock", "struct", "if",   "else",
                                                     "while",  "return", "spawn",  "as",     "wait", "assert",
                                                     "print",  "new",    "null",   "true",   "false"};

bool reserved(std::string_view word) {
  return scalar_named(word) || std::ranges::find(kReserved, word) != kReserved.end();
}

/// Thrown within the parser, caught by `parse`.
struct Refusal {
  InputError error;
};

constexpr unsigned kMaxLevels = 1000;  ///< nesting depth of rules

class Parser {
 public:
  Parser(std::vector<Token> tokens, std::string file) : tokens_(std::move(tokens)) { program_.file = std::move(file); }

  Program run() {
    while (token().kind != Token::Kind::End) item();
    return std::move(program_);
  }

 private:
  /// Counts the nesting depth of rules.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.level_ > kMaxLevels) parser_.refuse(parser_.token().at, "expected less deeply nested text");
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  const Token& token(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  bool at(std::string_view text, std::size_t ahead = 0) const {
    return token(ahead).text == text && token(ahead).kind != Token::Kind::End;
  }
  bool at_name(std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::Word && !reserved(token(ahead).text);
  }
  Token take() {
    const Token taken = token();
    if (next_ + 1 < tokens_.size()) ++next_;
    return taken;
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    take();
    return true;
  }

  [[noreturn]] void refuse(Position position, std::string message) const {
    throw Refusal{error_at(program_.file, position, std::move(message))};
  }
  [[noreturn]] void expected(const std::string& what) const {
    const std::string found = token().kind == Token::Kind::End ? "the end of the file" : quoted(token().text);
    refuse(token().at, "expected " + what + ", found " + found);
  }
  void expect(std::string_view text) {
    if (!accept(text)) expected("'" + std::string(text) + "'");
  }
  std::string name(const std::string& what) {
    if (!at_name()) expected(what);
    return std::string(take().text);
  }
  std::uint64_t number(const std::string& what) {
    if (token().kind != Token::Kind::Number) expected(what);
    return take().number;
  }

  // Items

  void item() {
    const Position start = token().at;
    if (accept("shared")) {
      program_.shared.push_back(variable(/*initialised=*/true));
    } else if (at("lock")) {
      program_.shared.push_back(variable(/*initialised=*/false));
    } else if (accept("struct")) {
      structure(start);
    } else if (at_type()) {
      function(start);
    } else {
      expected("'shared', 'lock', 'struct' or a function's type");
    }
  }

  bool at_type(std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::Word && (scalar_named(token(ahead).text) || at_name(ahead));
  }
  TypeName type(const std::string& what) {
    if (!at_type()) expected(what);
    const Token taken = take();
    return {std::string(taken.text), taken.at};
  }

  /// A shared variable, a lock or a field, with its semicolon.
  Variable variable(bool initialised) {
    Variable variable;
    variable.is_lock = accept("lock");
    if (!variable.is_lock) variable.declared = type("a type");
    variable.at = token().at;
    variable.name = name("a variable's name");
    if (accept("[")) {
      const Position where = token().at;
      const std::uint64_t size = number("an array's size");
      if (size == 0 || size > kMaxCells) refuse(where, "expected a size from 1 to " + std::to_string(kMaxCells));
      variable.size = static_cast<std::uint32_t>(size);
      expect("]");
    }
    if (initialised && !variable.is_lock && accept("=")) {
      if (variable.size) {
        expect("{");
        do variable.initial.push_back(initial());
        while (accept(","));
        expect("}");
      } else {
        variable.initial.push_back(initial());
      }
    }
    expect(";");
    return variable;
  }

  ExpressionPtr initial() {
    const Position start = token().at;
    const bool negative = accept("-");
    if (negative ? token().kind != Token::Kind::Number : !at_literal()) expected("a constant");
    ExpressionPtr literal = primary();
    if (!negative) return literal;
    ExpressionPtr minus = node(Expression::Kind::Unary, start, std::move(literal));
    minus->unary = UnaryOp::Negate;
    return minus;
  }

  void structure(Position start) {
    Structure structure;
    structure.at = start;
    structure.name = name("a struct's name");
    expect("{");
    while (!accept("}")) structure.fields.push_back(variable(/*initialised=*/false));
    program_.structures.push_back(std::move(structure));
  }

  void function(Position start) {
    Function function;
    function.at = start;
    function.returned = type("a type");
    function.name = name("a function's name");
    expect("(");
    if (!accept(")")) {
      do {
        Variable parameter;
        parameter.declared = type("a parameter's type or ')'");
        parameter.at = token().at;
        parameter.name = name("a parameter's name");
        function.parameters.push_back(std::move(parameter));
      } while (accept(","));
      expect(")");
    }
    function.body = block();
    program_.functions.push_back(std::move(function));
  }

  // Statements

  std::vector<Statement> block() {
    const Level level(*this);
    expect("{");
    std::vector<Statement> statements;
    while (!accept("}")) statements.push_back(statement());
    return statements;
  }

  Statement statement() {
    const Level level(*this);
    Statement s;
    s.at = token().at;
    if (at("{")) {
      s.kind = Statement::Kind::Block;
      s.body = block();
      return s;
    }
    if (accept("if")) return if_statement(std::move(s));
    if (accept("while")) {
      s.kind = Statement::Kind::While;
      expect("(");
      s.value = expression();
      expect(")");
      s.body = block();
      return s;
    }
    simple_statement(s);
    expect(";");
    return s;
  }

  Statement if_statement(Statement s) {
    s.kind = Statement::Kind::If;
    expect("(");
    s.value = expression();
    expect(")");
    s.body = block();
    if (accept("else")) {
      if (at("if")) {
        s.otherwise.push_back(statement());
      } else {
        s.otherwise = block();
      }
    }
    return s;
  }

  void simple_statement(Statement& s) {
    if (accept("lock")) {
      s.kind = Statement::Kind::Lock;
      s.target = postfix();
    } else if (accept("unlock")) {
      s.kind = Statement::Kind::Unlock;
      s.target = postfix();
    } else if (accept("spawn")) {
      spawn(s);
    } else if (accept("wait")) {
      s.kind = Statement::Kind::Wait;
      s.value = expression();
    } else if (accept("assert")) {
      s.kind = Statement::Kind::Assert;
      s.value = expression();
    } else if (accept("print")) {
      s.kind = Statement::Kind::Print;
      s.value = expression();
    } else if (accept("return")) {
      s.kind = Statement::Kind::Return;
      if (!at(";")) s.value = expression();
    } else if (at_type() && at_name(1)) {
      s.kind = Statement::Kind::Declare;
      s.declared = type("a type");
      s.name = name("a variable's name");
      if (accept("=")) s.value = expression();
    } else if (at_name()) {
      assignment_or_call(s);
    } else {
      expected("a statement");
    }
  }

  void spawn(Statement& s) {
    s.kind = Statement::Kind::Spawn;
    if (!at_name() || !at("(", 1)) expected("the call that the thread performs");
    s.target = primary();
    expect("as");
    s.value = expression();
  }

  void assignment_or_call(Statement& s) {
    s.target = postfix();
    if (s.target->kind == Expression::Kind::Call) {
      s.kind = Statement::Kind::Call;
      return;
    }
    if (accept("=")) {
      s.kind = Statement::Kind::Assign;
      s.value = expression();
      return;
    }
    s.kind = Statement::Kind::Update;
    const Position where = token().at;
    s.operator_at = where;
    if (at("++") || at("--")) {
      s.op = take().text == "++" ? BinaryOp::Add : BinaryOp::Sub;
      s.value = node(Expression::Kind::Literal, where);
      s.value->number = 1;
      return;
    }
    if (token().kind == Token::Kind::Symbol && token().text.ends_with('=')) {
      if (const auto op = binary_named(token().text.substr(0, token().text.size() - 1))) {
        s.op = *op;
        take();
        s.value = expression();
        return;
      }
    }
    expected("'=', '+=' or the like, or '('");
  }

  // Expressions

  static std::optional<BinaryOp> binary_named(std::string_view text) {
    for (std::size_t i = 0; i < kBinaryTraits.size(); ++i) {
      if (kBinaryTraits[i].text == text) return static_cast<BinaryOp>(i);
    }
    return std::nullopt;
  }

  template <class... Parts>
  ExpressionPtr node(Expression::Kind kind, Position start, Parts... parts) {
    auto e = std::make_unique<Expression>();
    e->kind = kind;
    e->at = start;
    (adopt(*e, std::move(parts)), ...);
    return e;
  }
  void adopt(Expression& e, ExpressionPtr part) {
    e.height = std::max(e.height, part->height + 1);
    if (e.height > kMaxHeight) refuse(part->at, "expected a less deeply nested expression");
    e.parts.push_back(std::move(part));
  }

  /// Operators of at least this precedence.
  ExpressionPtr expression(int precedence = 1) {
    const Level level(*this);
    ExpressionPtr left = unary();
    while (token().kind == Token::Kind::Symbol) {
      const auto op = binary_named(token().text);
      if (!op || traits(*op).precedence < precedence) break;
      const Position where = take().at;
      ExpressionPtr right = expression(traits(*op).precedence + 1);
      left = node(Expression::Kind::Binary, where, std::move(left), std::move(right));
      left->binary = *op;
    }
    return left;
  }

  ExpressionPtr unary() {
    const Level level(*this);
    const Position start = token().at;
    if (!at("-") && !at("~") && !at("!")) return postfix();
    const char symbol = take().text.front();
    ExpressionPtr e = node(Expression::Kind::Unary, start, unary());
    e->unary = symbol == '-' ? UnaryOp::Negate : symbol == '~' ? UnaryOp::Complement : UnaryOp::Not;
    return e;
  }

  ExpressionPtr postfix() {
    ExpressionPtr e = primary();
    while (true) {
      const Position where = token().at;
      if (accept(".")) {
        e = node(Expression::Kind::Field, where, std::move(e));
        e->name = name("a field's name");
      } else if (accept("[")) {
        e = node(Expression::Kind::Element, where, std::move(e), expression());
        expect("]");
      } else {
        return e;
      }
    }
  }

  bool at_literal() const { return token().kind == Token::Kind::Number || at("true") || at("false") || at("null"); }

  ExpressionPtr primary() {
    const Level level(*this);
    const Position start = token().at;
    if (at_literal()) {
      const Token taken = take();
      if (taken.text == "null") return node(Expression::Kind::Null, start);
      const bool is_number = taken.kind == Token::Kind::Number;
      ExpressionPtr e = node(is_number ? Expression::Kind::Literal : Expression::Kind::Boolean, start);
      e->number = is_number ? taken.number : (taken.text == "true" ? 1 : 0);
      return e;
    }
    if (accept("(")) {
      ExpressionPtr e = expression();
      expect(")");
      return e;
    }
    if (accept("new")) {
      ExpressionPtr e = node(Expression::Kind::New, start);
      e->name = name("a struct's name");
      return e;
    }
    if (const auto scalar = scalar_named(token().text); scalar && token().kind == Token::Kind::Word) {
      if (*scalar == Scalar::Void) expected("an expression");
      take();
      expect("(");
      ExpressionPtr e = node(Expression::Kind::Convert, start, expression());
      e->to = *scalar;
      expect(")");
      return e;
    }
    if (!at_name()) expected("an expression");
    const std::string text = name("a name");
    ExpressionPtr e = node(at("(") ? Expression::Kind::Call : Expression::Kind::Name, start);
    e->name = text;
    if (e->kind == Expression::Kind::Call) {
      expect("(");
      if (!accept(")")) {
        do adopt(*e, expression());
        while (accept(","));
        expect(")");
      }
    }
    return e;
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  unsigned level_ = 0;
  Program program_;
};

}  // namespace

std::expected<Program, InputError> parse(std::string_view source, std::string file) {
  auto tokens = tokens_of(source, file);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  try {
    return Parser(std::move(*tokens), std::move(file)).run();
  } catch (Refusal& refusal) {
    return std::unexpected(std::move(refusal.error));
  }
}

}  // namespace omen::mini
