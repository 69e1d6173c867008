/// \file
/// The complete text of a race: layout, snippets, folded frames, the relevant steps, colours; and texts of a program
/// that try to send control sequences to the terminal.
#include "report/race_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "test/symbolize/compiled_program.hpp"

namespace omen::report {
namespace {

Frame frame(std::string function, std::string file, std::uint32_t line, std::uint32_t column = 0) {
  Frame one;
  one.function = std::move(function);
  one.file = std::move(file);
  one.line = line;
  one.column = column;
  one.module = "/bin/prog";
  one.offset = 0x10;
  one.build_id = "0123456789abcdef0123456789abcdef01234567";
  return one;
}

Stack thread_start() {
  const std::string header = "/usr/include/c++/12/bits/std_thread.h";
  return {frame("std::thread::_Invoker<int>::operator()()", header, 259),
          frame("std::thread::_State_impl<int>::_M_run()", header, 210)};
}

ScheduleStep step(StepKind kind, std::optional<std::uint32_t> thread, std::string text, std::uint32_t line,
                  std::uint64_t first, std::uint64_t last, std::vector<std::string> holds = {}) {
  ScheduleStep one;
  one.kind = kind;
  one.thread = thread;
  one.text = std::move(text);
  if (line != 0) one.file = "/src/bank.cpp";
  one.line = line;
  one.first = first;
  one.last = last;
  one.recorded = {{first, last}};
  one.holds = std::move(holds);
  return one;
}

class RaceText : public testing::Test {
 protected:
  RaceText() {
    source = scratch.file("bank.cpp");
    std::ofstream(source) << "int total;\n\ttotal += 1;\n  int \xC3\xA4 = total;\n";
    race.found_by = "wdc";
    race.confirmed = true;
    race.variable.kind = LocationKind::Global;
    race.variable.name = "total";
    race.variable.size = 4;
    race.variable.address = 0x40;
    race.threads.resize(2);
    race.threads[0].label = "main";
    race.threads[0].main = true;
    race.threads[1].id = 1;
    race.threads[1].label = "T1";
    race.threads[1].creator = 0;
    race.threads[1].creation = {frame("main", source, 9)};
    race.accesses[0].kind = AccessKind::Read;
    race.accesses[0].size = 4;
    race.accesses[0].address = 0x40;
    race.accesses[0].stack = {frame("audit()", source, 3, 12)};
    race.accesses[1].kind = AccessKind::Write;
    race.accesses[1].size = 4;
    race.accesses[1].address = 0x40;
    race.accesses[1].thread = 1;
    race.accesses[1].stack = {frame("deposit()", source, 2, 8)};
    for (const Frame& one : thread_start()) race.accesses[1].stack.push_back(one);
    race.schedule = {step(StepKind::LeftOut, {}, "(5 events left out)", 0, 0, 4),
                     step(StepKind::Sync, 0, "creates T1", 9, 5, 5),
                     step(StepKind::Run, 1, "runs bank.cpp:1", 1, 6, 7),
                     step(StepKind::Sync, 1, "locks M7 at bank.cpp:1 and unlocks it", 1, 8, 9, {"M7"}),
                     step(StepKind::Sync, 0, "locks M1 at bank.cpp:1 and unlocks it", 1, 10, 11, {"M1"}),
                     step(StepKind::Access, 1, "writes 'total'", 2, 12, 12),
                     step(StepKind::Access, 0, "reads 'total'", 3, 13, 13)};
    race.hidden_by = {step(StepKind::Sync, 1, "unlocks M1", 2, 0, 0, {"M1"}),
                      step(StepKind::Sync, 0, "locks M1", 1, 0, 0, {"M1"})};
    report.process = 7;
    style.sources = std::make_shared<SourceLines>();
    style.from.folder = scratch.file("");
  }

  std::string text() const { return race_text(race, report, style); }

  test::Scratch scratch;
  std::string source;
  Race race;
  RunReport report;
  TextStyle style;
};

TEST_F(RaceText, IsThisWhole) {
  EXPECT_EQ(text(), R"(==================
WARNING: OmenRaceDetector: data race (pid=7)
  'total' is read at bank.cpp:3 and written at bank.cpp:2: predicted, confirmed
  Read of size 4 at 0x40 by main thread:
    #0 audit() bank.cpp:3:12 (prog+0x10) (BuildId: 0123456789ab)
      3 |   int ä = total;
        |           ^

  Previous write of size 4 at 0x40 by thread T1:
    #0 deposit() bank.cpp:2:8 (prog+0x10) (BuildId: 0123456789ab)
      2 |         total += 1;
        |               ^
    #1–#2 std::thread

  Location is global 'total' of size 4 at 0x40

  Thread T1 (running) created by main thread at:
    #0 main bank.cpp:9 (prog+0x10) (BuildId: 0123456789ab)

  Predicted by weak-doesn't-commute; confirmed: this schedule of the same run brings both accesses together:
    main  creates T1 at bank.cpp:9
    main  locks M1 at bank.cpp:1 and unlocks it at bank.cpp:1
    T1    writes 'total' at bank.cpp:2   <-- race
    main  reads 'total' at bank.cpp:3   <-- race
  Why: This run ordered the two accesses: T1 unlocks M1 at bank.cpp:2, then main locks M1 at bank.cpp:1.
  Fix: Hold one mutex at both accesses (neither holds any), or make 'total' atomic.

SUMMARY: OmenRaceDetector: data race bank.cpp:3:12 in audit()
==================
)");
}

TEST_F(RaceText, FitsAScreen) {
  const std::string all = text();
  EXPECT_LT(std::ranges::count(all, '\n'), 50);
}

TEST_F(RaceText, FullStacksHaveEveryFrame) {
  style.full_stacks = true;
  const std::string all = text();
  EXPECT_NE(all.find("    #2 std::thread::_State_impl<int>::_M_run() /usr/include/"), std::string::npos);
  EXPECT_EQ(all.find("#1–#2"), std::string::npos);
}

TEST_F(RaceText, WithoutTheSourceThereIsNoSnippet) {
  style.sources = nullptr;
  EXPECT_EQ(text().find(" | "), std::string::npos);
  style.sources = std::make_shared<SourceLines>();
  std::ofstream(source) << std::string(2, '\n') + std::string(500, 'x') + "\n";
  const std::string all = text();
  EXPECT_NE(all.find("3 | " + std::string(100, 'x') + "…\n        |            ^\n"), std::string::npos) << all;
}

TEST_F(RaceText, ExplainsMoreIfAsked) {
  style.explain = true;
  const std::string all = text();
  EXPECT_NE(all.find("\n  Confirmed: there is a schedule of the same events"), std::string::npos);
  std::size_t begin = all.find("  Confirmed: there");
  while (begin < all.find("SUMMARY")) {
    const std::size_t end = all.find('\n', begin);
    EXPECT_LE(end - begin, 100U);
    begin = end + 1;
  }
  race.found_by.clear();
  EXPECT_FALSE(text().empty());
}

TEST_F(RaceText, SaysWhatCameOfReplays) {
  EXPECT_EQ(text().find("eplayed"), std::string::npos);
  race.replays = Replays{3, 1, "ended before it came to the racing accesses"};
  EXPECT_NE(
      text().find("\n  Replayed in 1 of 3 runs of the program.\n  A run ended before it came to the racing accesses\n"),
      std::string::npos)
      << text();
  race.replays = Replays{0, 0, "the schedule is too long"};
  EXPECT_NE(text().find("\n  Not replayed: the schedule is too long.\n"), std::string::npos) << text();
}

TEST_F(RaceText, ColoursAreBalancedAndOnlyOurs) {
  EXPECT_EQ(text().find('\x1b'), std::string::npos);
  style.colour = true;
  const std::string all = text();
  std::size_t begun = 0;
  std::size_t ended = 0;
  for (std::size_t at = all.find("\x1b["); at != std::string::npos; at = all.find("\x1b[", at + 1)) {
    ++(all.substr(at, 4) == "\x1b[0m" ? ended : begun);
  }
  EXPECT_GT(begun, 5U);
  EXPECT_EQ(begun, ended);
}

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// On a terminal, lines end at its last column; only text that the source position repeats is truncated.
TEST_F(RaceText, FitsTheColumnsOfATerminal) {
  report.events = report.synchronisations = 1'000'000;
  report.notes = {
      "a note of more words than fit a line of eighty columns, as the notes of a run that was cut short are"};
  race.origin.command = {"./a-program", "with", "many", "arguments", "that", "do",
                         "not",         "fit",  "a",    "line",      "of",   "80"};
  race.replays =
      Replays{3, 1, "ended before it came to the racing accesses, as far as anybody can say who was not there"};
  const auto whole = [&] { return text() + closing_text(report, style.columns); };
  const std::string wide = whole();
  for (const std::size_t columns : {80U, 120U}) {
    style.columns = columns;
    const std::string all = whole();
    for (std::size_t begin = 0; begin < all.size(); begin = all.find('\n', begin) + 1) {
      const std::string line = all.substr(begin, all.find('\n', begin) - begin);
      EXPECT_LE(columns_of(line), columns) << line;
    }
    const auto words = [](std::string text) {
      std::istringstream in(text);
      std::string out;
      for (std::string word; in >> word;) out += word + " ";
      return out;
    };
    EXPECT_EQ(words(all), words(wide)) << columns;
  }
  EXPECT_NE(wide.find("  Why: This run ordered the two accesses: T1 unlocks M1 at bank.cpp:2, then main"),
            std::string::npos);
  style.columns = 80;
  EXPECT_NE(text().find("  Why: This run ordered the two accesses: T1 unlocks M1 at bank.cpp:2, then main\n"
                        "    locks M1 at bank.cpp:1.\n"),
            std::string::npos)
      << text();
  style.columns = 60;
  EXPECT_NE(text().find("    #0 audit() bank.cpp:3:12 (prog+0x10)\n"), std::string::npos) << text();
  race.accesses[0].stack[0].function = "a_function_with_a_long_name()";
  EXPECT_NE(text().find("    #0 a_function_with_a_long_name() bank.cpp:3:12\n"), std::string::npos) << text();
}

TEST_F(RaceText, WithoutLinesAStepNamesItsFunction) {
  race.schedule.back().file.clear();
  race.schedule.back().function = "audit(std::vector<int> const&)";
  EXPECT_NE(text().find("    main  reads 'total' in audit(…)   <-- race\n"), std::string::npos) << text();
}

TEST_F(RaceText, ShowsThePartOfALongLineThatIsMeant) {
  std::ofstream(source) << "\n\n" + std::string(200, 'x') + "total" + std::string(200, 'y') + "\n";
  race.accesses[0].stack[0].column = 201;
  style.columns = 80;
  EXPECT_NE(text().find("      3 | …" + std::string(34, 'x') + "total" + std::string(29, 'y') + "…\n        | " +
                        std::string(35, ' ') + "^\n"),
            std::string::npos)
      << text();
}

TEST_F(RaceText, PlacesAreLinksWhereTheTerminalHasThem) {
  const std::string plain = text();
  style.links = {.form = LinkForm::File, .host = "box"};
  std::string all = text();
  const std::string end = "\x1b]8;;\x1b\\";
  const std::string begin = "\x1b]8;;file://box" + source + "\x1b\\";
  const std::string step = "\x1b]8;;file://box/src/bank.cpp\x1b\\";
  EXPECT_NE(all.find("    #0 audit() " + begin + "bank.cpp:3:12" + end + " (prog"), std::string::npos) << all;
  EXPECT_NE(all.find("    T1    writes 'total' at " + step + "bank.cpp:2" + end), std::string::npos) << all;
  // Without the sequences it is the same text.
  for (std::size_t at = all.find("\x1b]8;;"); at != std::string::npos; at = all.find("\x1b]8;;")) {
    all.erase(at, all.find("\x1b\\", at) + 2 - at);
  }
  EXPECT_EQ(all, plain);
}

/// No name and no source text of a program reaches the terminal as a control sequence.
TEST_F(RaceText, NothingOfTheProgramReachesTheTerminal) {
  const std::string evil =
      "a\x1b]0;t\x07\x1b[2J\xC2\x9B"
      "1m\x9B"
      "0m\xE2\x80\xAE"
      "b\r\n==================\nSUMMARY";
  std::ofstream(source) << evil << "\n" << evil << "\n" << evil << "\n" << evil << "\n";
  for (Access& access : race.accesses) {
    access.stack.push_back(frame(evil, evil, 3));
    access.stack.back().module = access.stack.back().build_id = evil;
    HeldLock lock;
    lock.label = lock.name = evil;
    lock.acquired = access.stack;
    access.locks = {lock};
  }
  race.variable.name = race.found_by = race.no_replay = evil;
  race.replays = Replays{3, 0, evil};
  for (Thread& thread : race.threads) thread.label = thread.name = evil;
  for (auto* list : {&race.schedule, &race.hidden_by}) {
    for (ScheduleStep& one : *list) one.text = one.file = one.function = evil;
  }
  report.races = {race};
  report.notes = {evil};
  report.exit.signal = evil;
  style.explain = true;
  for (const bool full : {false, true}) {
    style.full_stacks = full;
    style.columns = full ? 0 : 80;
    const std::string all = as_text(report, style);
    for (const std::string_view bad : {"\x1b", "\x07", "\r", "\xC2\x9B", "\xE2\x80\xAE", "\x9B", "\nSUMMARY\n"}) {
      EXPECT_EQ(all.find(bad), std::string::npos) << testing::PrintToString(std::string(bad));
    }
    EXPECT_NE(all.find("\\u202e"), std::string::npos);
    EXPECT_NE(all.find("\\x1b"), std::string::npos);
  }
}

}  // namespace
}  // namespace omen::report
