#include "test/mini/random_program.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "test/judges/random.hpp"

namespace omen::mini {
namespace {

using judges::Random;

constexpr std::array<const char*, 5> kTypes{"i32", "u8", "i8", "u32", "i16"};

/// No expression here draws two random numbers: C++ leaves the order of evaluation open, and compilers differ.
class Generator {
 public:
  Generator(std::uint64_t seed, const ProgramLimits& limits) : random_(seed), limits_(limits) {}

  std::string run() {
    const std::size_t threads = random_.between(2, std::max<std::size_t>(2, limits_.threads));
    declarations();
    // A chain of spawns: mostly main spawns all, sometimes a thread spawns the next.
    std::vector<bool> spawned_by_previous(threads, false);
    for (std::size_t t = 2; t < threads; ++t) spawned_by_previous[t] = random_.percent(15);
    for (std::size_t t = threads; t-- > 1;) {
      out_ += "void f" + std::to_string(t) + "() {\n";
      begin_thread();
      const bool spawns = t + 1 < threads && spawned_by_previous[t + 1];
      if (spawns && random_.percent(50)) statements(1);
      if (spawns) spawn(t + 1);
      statements(limits_.statements);
      if (spawns && random_.percent(50)) line("wait " + std::to_string(t + 1) + ";");
      end_thread();
    }
    out_ += "void main() {\n";
    begin_thread();
    for (std::size_t t = 1; t < threads; ++t) {
      if (random_.percent(25)) statements(1);
      if (!spawned_by_previous[t]) spawn(t);
    }
    if (random_.percent(60)) statements(limits_.statements - 1);
    if (random_.percent(50)) {
      for (std::size_t t = 1; t < threads; ++t) {
        if (!spawned_by_previous[t] && random_.percent(85)) line("wait " + std::to_string(t) + ";");
      }
      if (random_.percent(50)) statements(1);
    }
    end_thread();
    return std::move(out_);
  }

 private:
  struct Cell {
    std::string text;
    std::string type;
  };

  void line(const std::string& text) { out_ += std::string(2 * indent_, ' ') + text + "\n"; }
  std::string number(std::size_t n) { return std::to_string(random_.below(n)); }

  void declarations() {
    const std::size_t variables = random_.between(1, 3);
    for (std::size_t i = 0; i < variables; ++i) {
      const Cell cell{"x" + std::to_string(i), kTypes[random_.percent(60) ? 0 : random_.below(kTypes.size())]};
      out_ += "shared " + cell.type + " " + cell.text + " = " + number(3) + ";\n";
      cells_.push_back(cell);
    }
    if (limits_.arrays && random_.percent(30)) {
      array_ = kTypes[random_.below(kTypes.size())];
      out_ += "shared " + array_ + " a[2];\n";
      cells_.push_back({"a[0]", array_});
    }
    if (limits_.objects && random_.percent(60)) {
      objects_ = true;
      out_ += "struct Node { i32 v; u8 w[2]; lock m; Node next; }\nshared Node p;\nshared Node q;\n";
    }
    locks_ = random_.between(1, 2);
    for (std::size_t i = 0; i < locks_; ++i) out_ += "lock m" + std::to_string(i) + ";\n";
  }

  void begin_thread() {
    indent_ = 1;
    held_.assign(locks_, false);
    line("i32 r = " + number(4) + ";");
    line("i32 s = 1;");
    if (objects_) line("Node n = new Node;");
  }
  void end_thread() { out_ += "}\n"; }
  void spawn(std::size_t t) { line("spawn f" + std::to_string(t) + "() as " + std::to_string(t) + ";"); }

  void statements(std::size_t most) {
    const std::size_t count = random_.between(1, std::max<std::size_t>(1, most));
    for (std::size_t i = 0; i < count; ++i) statement(0);
  }
  void block(std::size_t depth) {
    ++indent_;
    const std::size_t count = random_.between(1, 2);
    for (std::size_t i = 0; i < count; ++i) statement(depth + 1);
    --indent_;
  }

  void statement(std::size_t depth) {
    const std::size_t kind = random_.below(100);
    const bool may_nest = depth < limits_.depth;
    if (may_nest && kind < 25) return section(depth);
    if (may_nest && kind < 43) return branch(depth);
    if (may_nest && limits_.loops && kind < 46) return loop(depth);
    if (objects_ && kind < 60) return object();
    if (limits_.faults && kind < 66) {
      if (!random_.percent(50)) return line("assert " + condition() + ";");
      const std::string divisor = value();
      return line("r = " + number(9) + " / (" + divisor + ");");
    }
    if (kind < 72) {
      const std::string written = value();
      return line(std::string(random_.percent(50) ? "r" : "s") + " = " + written + ";");
    }
    if (kind < 78) return update();
    const Cell& cell = cells_[random_.below(cells_.size())];
    const std::string written = random_.percent(40) ? number(4) : value();
    line(target(cell) + " = " + converted(cell.type, written) + ";");
  }

  void section(std::size_t depth) {
    const std::size_t m = random_.below(locks_);
    if (held_[m]) return line("s += 1;");
    held_[m] = true;
    line("lock m" + std::to_string(m) + ";");
    const std::size_t count = random_.between(1, 2);
    for (std::size_t i = 0; i < count; ++i) statement(depth + 1);
    line("unlock m" + std::to_string(m) + ";");
    held_[m] = false;
  }

  void branch(std::size_t depth) {
    line("if (" + condition() + ") {");
    block(depth);
    if (random_.percent(40)) {
      line("} else {");
      block(depth);
    }
    line("}");
  }

  void loop(std::size_t depth) {
    const std::string k = "k" + std::to_string(loops_++);
    line("i32 " + k + " = 0;");
    line("while (" + k + " < 2 && (" + condition() + ")) {");
    block(depth);
    ++indent_;
    line(k + " += 1;");
    --indent_;
    line("}");
  }

  void object() {
    switch (random_.below(6)) {
      case 0:
        return line(std::string(random_.percent(50) ? "p" : "q") + " = n;");
      case 1:
        return line("if (p != null) {\n" + std::string(2 * indent_ + 2, ' ') + "p.v = " + value() + ";\n" +
                    std::string(2 * indent_, ' ') + "}");
      case 2:
        line("Node o" + std::to_string(loops_) + " = q;");
        line("if (o" + std::to_string(loops_) + " != null) {");
        line("  r = o" + std::to_string(loops_) + ".v;");
        line("}");
        ++loops_;
        return;
      case 3:
        return line("n.v = " + value() + ";");
      case 4:
        return line("n.w[r & 1] = u8(" + value() + ");");
      default:
        line("lock n.m;");
        line("n.next = p;");
        return line("unlock n.m;");
    }
  }

  void update() {
    static constexpr std::array<const char*, 6> kOps{"+=", "-=", "*=", "^=", "<<=", "|="};
    const Cell& cell = cells_[random_.below(cells_.size())];
    const std::string operand = std::to_string(random_.between(1, 3));
    const std::string op = kOps[random_.below(kOps.size())];
    line(target(cell) + " " + op + " " + converted(cell.type, operand) + ";");
  }

  /// Sometimes chooses an element by a value.
  std::string target(const Cell& cell) {
    if (cell.text != "a[0]") return cell.text;
    static constexpr std::array<const char*, 3> kIndices{"a[0]", "a[1]", "a[r & 1]"};
    return kIndices[random_.below(kIndices.size())];
  }

  static std::string converted(const std::string& type, const std::string& text) {
    return type == "i32" || (text.size() == 1 && text[0] <= '9') ? text : type + "(" + text + ")";
  }

  std::string operand() {
    if (random_.percent(50)) {
      const Cell& cell = cells_[random_.below(cells_.size())];
      return cell.type == "i32" ? target(cell) : "i32(" + target(cell) + ")";
    }
    if (random_.percent(70)) return random_.percent(50) ? "r" : "s";
    return number(5);
  }
  std::string value() {
    static constexpr std::array<const char*, 10> kOps{"+", "-", "*", "&", "|", "^", "<<", ">>", "+", "-"};
    if (random_.percent(50)) return operand();
    if (random_.percent(10)) return operand() + " / 3 % 5";
    const std::string right = operand();
    const std::string op = kOps[random_.below(kOps.size())];
    return "(" + operand() + " " + op + " " + right + ")";
  }
  std::string condition() {
    static constexpr std::array<const char*, 6> kOps{"<", "<=", ">", ">=", "==", "!="};
    const std::string right = number(4);
    const std::string op = kOps[random_.below(kOps.size())];
    const std::string simple = operand() + " " + op + " " + right;
    if (random_.percent(85)) return simple;
    const std::string number = this->number(3);
    const std::string other = operand();
    return simple + (random_.percent(50) ? " && " : " || ") + other + " != " + number;
  }

  Random random_;
  const ProgramLimits& limits_;
  std::string out_;
  std::size_t indent_ = 0;
  std::size_t locks_ = 0;
  std::size_t loops_ = 0;
  bool objects_ = false;
  std::string array_;
  std::vector<Cell> cells_;
  std::vector<bool> held_;  ///< by the thread that is being generated
};

}  // namespace

std::string random_program(std::uint64_t seed, const ProgramLimits& limits) {
  return Generator(seed, limits).run();
}

}  // namespace omen::mini
