/// \file
/// The language: rejections by the parser and the checker with their positions, printing without loss, operators, and
/// faults.
#include <gtest/gtest.h>

#include <cstdio>

#include "mini/checker.hpp"
#include "mini/parser.hpp"
#include "mini/printer.hpp"
#include "mini/run.hpp"
#include "test/judges/random.hpp"
#include "test/mini/random_program.hpp"
#include "trace/values/expression.hpp"

namespace omen::mini {
namespace {

std::string refusal(const std::string& source) {
  const auto program = load(source, "p.mini");
  return program ? "accepted" : program.error().text();
}
std::string in_main(const std::string& statements) {
  return "shared i32 x;\nshared i32 a[3];\nlock m;\nvoid main() {\n" + statements + "\n}\n";
}

TEST(Parser, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(refusal(""), "p.mini: expected a function 'void main()'");
  EXPECT_EQ(refusal("void main() {"), "p.mini:1:14: expected a statement, found the end of the file");
  EXPECT_EQ(refusal("shared i32 3;"), "p.mini:1:12: expected a variable's name, found '3'");
  EXPECT_EQ(refusal("x = 1;"), "p.mini:1:3: expected a function's name, found '='");
  EXPECT_EQ(refusal(in_main("x = ;")), "p.mini:5:5: expected an expression, found ';'");
  EXPECT_EQ(refusal(in_main("x = 1")), "p.mini:6:1: expected ';', found '}'");
  EXPECT_EQ(refusal(in_main("if x { }")), "p.mini:5:4: expected '(', found 'x'");
  EXPECT_EQ(refusal(in_main("spawn main as 1;")),
            "p.mini:5:7: expected the call that the thread performs, found 'main'");
  EXPECT_EQ(refusal(in_main("x = 1 /* ")), "p.mini:5:7: expected the end of this comment, '*/'");
  EXPECT_EQ(refusal(in_main("x = 99999999999999999999;")), "p.mini:5:5: expected a number below 2^64");
  EXPECT_EQ(refusal(in_main("x = 0x;")), "p.mini:5:5: expected a number, as 42 or 0x2a");
  EXPECT_EQ(refusal(in_main("x = $;")), "p.mini:5:5: no text of the language begins with '$'");
  EXPECT_EQ(refusal("shared i32 a[0];"), "p.mini:1:14: expected a size from 1 to 65536");
}

TEST(Parser, BoundsWhatItBuilds) {
  const std::string many(100'000, '(');
  EXPECT_NE(refusal(in_main("x = " + many)).find("less deeply nested"), std::string::npos);
  std::string sum = "x";
  for (int i = 0; i < 100'000; ++i) sum += "+x";
  EXPECT_NE(refusal(in_main("x = " + sum + ";")).find("less deeply nested"), std::string::npos);
  std::string blocks(100'000, '{');
  EXPECT_NE(refusal(in_main(blocks)).find("less deeply nested"), std::string::npos);
  std::string chain = "if (x == 0) { }";
  for (int i = 0; i < 20'000; ++i) chain += " else if (x == 0) { }";
  EXPECT_NE(refusal(in_main(chain)).find("less deeply nested"), std::string::npos);
  std::string dots = "x";
  for (int i = 0; i < 100'000; ++i) dots += ".f";
  EXPECT_NE(refusal(in_main(dots + " = 1;")).find("less deeply nested"), std::string::npos);
  EXPECT_EQ(refusal(std::string(2'000'000, ' ')), "p.mini: expected at most 1048576 bytes");
}

/// Mutated programs are rejected or accepted, and never crash the parser.
TEST(Parser, SurvivesDamagedPrograms) {
  const std::size_t count = program_count(5000);
  std::size_t accepted = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    judges::Random random(seed);
    std::string source = random_program(seed, {.objects = true, .faults = true});
    for (std::size_t edits = random.between(1, 3); edits-- > 0;) {
      const std::size_t at = random.below(source.size());
      switch (random.below(3)) {
        case 0:
          source.erase(at, random.between(1, 4));
          break;
        case 1:
          source.insert(at, source.substr(random.below(source.size()), random.between(1, 12)));
          break;
        default:
          source[at] = static_cast<char>(random.between(32, 126));
      }
      if (source.empty()) source = " ";
    }
    const auto program = load(source, "p.mini");
    if (!program) continue;
    ++accepted;
    const Code code = compile(*program);
    Machine machine(code, {.local_instructions = 10'000, .cells = 10'000}, nullptr);
    RandomScheduler scheduler(seed);
    run(machine, scheduler, nullptr, 1000);
  }
  std::printf("%zu damaged programs, %zu of them still programs (seeds 1 to %zu)\n", count, accepted, count);
}

TEST(Checker, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(refusal(in_main("y = 1;")), "p.mini:5:1: expected a variable, found 'y'");
  EXPECT_EQ(refusal(in_main("a = 1;")), "p.mini:5:1: expected an element, as 'a[0]', found the whole array");
  EXPECT_EQ(refusal(in_main("x[0] = 1;")), "p.mini:5:2: expected an array before '['");
  EXPECT_EQ(refusal(in_main("m = 1;")), "p.mini:5:1: expected a variable, found a lock");
  EXPECT_EQ(refusal(in_main("lock x;")), "p.mini:5:6: expected a lock, found a variable");
  EXPECT_EQ(refusal(in_main("u8 y = 1; x = y;")), "p.mini:5:15: expected a value of type 'i32', found 'u8'");
  EXPECT_EQ(refusal(in_main("u8 y = 256;")), "p.mini:5:8: expected a number that fits into 'u8'");
  EXPECT_EQ(refusal(in_main("u8 y = -1;")), "accepted");
  EXPECT_EQ(refusal(in_main("i8 y = -128; i8 z = -129;")), "p.mini:5:22: expected a number that fits into 'i8'");
  EXPECT_EQ(refusal(in_main("x = true;")), "p.mini:5:5: expected a value of type 'i32', found 'bool'");
  EXPECT_EQ(refusal(in_main("x = null;")), "p.mini:5:5: expected a value of type 'i32', found 'null'");
  EXPECT_EQ(refusal(in_main("x = x.f;")), "p.mini:5:6: expected an object before '.', found 'i32'");
  EXPECT_EQ(refusal(in_main("bool b = true + false;")), "p.mini:5:15: expected operands that have '+', found 'bool'");
  EXPECT_EQ(refusal(in_main("f();")), "p.mini:5:1: expected a function, found 'f'");
  EXPECT_EQ(refusal(in_main("i32 i = 1; i32 i = 2;")),
            "p.mini:5:12: expected one variable 'i' in this block, this is another");
  EXPECT_EQ(refusal("i32 f() { }\nvoid main() { }"),
            "p.mini:1:1: expected a return at the end of every path through 'f'");
  EXPECT_EQ(refusal("void main() { }\nvoid main() { }"), "p.mini:2:1: expected one function 'main', this is another");
  EXPECT_EQ(refusal("struct S { S next; }\nvoid main() { S s = new S; s.last = s; }"),
            "p.mini:2:29: expected a field of 'S', found 'last'");
}

TEST(Printer, ParsesBackToTheSameProgram) {
  const std::size_t count = program_count(3000);
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const std::string source = random_program(seed, {.threads = 4, .statements = 6, .depth = 3, .objects = true});
    const auto program = parse(source, "p.mini");
    ASSERT_TRUE(program.has_value());
    const std::string once = print(*program);
    const auto again = load(once, "p.mini");
    ASSERT_TRUE(again.has_value()) << again.error().text() << "\n" << once;
    ASSERT_EQ(print(*again), once);

    // The same schedule gives the same states.
    const auto original = load(source, "p.mini");
    const Code one = compile(*original);
    const Code two = compile(*again);
    Machine first(one);
    Machine second(two);
    RandomScheduler scheduler(seed);
    const mini::Run run_one = run(first, scheduler, nullptr, 1000);
    FixedScheduler same(run_one.schedule, /*then_least=*/false);
    const mini::Run run_two = run(second, same, nullptr, 1000);
    ASSERT_EQ(run_one.schedule, run_two.schedule);
    ASSERT_EQ(first.shared(), second.shared());
  }
  std::printf("%zu programs printed and parsed (seeds 1 to %zu)\n", count, count);
}

TEST(Printer, KeepsTheShapeOfExpressions) {
  for (const std::string expression :
       {"a - (b - c)", "a - b - c", "(a + b) * c", "-(-a)", "~-a", "!(a == b)", "a << (b & 3) | c ^ 1", "(a, b)"}) {
    const auto program = parse("void main() { i32 a = 1; i32 b = 2; i32 c = 3; print " + expression + "; }", "p.mini");
    if (!program) {
      EXPECT_EQ(expression, "(a, b)");
      continue;
    }
    EXPECT_EQ(print(*program->functions[0].body[3].value), expression);
  }
}

/// A seed gives the same program with every compiler.
TEST(RandomPrograms, AreTheSameEverywhere) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const char c :
         random_program(seed, {.threads = 4, .statements = 6, .depth = 3, .objects = true, .faults = true})) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
  }
  EXPECT_EQ(hash, 0x860ddcfc308336e6U)
      << "the generator has changed: numbers in documents that come from seeds do not hold any more";
}

TEST(Interpreter, OperatorsAgreeWithThoseOfValueTraces) {
  using values::ExprOp;
  const std::vector<std::pair<BinaryOp, std::pair<ExprOp, ExprOp>>> operators{
      {BinaryOp::Mul, {ExprOp::Mul, ExprOp::Mul}},      {BinaryOp::Div, {ExprOp::UDiv, ExprOp::SDiv}},
      {BinaryOp::Rem, {ExprOp::URem, ExprOp::SRem}},    {BinaryOp::Add, {ExprOp::Add, ExprOp::Add}},
      {BinaryOp::Sub, {ExprOp::Sub, ExprOp::Sub}},      {BinaryOp::Shl, {ExprOp::Shl, ExprOp::Shl}},
      {BinaryOp::Shr, {ExprOp::LShr, ExprOp::AShr}},    {BinaryOp::Less, {ExprOp::ULt, ExprOp::SLt}},
      {BinaryOp::LessEqual, {ExprOp::ULe, ExprOp::SLe}}};
  judges::Random random(1);
  for (std::size_t s = static_cast<std::size_t>(Scalar::I8); s <= static_cast<std::size_t>(Scalar::U64); ++s) {
    const auto type = static_cast<Scalar>(s);
    const auto bits = static_cast<values::Width>(width(type));
    for (int i = 0; i < 20'000; ++i) {
      const auto pick = [&] { return fit(type, random.percent(40) ? random.below(4) - 2 : random.next()); };
      const std::uint64_t a = random.percent(10) ? (mask(type) >> 1) + 1 : pick();
      const std::uint64_t b = pick();
      for (const auto& [op, ops] : operators) {
        if (divides(op) && b == 0) continue;
        const ExprOp other = is_signed(type) ? ops.second : ops.first;
        const values::Width result = is_comparison(op) ? values::Width{1} : bits;
        ASSERT_EQ(apply(op, type, a, b), values::apply(other, result, bits, a, b))
            << traits(op).text << " on " << traits(type).name << " of " << a << " and " << b;
      }
    }
  }
}

Fault fault_of(const std::string& statements) {
  const auto program =
      load("struct S { i32 f[2]; lock g; }\nvoid rest(i32 n) { rest(n + 1); }\n" + in_main(statements), "p.mini");
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().text());
  const Code code = compile(*program);
  Machine machine(code);
  RandomScheduler scheduler(1);
  const Run result = run(machine, scheduler, nullptr, 100'000);
  return result.outcome == Outcome::Fault ? machine.next(result.faulty).fault : Fault::None;
}

TEST(Interpreter, FaultsAreDefined) {
  EXPECT_EQ(fault_of("x = 1 / x;"), Fault::DivisionByZero);
  EXPECT_EQ(fault_of("x = 1 % x;"), Fault::DivisionByZero);
  EXPECT_EQ(fault_of("a[3] = 1;"), Fault::Index);
  EXPECT_EQ(fault_of("x = a[-1];"), Fault::Index);
  EXPECT_EQ(fault_of("S s; x = s.f[0];"), Fault::Null);
  EXPECT_EQ(fault_of("S s = new S; s.f[2] = 1;"), Fault::Index);
  EXPECT_EQ(fault_of("S s = new S; lock s.g; s.f[1] = 1; unlock s.g;"), Fault::None);
  EXPECT_EQ(fault_of("unlock m;"), Fault::NotHeld);
  EXPECT_EQ(fault_of("assert x == 1;"), Fault::Assertion);
  EXPECT_EQ(fault_of("spawn rest(1) as 0;"), Fault::BadThread);
  EXPECT_EQ(fault_of("wait 256;"), Fault::BadThread);
  EXPECT_EQ(fault_of("rest(0);"), Fault::CallDepth);
  EXPECT_EQ(fault_of("while (true) { }"), Fault::Endless);
  EXPECT_EQ(fault_of("while (true) { S s = new S; x = 1; }"), Fault::None);
  EXPECT_EQ(fault_of("x = -2147483648; x = x / -1; assert x == -2147483648;"), Fault::None);
}

TEST(Interpreter, ASecondThreadOfANumberFaults) {
  const auto program = load("void f() { }\nvoid main() { spawn f() as 1; wait 1; spawn f() as 1; }", "p.mini");
  ASSERT_TRUE(program.has_value());
  const Code code = compile(*program);
  Machine machine(code);
  RandomScheduler scheduler(1);
  const mini::Run result = run(machine, scheduler);
  ASSERT_EQ(result.outcome, Outcome::Fault);
  EXPECT_EQ(machine.next(0).fault, Fault::ThreadTwice);
}

}  // namespace
}  // namespace omen::mini
