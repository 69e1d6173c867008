/// \file
/// The memory accesses that the formats of `printf` and `scanf` imply: which texts are read, and where values are
/// written.
///
/// The arguments are fetched as the C library does it, in their order and with the types of the conversions, also if
/// the conversions name them by position (`%2$s`). An unknown conversion ends the search: the types of the arguments
/// after it are unknown. This file calls nothing of the runtime, so it is tested alone.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace omen::formats {

enum class Length : std::uint8_t { None, Char, Short, Long, LongLong, LongDouble, Max, Size, Difference };

/// The most arguments and conversions that are examined.
inline constexpr unsigned kMost = 64;

/// A position in a format, and the character there.
template <class Char>
class Cursor {
 public:
  explicit Cursor(const Char* at) : at_(at) {}

  bool at_end() const { return *at_ == 0; }
  char now() const { return *at_ > 0 && *at_ < 128 ? static_cast<char>(*at_) : '\x7f'; }
  void step() { ++at_; }
  bool skip(char wanted) {
    if (at_end() || now() != wanted) return false;
    step();
    return true;
  }
  bool is_digit() const { return !at_end() && now() >= '0' && now() <= '9'; }
  long number() {
    long value = 0;
    for (; is_digit(); step()) value = value < 1'000'000'000 ? value * 10 + (now() - '0') : value;
    return value;
  }
  /// Parses `12$`; 0 if there is none.
  long position() {
    const Cursor before = *this;
    const long value = number();
    if (value > 0 && skip('$')) return value;
    *this = before;
    return 0;
  }
  Length length() {
    if (skip('h')) return skip('h') ? Length::Char : Length::Short;
    if (skip('l')) return skip('l') ? Length::LongLong : Length::Long;
    if (skip('q')) return Length::LongLong;
    if (skip('L')) return Length::LongDouble;
    if (skip('j')) return Length::Max;
    if (skip('z') || skip('Z')) return Length::Size;
    if (skip('t')) return Length::Difference;
    return Length::None;
  }

 private:
  const Char* at_;
};

/// The size of an integer that `%n` or a conversion of `scanf` writes.
constexpr std::size_t integer_bytes(Length length) {
  return length == Length::None ? sizeof(int) : length == Length::Char ? 1 : length == Length::Short ? 2 : 8;
}
constexpr std::size_t real_bytes(Length length) {
  switch (length) {
    case Length::None:
      return sizeof(float);
    case Length::Long:
      return sizeof(double);
    default:
      return sizeof(long double);
  }
}

/// How many bytes of a text are read, including its terminator; `most` characters at most. For a wide text in bytes.
inline std::size_t text_bytes(const char* text, std::size_t most) {
  std::size_t n = 0;
  while (n < most && text[n] != 0) ++n;
  return n < most ? n + 1 : n;
}
inline std::size_t text_bytes(const wchar_t* text, std::size_t most) {
  std::size_t n = 0;
  while (n < most && text[n] != 0) ++n;
  return (n < most ? n + 1 : n) * sizeof(wchar_t);
}
/// The same, for a wide text of which as much is read as fits into `most` bytes of UTF-8.
inline std::size_t converted_bytes(const wchar_t* text, std::size_t most) {
  std::size_t n = 0;
  for (std::size_t used = 0;; ++n) {
    if (used >= most) return n * sizeof(wchar_t);
    const auto c = static_cast<std::uint32_t>(text[n]);
    if (c == 0) return (n + 1) * sizeof(wchar_t);
    used += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  }
}
inline constexpr std::size_t kUnlimited = ~std::size_t{0};

/// The arguments of a `printf`. `Char` is the format's character type.
template <class Char>
class Printed {
 public:
  Printed(const Char* format, va_list list) {
    find(format);
    va_list copy;
    va_copy(copy, list);
    fetch(copy);
    va_end(copy);
  }

  /// Visits each text: its address, and how many bytes of it are read.
  template <class Visit>
  void for_each_text(Visit visit) const {
    for (unsigned i = 0; i < used_; ++i) {
      const Use& use = uses_[i];
      const void* const memory = pointer_of(use);
      if (use.letter != 's' || memory == nullptr) continue;
      const std::size_t most = precision_of(use);
      if (use.length != Length::Long) {
        visit(memory, text_bytes(static_cast<const char*>(memory), most));
      } else if (sizeof(Char) == 1 && most != kUnlimited) {
        visit(memory, converted_bytes(static_cast<const wchar_t*>(memory), most));
      } else {
        visit(memory, text_bytes(static_cast<const wchar_t*>(memory), most));
      }
    }
  }
  /// Visits each number that receives the count of printed characters.
  template <class Visit>
  void for_each_count(Visit visit) const {
    for (unsigned i = 0; i < used_; ++i) {
      const Use& use = uses_[i];
      if (use.letter == 'n' && pointer_of(use) != nullptr) visit(pointer_of(use), integer_bytes(use.length));
    }
  }

 private:
  enum class Kind : std::uint8_t { Int, Long, Double, LongDouble };
  struct Use {
    char letter;  // s, n
    Length length;
    unsigned argument;  // from 0
    int precision;      // kNone, kArgument, or the value
    unsigned precision_argument;
  };
  static constexpr int kNone = -1;
  static constexpr int kArgument = -2;

  /// False: there are too many.
  bool take(Kind kind, long position, unsigned& argument) {
    argument = position > 0 ? static_cast<unsigned>(position - 1) : next_++;
    if (argument >= kMost) return false;
    kinds_[argument] = kind;
    if (argument >= count_) count_ = argument + 1;
    return true;
  }

  void find(const Char* format) {
    Cursor<Char> at(format);
    while (!at.at_end()) {
      if (!at.skip('%')) {
        at.step();
        continue;
      }
      if (!find_one(at)) return;
    }
  }

  bool find_one(Cursor<Char>& at) {
    Use use{0, Length::None, 0, kNone, 0};
    const long position = at.position();
    while (at.skip('-') || at.skip('+') || at.skip(' ') || at.skip('#') || at.skip('0') || at.skip('\'') ||
           at.skip('I')) {
    }
    unsigned unused;
    if (at.skip('*')) {
      if (!take(Kind::Int, at.position(), unused)) return false;
    } else {
      at.number();
    }
    if (at.skip('.')) {
      if (at.skip('*')) {
        use.precision = kArgument;
        if (!take(Kind::Int, at.position(), use.precision_argument)) return false;
      } else {
        use.precision = static_cast<int>(at.number());
      }
    }
    use.length = at.length();
    if (at.at_end()) return false;
    char letter = at.now();
    at.step();
    if (letter == 'S' || letter == 'C') {
      letter = letter == 'S' ? 's' : 'c';
      use.length = Length::Long;
    }
    Kind kind = Kind::Long;
    switch (letter) {
      case '%':
      case 'm':
        return true;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        kind = use.length == Length::None || use.length == Length::Char || use.length == Length::Short ? Kind::Int
                                                                                                       : Kind::Long;
        break;
      case 'c':
        kind = Kind::Int;
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        kind = use.length == Length::LongDouble || use.length == Length::LongLong ? Kind::LongDouble : Kind::Double;
        break;
      case 's':
      case 'n':
      case 'p':
        break;
      default:
        return false;
    }
    if (!take(kind, position, use.argument)) return false;
    if ((letter == 's' || letter == 'n') && used_ < kMost) {
      use.letter = letter;
      uses_[used_++] = use;
    }
    return true;
  }

  void fetch(va_list list) {
    for (unsigned i = 0; i < count_; ++i) {
      switch (kinds_[i]) {
        case Kind::Int:
          values_[i] = va_arg(list, int);
          break;
        case Kind::Long:
          values_[i] = va_arg(list, long);
          break;
        case Kind::Double:
          va_arg(list, double);
          break;
        case Kind::LongDouble:
          va_arg(list, long double);
          break;
      }
    }
  }

  void* pointer_of(const Use& use) const { return reinterpret_cast<void*>(values_[use.argument]); }
  std::size_t precision_of(const Use& use) const {
    const long precision = use.precision == kArgument ? values_[use.precision_argument] : use.precision;
    return precision < 0 ? kUnlimited : static_cast<std::size_t>(precision);
  }

  unsigned next_ = 0;   // the argument of the next conversion without a position
  unsigned count_ = 0;  // arguments
  unsigned used_ = 0;
  Kind kinds_[kMost] = {};
  long values_[kMost] = {};
  Use uses_[kMost];
};

/// The targets of a `scanf`. `gnu`: `%as` allocates, as for programs that are compiled for no C standard.
template <class Char>
class Scanned {
 public:
  Scanned(const Char* format, va_list list, bool gnu) : gnu_(gnu) {
    find(format);
    va_list copy;
    va_copy(copy, list);
    for (unsigned i = 0; i < count_; ++i) pointers_[i] = va_arg(copy, void*);
    va_end(copy);
  }

  /// After the call, which returned `assigned`: visits what it wrote.
  template <class Visit>
  void for_each_written(int assigned, Visit visit) const {
    for (unsigned i = 0; i < used_; ++i) {
      const Use& use = uses_[i];
      const int order = static_cast<int>(use.order);
      if (assigned < order || (assigned == order && !use.is_reached)) continue;
      void* const memory = pointers_[use.argument];
      if (memory == nullptr) continue;
      switch (use.what) {
        case What::Bytes:
          visit(memory, use.bytes);
          break;
        case What::Characters:
          // At the end of the input fewer characters may have been stored, but at least one; then nothing is assigned
          // after them.
          visit(memory, assigned > order + 1 ? use.bytes : use.character);
          break;
        case What::Text:
          visit(memory, text_bytes(static_cast<const char*>(memory), kUnlimited));
          break;
        case What::WideText:
          visit(memory, text_bytes(static_cast<const wchar_t*>(memory), kUnlimited));
          break;
      }
    }
  }

 private:
  enum class What : std::uint8_t { Bytes, Characters, Text, WideText };
  struct Use {
    What what;
    bool is_reached;  // written even if nothing is assigned after it: a `%n` right after a conversion
    unsigned order;   // how many are assigned before it
    unsigned argument;
    std::size_t bytes;
    std::size_t character;  // for Characters: the bytes of one
  };

  void find(const Char* format) {
    Cursor<Char> at(format);
    while (!at.at_end()) {
      if (at.skip('%')) {
        if (!find_one(at)) return;
      } else {
        // White space never fails; other characters may.
        const char now = at.now();
        if (now != ' ' && (now < '\t' || now > '\r')) reached_ = false;
        at.step();
      }
    }
  }

  bool find_one(Cursor<Char>& at) {
    const long position = at.position();
    const bool suppressed = at.skip('*');
    while (at.skip('\'') || at.skip('I')) {
    }
    const bool has_width = at.is_digit();
    const long width = at.number();
    bool allocates = at.skip('m');
    Length length = at.length();
    if (gnu_ && length == Length::None && !at.at_end() && at.now() == 'a') {
      Cursor<Char> behind = at;
      behind.step();
      if (!behind.at_end() && (behind.now() == 's' || behind.now() == 'S' || behind.now() == '[')) {
        at = behind;
        allocates = true;
      }
    }
    if (at.at_end()) return false;
    char letter = at.now();
    at.step();
    if (letter == 'S' || letter == 'C') {
      letter = letter == 'S' ? 's' : 'c';
      length = Length::Long;
    }
    const bool wide = length == Length::Long || length == Length::LongLong;
    Use use{What::Bytes, false, assigned_, 0, 0, 0};
    switch (letter) {
      case '%':
        reached_ = false;
        return true;
      case 'n':
        use.is_reached = reached_;
        [[fallthrough]];
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        use.bytes = integer_bytes(length);
        break;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        use.bytes = real_bytes(length);
        break;
      case 'p':
        use.bytes = sizeof(void*);
        break;
      case 'c':
        use.what = What::Characters;
        use.character = wide ? sizeof(wchar_t) : 1;
        use.bytes = (has_width ? static_cast<std::size_t>(width) : 1) * use.character;
        break;
      case '[':
        if (!skip_set(at)) return false;
        [[fallthrough]];
      case 's':
        use.what = wide ? What::WideText : What::Text;
        break;
      default:
        return false;
    }
    if (allocates) {
      use.what = What::Bytes;
      use.bytes = sizeof(void*);
    }
    if (suppressed) {
      reached_ = false;  // the result does not show whether it matched
      return true;
    }
    use.argument = position > 0 ? static_cast<unsigned>(position - 1) : next_++;
    if (use.argument >= kMost || used_ >= kMost) return false;
    if (use.argument >= count_) count_ = use.argument + 1;
    uses_[used_++] = use;
    if (letter != 'n') {
      ++assigned_;
      reached_ = true;
    }
    return true;
  }

  /// Skips a set after `[`: up to `]`, which may be the first character of the set.
  static bool skip_set(Cursor<Char>& at) {
    at.skip('^');
    at.skip(']');
    while (!at.at_end()) {
      if (at.skip(']')) return true;
      at.step();
    }
    return false;
  }

  bool gnu_;
  bool reached_ = true;
  unsigned next_ = 0;
  unsigned count_ = 0;
  unsigned assigned_ = 0;
  unsigned used_ = 0;
  void* pointers_[kMost] = {};
  Use uses_[kMost];
};

}  // namespace omen::formats
