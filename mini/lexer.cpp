#include "mini/lexer.hpp"

#include <array>

#include "trace/quote.hpp"

namespace omen::mini {
namespace {

constexpr bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Longer symbols first: the first match is taken.
constexpr std::array<std::string_view, 44> kSymbols{"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
                                                    "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "++", "--", "+",  "-",
                                                    "*",   "/",   "%",  "<",  ">",  "=",  "!",  "~",  "&",  "|",  "^",
                                                    "(",   ")",   "{",  "}",  "[",  "]",  ";",  ",",  ".",  "?",  ":"};

class Lexer {
 public:
  Lexer(std::string_view source, const std::string& file) : source_(source), file_(file) {}

  std::expected<std::vector<Token>, InputError> run() {
    std::vector<Token> tokens;
    while (true) {
      if (auto skipped = skip(); !skipped) return std::unexpected(std::move(skipped.error()));
      auto token = next();
      if (!token) return std::unexpected(std::move(token.error()));
      tokens.push_back(*token);
      if (token->kind == Token::Kind::End) return tokens;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const { return offset_ + ahead < source_.size() ? source_[offset_ + ahead] : '\0'; }
  bool at_end() const { return offset_ >= source_.size(); }
  void advance(std::size_t count) {
    for (; count > 0; --count, ++offset_) {
      if (source_[offset_] == '\n') {
        ++at_.line;
        at_.column = 1;
      } else {
        ++at_.column;
      }
    }
  }

  /// Skips blanks and comments.
  std::expected<void, InputError> skip() {
    while (!at_end()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        advance(1);
      } else if (c == '/' && peek(1) == '/') {
        while (!at_end() && peek() != '\n') advance(1);
      } else if (c == '/' && peek(1) == '*') {
        const Position start = at_;
        const std::size_t end = source_.find("*/", offset_ + 2);
        if (end == std::string_view::npos) {
          return std::unexpected(error_at(file_, start, "expected the end of this comment, '*/'"));
        }
        advance(end + 2 - offset_);
      } else {
        break;
      }
    }
    return {};
  }

  std::expected<Token, InputError> next() {
    if (at_end()) return Token{Token::Kind::End, {}, 0, at_};
    if (starts_word(peek())) {
      std::size_t length = 1;
      while (starts_word(peek(length)) || is_digit(peek(length))) ++length;
      return take(Token::Kind::Word, length, 0);
    }
    if (is_digit(peek())) return number();
    for (const std::string_view symbol : kSymbols) {
      if (source_.substr(offset_).starts_with(symbol)) return take(Token::Kind::Symbol, symbol.size(), 0);
    }
    return std::unexpected(
        error_at(file_, at_, "no text of the language begins with " + quoted(source_.substr(offset_, 1))));
  }

  std::expected<Token, InputError> number() {
    const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    const std::uint64_t base = hexadecimal ? 16 : 10;
    const std::size_t start = hexadecimal ? 2 : 0;
    std::size_t length = start;
    std::uint64_t value = 0;
    for (; static_cast<std::uint64_t>(digit_value(peek(length))) < base; ++length) {
      const auto digit = static_cast<std::uint64_t>(digit_value(peek(length)));
      if (value > (~std::uint64_t{0} - digit) / base) {
        return std::unexpected(error_at(file_, at_, "expected a number below 2^64"));
      }
      value = value * base + digit;
    }
    if (length == start || starts_word(peek(length)) || is_digit(peek(length))) {
      return std::unexpected(error_at(file_, at_, "expected a number, as 42 or 0x2a"));
    }
    return take(Token::Kind::Number, length, value);
  }

  Token take(Token::Kind kind, std::size_t length, std::uint64_t number) {
    const Token token{kind, source_.substr(offset_, length), number, at_};
    advance(length);
    return token;
  }

  std::string_view source_;
  const std::string& file_;
  std::size_t offset_ = 0;
  Position at_{1, 1};
};

}  // namespace

InputError error_at(const std::string& file, Position at, std::string message) {
  return {file, std::to_string(at.line) + ":" + std::to_string(at.column), std::move(message)};
}

std::expected<std::vector<Token>, InputError> tokens_of(std::string_view source, const std::string& file) {
  if (source.size() > kMaxSourceBytes) {
    return std::unexpected(InputError{file, "", "expected at most " + std::to_string(kMaxSourceBytes) + " bytes"});
  }
  return Lexer(source, file).run();
}

}  // namespace omen::mini
