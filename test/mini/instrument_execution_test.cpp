/// \file
/// Theorems 4 and 5 of *Verifying Dynamic Race Detection* per execution, as proofs/InstrumentCorrect.v states them.
///
/// Forward: under any schedule of the instrumented program, its operations on the original's variables, locks and
/// threads are an execution of the original under the same choices, event by event, with the same values. That
/// execution has no race; and where an assertion fails, the same thread's next access is the first race.
/// Backward: for any schedule of the original, each section of the instrumented program can run without interruption
/// where the original takes a step, up to the first race, where the same thread's assertion fails.
///
/// Races are judged by the definition of happens-before (`RelationOracle`), not by clocks.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "mini/checker.hpp"
#include "mini/explore.hpp"
#include "mini/instrument.hpp"
#include "test/judges/random.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"
#include "test/mini/random_program.hpp"

namespace omen::mini {
namespace {

/// Random programs whose functions print their variables r and s at their end.
std::string printing_program(std::uint64_t seed, const ProgramLimits& limits) {
  const std::string source = random_program(seed, limits);
  const std::string end = "\n}\n";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = source.find(end); at != std::string::npos; at = source.find(end, from)) {
    result += source.substr(from, at - from) + "\n  print r;\n  print s;" + end;
    from = at + end.size();
  }
  return result + source.substr(from);
}

/// The printed output, by thread.
class Prints final : public Observer {
 public:
  void local(const Machine& machine, ThreadNumber t, const Instruction& i) override {
    if (i.code == OpCode::Print) printed[t].push_back(machine.reg(t, i.a));
  }
  std::map<ThreadNumber, std::vector<std::uint64_t>> printed;
};

/// The local variables r and s, by function.
class Locals {
 public:
  explicit Locals(const Program& program) {
    for (const Function& function : program.functions) {
      for (const Statement& s : function.body) {
        if (s.kind != Statement::Kind::Declare) continue;
        if (s.name == "r") slots_[function.name][0] = s.slot;
        if (s.name == "s") slots_[function.name][1] = s.slot;
      }
    }
  }
  std::array<std::uint64_t, 2> of(const Machine& machine, ThreadNumber t) const {
    const std::array<std::uint32_t, 2>& slots = slots_.at(machine.routine(t).name);
    return {machine.reg(t, slots[0]), machine.reg(t, slots[1])};
  }

 private:
  std::map<std::string, std::array<std::uint32_t, 2>> slots_;
};

struct Compiled {
  Code code;
  Locals locals;
};
Compiled compiled(const std::string& source, const std::string& name) {
  const auto program = load(source, name);
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().text()) << "\n" << source;
  return {compile(*program), Locals(*program)};
}

/// An event in a form that both programs share.
std::string text_of(const Machine& machine, ThreadNumber t) {
  const Next& next = machine.next(t);
  const auto object = [&] { return machine.cell_name(*next.instruction, next.cell); };
  switch (next.action) {
    case Action::Load:
      return "r(" + object() + ")=" + std::to_string(machine.memory(next.at));
    case Action::Store:
      return "w(" + object() + ")=" + std::to_string(next.value);
    case Action::Lock:
      return "acq(" + object() + ")";
    case Action::Unlock:
      return "rel(" + object() + ")";
    case Action::Spawn:
      return "fork(" + thread_name(next.thread) + ")";
    case Action::Wait:
      return "join(" + thread_name(next.thread) + ")";
    default:
      return std::string("nothing: ") + std::string(text(next.fault));
  }
}

/// True if the next step of the instrumented program's thread is an event of the original.
bool is_original(const Machine& machine, ThreadNumber t) {
  const Next& next = machine.next(t);
  if (next.action == Action::Spawn || next.action == Action::Wait) return true;
  if (!is_access(next.action) && next.action != Action::Lock && next.action != Action::Unlock) return false;
  return !machine.code().places[next.instruction->target].name.starts_with("vc_");
}

bool stands_at_race_check(const Machine& machine, ThreadNumber t) {
  return machine.next(t).action == Action::Fault && machine.next(t).fault == Fault::Assertion;
}

/// The shared variables of the original, as `results` gives them.
std::vector<std::uint64_t> original_results(const Machine& instrumented) {
  std::vector<std::uint64_t> values;
  for (const Place& place : instrumented.code().places) {
    if (place.field || place.lock || place.name.starts_with("vc_")) continue;
    for (std::uint32_t c = 0; c < place.cells; ++c) values.push_back(instrumented.memory(place.cell + c));
  }
  return values;
}

struct Counts {
  std::size_t executions = 0, failures = 0, finished = 0, deadlocks = 0, events = 0;
};

/// Runs the two programs in parallel.
class SideBySide {
 public:
  SideBySide(const Compiled& original, const Compiled& instrumented)
      : original_code_(original),
        instrumented_code_(instrumented),
        original_(original.code, Machine::Limits{}, &original_prints_),
        instrumented_(instrumented.code, Machine::Limits{}, &instrumented_prints_) {}

  /// Runs the instrumented program by random choices; the original follows.
  void forward(judges::Random& random, Counts& counts) {
    for (;;) {
      const std::vector<ThreadNumber> able = enabled(instrumented_);
      if (able.empty()) break;
      const ThreadNumber t = able[random.below(able.size())];
      if (instrumented_.next(t).action == Action::Fault) return failed(t, counts);
      advance(t);
      if (testing::Test::HasFatalFailure()) return;
    }
    ended(counts);
  }

  /// Runs the original by random choices; the instrumented program follows, one section at a time.
  void backward(judges::Random& random, Counts& counts) {
    for (;;) {
      const std::vector<ThreadNumber> able = enabled(original_);
      if (able.empty()) break;
      const ThreadNumber t = able[random.below(able.size())];
      while (!is_original(instrumented_, t)) {
        if (instrumented_.next(t).action == Action::Fault) return failed(t, counts);
        ASSERT_TRUE(instrumented_.enabled(t)) << "thread " << t << " cannot execute its section alone";
        instrumented_.step(t, &instrumented_prints_);
      }
      ASSERT_TRUE(instrumented_.enabled(t)) << "thread " << t << " cannot execute its section alone";
      const bool access = is_access(instrumented_.next(t).action);
      advance(t);
      if (testing::Test::HasFatalFailure()) return;
      if (access) instrumented_.step(t, &instrumented_prints_);  // its guard
      // The clocks after a lock or wait: with the thread's next step, or here if it was the last.
      if (original_.next(t).action == Action::End) finish_section(t);
    }
    for (ThreadNumber t = 0; t < instrumented_.threads(); ++t) finish_section(t);
    ended(counts);
  }

 private:
  static std::vector<ThreadNumber> enabled(const Machine& machine) {
    std::vector<ThreadNumber> threads;
    for (ThreadNumber t = 0; t < machine.threads(); ++t) {
      if (machine.enabled(t)) threads.push_back(t);
    }
    return threads;
  }

  void finish_section(ThreadNumber t) {
    while (instrumented_.enabled(t) && !is_original(instrumented_, t)) instrumented_.step(t, &instrumented_prints_);
  }

  /// A step of the instrumented program's thread, and of the original's if the step belongs to the original.
  void advance(ThreadNumber t) {
    const bool shown = is_original(instrumented_, t);
    if (shown) {
      ASSERT_LT(t, original_.threads());
      ASSERT_TRUE(original_.enabled(t)) << text_of(instrumented_, t);
      ASSERT_EQ(text_of(original_, t), text_of(instrumented_, t));
      ASSERT_EQ(original_code_.locals.of(original_, t), instrumented_code_.locals.of(instrumented_, t));
      note(t);
      original_.step(t, &original_prints_);
    }
    instrumented_.step(t, &instrumented_prints_);
    if (shown) {
      ASSERT_EQ(original_results(instrumented_), results(original_));
    }
  }

  /// Adds the original's next event of `t` to the trace.
  void note(ThreadNumber t) {
    const std::string event = text_of(original_, t);
    trace_ += thread_name(t) + "|" + event.substr(0, event.find('=')) + "\n";
    ++events_;
  }

  std::optional<std::size_t> first_race() const {
    return judges::RelationOracle(judges::trace_of(trace_)).races(judges::Relation::Hb).first;
  }

  /// Theorem 5.
  void failed(ThreadNumber t, Counts& counts) {
    ASSERT_TRUE(stands_at_race_check(instrumented_, t)) << text_of(instrumented_, t);
    ASSERT_TRUE(is_access(original_.next(t).action)) << text_of(original_, t);
    ASSERT_EQ(original_code_.locals.of(original_, t), instrumented_code_.locals.of(instrumented_, t));
    note(t);
    ASSERT_EQ(first_race(), std::optional(events_ - 1)) << trace_;
    ++counts.failures;
    count(counts);
  }

  /// Theorem 4, including executions in which threads are blocked for ever.
  void ended(Counts& counts) {
    ASSERT_EQ(first_race(), std::nullopt) << trace_;
    ASSERT_TRUE(enabled(original_).empty()) << trace_;
    ASSERT_EQ(instrumented_.finished(), original_.finished());
    ASSERT_EQ(original_results(instrumented_), results(original_));
    ASSERT_EQ(instrumented_prints_.printed, original_prints_.printed);
    counts.finished += original_.finished() ? 1U : 0U;
    counts.deadlocks += original_.finished() ? 0U : 1U;
    count(counts);
  }
  void count(Counts& counts) const {
    ++counts.executions;
    counts.events += events_;
  }

  const Compiled& original_code_;
  const Compiled& instrumented_code_;
  Prints original_prints_;
  Prints instrumented_prints_;
  Machine original_;
  Machine instrumented_;
  std::string trace_;
  std::size_t events_ = 0;
};

void per_execution(std::size_t programs, std::size_t schedules, const ProgramLimits& limits) {
  Counts forward;
  Counts backward;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const std::string source = printing_program(seed, limits);
    const Compiled original = compiled(source, "p.mini");
    const auto program = load(source, "p.mini");
    const auto text = instrument(*program);
    ASSERT_TRUE(text.has_value()) << text.error().text();
    const Compiled instrumented = compiled(*text, "i.mini");
    judges::Random random(seed);
    for (std::size_t n = 0; n < schedules; ++n) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", schedule " + std::to_string(n) + "\n" + source + *text);
      SideBySide(original, instrumented).forward(random, forward);
      SideBySide(original, instrumented).backward(random, backward);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  for (const auto& [name, counts] : {std::pair("forward", forward), std::pair("backward", backward)}) {
    std::printf(
        "%s: %zu executions of %zu programs (seeds from 1), %zu events: %zu failed an assertion, %zu finished, "
        "%zu deadlocks\n",
        name, counts.executions, programs, counts.events, counts.failures, counts.finished, counts.deadlocks);
    EXPECT_EQ(counts.executions, programs * schedules);
    EXPECT_GT(counts.failures, counts.executions / 20);
    EXPECT_GT(counts.finished, counts.executions / 20);
  }
}

TEST(InstrumentExecution, SmallPrograms) {
  per_execution(program_count(2000), 10, {.threads = 3, .statements = 2, .depth = 1, .loops = false});
}

TEST(InstrumentExecution, LargerPrograms) {
  per_execution(program_count(1000), 10, {.threads = 5, .statements = 5, .depth = 3});
}

TEST(InstrumentExecution, Objects) {
  per_execution(program_count(500), 10, {.threads = 3, .statements = 4, .depth = 2, .objects = true});
}

}  // namespace
}  // namespace omen::mini
