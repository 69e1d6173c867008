/// \file
/// Reports on a real program: the test compiles and runs it, and makes up the trace that a recorder would have written.
#include "report/build_report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/race_json.hpp"
#include "report/race_sarif.hpp"
#include "report/race_text.hpp"
#include "test/judges/std_text.hpp"
#include "test/report/sarif_rules.hpp"
#include "test/symbolize/compiled_program.hpp"

namespace omen::report {
namespace {

using test::CompiledProgram;
using test::Scratch;

constexpr const char* kSource = R"(int total;
int log_lock[10];
struct Account { long balance; };
inline __attribute__((always_inline)) void add(int by) {
  here("add");
  total += by;
}
__attribute__((noinline)) void deposit(int by) {
  add(by);
  here("lock1"); here("unlock1"); ++total;
}
__attribute__((noinline)) void audit() {
  here("lock2"); here("unlock2");
  here("check"); ++total;
}
__attribute__((noinline)) void teller() { deposit(3); here("teller"); ++total; }
__attribute__((noinline)) void auditor() { audit(); here("auditor"); ++total; }
int main() {
  say_modules();
  there("total", &total);
  there("log_lock", &log_lock);
  teller();
  auditor();
  here("create1"); here("create2");
  here("malloc");
  return total == 77;
}
)";

/// Node numbers of the stacks below.
enum Node : std::uint32_t {
  kNone,
  kCreate1,
  kCreate2,
  kTeller,
  kAuditor,
  kAdd,
  kLock1,
  kUnlock1,
  kLock2,
  kUnlock2,
  kCheck,
  kMalloc,
  kDeep
};

class Bank : public testing::Test {
 protected:
  void SetUp() override {
    program = std::make_unique<CompiledProgram>(scratch, kSource, "g++-12 -O2 -g");
    ASSERT_TRUE(program->ran());
    const auto at = [&](const char* name) { return program->at(name); };
    // "teller" is the return address of a call after deposit(3); one of deposit itself would do as well.
    info.command = {"./bank", "now"};
    info.process = 4711;
    info.stacks = {{0, 0},
                   {0, at("create1")},
                   {0, at("create2")},
                   {0, at("teller")},
                   {0, at("auditor")},
                   {kTeller, at("add")},
                   {kTeller, at("lock1")},
                   {kTeller, at("unlock1")},
                   {kAuditor, at("lock2")},
                   {kAuditor, at("unlock2")},
                   {kAuditor, at("check")},
                   {0, at("malloc")},
                   {kCheck, 0x10}};
    info.modules = {program->module()};
    info.threads = {{"bank", {}, 0, 4711}, {"teller", ThreadId{0}, kCreate1, 4712}, {"", ThreadId{0}, kCreate2, 4713}};
    total = fmt(program->at("total")) + ":4";
    lock = fmt(program->at("log_lock"));
    trace = judges::trace_of(
        "main|fork(T1)|1\nmain|fork(T2)|2\n"
        "T1|w(" +
        total +
        ")|5\n"
        "T1|acq(" +
        lock +
        ")|6\n"
        "T1|rel(" +
        lock +
        ")|7\n"
        "T2|acq(" +
        lock +
        ")|8\n"
        "T2|r(" +
        total +
        ")|10\n"
        "T2|rel(" +
        lock +
        ")|9\n"
        "T2|w(" +
        total +
        ")|10\n"
        "T1|end|\n");
  }

  static std::string fmt(std::uint64_t address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
  }

  Candidate candidate() const {
    Candidate one;
    one.pair = {2, 6};
    one.confirmed = true;
    one.method = "closure";
    one.model = "ca";
    one.witness = [] { return std::vector<std::uint32_t>{0, 1, 5, 2, 6}; };
    return one;
  }

  RunReport build(const std::vector<Candidate>& candidates, const RunFacts& facts = {}) {
    symbolize::Symbolizer symbolizer(info.modules);
    return build_report(trace, info, candidates, symbolizer, facts);
  }

  Scratch scratch;
  std::unique_ptr<CompiledProgram> program;
  CaptureInfo info;
  Trace trace;
  std::string total;
  std::string lock;
};

std::vector<std::string> functions(const Stack& stack) {
  std::vector<std::string> names;
  for (const Frame& frame : stack) names.push_back(frame.function);
  return names;
}

TEST_F(Bank, ARaceInSourceTerms) {
  const RunReport report = build({candidate()});
  EXPECT_EQ(report.command, info.command);
  EXPECT_EQ(report.events, 10U);
  EXPECT_EQ(report.threads, 3U);
  EXPECT_EQ(report.synchronisations, 6U);
  ASSERT_EQ(report.races.size(), 1U);
  const Race& race = report.races[0];
  EXPECT_EQ(race.kind, RaceKind::DataRace);
  EXPECT_EQ(race.accesses[0].event, 6U);
  EXPECT_EQ(race.accesses[0].kind, AccessKind::Read);
  EXPECT_EQ(race.accesses[0].size, 4U);
  EXPECT_EQ(race.accesses[0].address, program->at("total"));
  EXPECT_EQ(functions(race.accesses[0].stack), (std::vector<std::string>{"audit()", "auditor()"}));
  EXPECT_EQ(functions(race.accesses[1].stack), (std::vector<std::string>{"add(int)", "deposit(int)", "teller()"}));
  ASSERT_EQ(race.accesses[0].locks.size(), 1U);
  EXPECT_EQ(race.accesses[0].locks[0].name, "log_lock");
  EXPECT_EQ(race.accesses[0].locks[0].address, program->at("log_lock"));
  EXPECT_EQ(functions(race.accesses[0].locks[0].acquired), (std::vector<std::string>{"audit()", "auditor()"}));
  EXPECT_TRUE(race.accesses[1].locks.empty());
  EXPECT_EQ(race.variable.kind, LocationKind::Global);
  EXPECT_EQ(race.variable.name, "total");
  ASSERT_EQ(race.threads.size(), 3U);
  EXPECT_TRUE(race.threads[0].main);
  EXPECT_EQ(race.threads[1].name, "teller");
  EXPECT_TRUE(race.threads[1].finished);
  EXPECT_EQ(race.threads[1].creator, 0U);
  EXPECT_EQ(functions(race.threads[1].creation), (std::vector<std::string>{"main"}));
  EXPECT_FALSE(race.threads[2].finished);
  EXPECT_EQ(race.witness, (std::vector<std::uint32_t>{0, 1, 5, 2, 6}));
  ASSERT_EQ(race.hidden_by.size(), 2U);
  EXPECT_EQ(race.hidden_by[0].text, "unlocks M0 'log_lock'");
  EXPECT_EQ(race.hidden_by[1].text, "locks M0 'log_lock'");
  ASSERT_EQ(race.schedule.size(), 5U);
  EXPECT_EQ(race.schedule[2].text, "locks M0 'log_lock'");
  EXPECT_EQ(race.schedule[4].text, "reads 'total'");
  EXPECT_EQ(race.schedule[4].line, 14U);
  EXPECT_EQ(race.schedule[4].recorded,
            (std::array<std::uint64_t, 2>{{race.accesses[0].event, race.accesses[0].event}}));
  EXPECT_EQ(race.schedule[2].holds, std::vector<std::string>{"M0"});
  EXPECT_EQ(race.schedule[2].keeps, std::vector<std::string>{"M0"});
  EXPECT_EQ(race.schedule[4].holds, std::vector<std::string>{"M0"});
  EXPECT_TRUE(race.schedule[3].holds.empty());
  EXPECT_EQ(race.hidden_by[0].holds, std::vector<std::string>{"M0"});
  EXPECT_TRUE(race.hidden_by[0].keeps.empty());
}

TEST_F(Bank, TextHasTheKnownLayout) {
  const RunReport report = build({candidate()});
  const std::string text = as_text(report);
  const std::string address = fmt(program->at("total"));
  for (const std::string& line : std::vector<std::string>{
           "==================\nWARNING: OmenRaceDetector: data race (pid=4711)\n  'total' is read at program.cpp:14 "
           "and written "
           "at program.cpp:5: predicted, confirmed\n  Read of size 4 at " +
               address + " by thread T2 (mutexes: write M0):\n    #0 audit() ",
           "program.cpp:14:",
           " (program+0x",
           " (BuildId: ",
           "\n  Previous write of size 4 at " + address + " by thread T1:\n    #0 add(int) ",
           "\n    #1 deposit(int) ",
           "\n    #2 teller() ",
           "\n  Location is global 'total' of size 4 at " + address + " (program+0x",
           "\n  Mutex M0 'log_lock' (" + fmt(program->at("log_lock")) + ") locked by thread T2 at:\n    #0 audit() ",
           "\n  Thread T1 'teller' (tid=4712, finished) created by main thread at:\n    #0 main ",
           "\n  Thread T2 (tid=4713, running) created by main thread at:\n",
           "\n  Predicted by weak-doesn't-commute; confirmed: this schedule of the same run brings both accesses "
           "together:\n"
           "    main  creates T1 at ",
           "\n    T2    locks M0 'log_lock' at ",
           "   <-- race\n",
           "\n  Why: This run ordered the two accesses: T1 unlocks M0 'log_lock' at program.cpp:",
           "\n  Fix: Hold one mutex at both accesses (only the read at program.cpp:14 holds one, M0 'log_lock'), or "
           "make "
           "'total' atomic.\n",
           "\nSUMMARY: OmenRaceDetector: data race ",
           "program.cpp:14:",
           " in audit()\n==================\n",
           "OmenRaceDetector: 1 race (0 observed, 1 predicted: 1 confirmed, 0 not) in 10 events, 3 threads, 6 "
           "synchronisations\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nis not in\n" << text;
  }
  const std::string folder = std::filesystem::path(program->path).parent_path().string() + "/";
  EXPECT_NE(text.find(folder), std::string::npos);
  EXPECT_EQ(as_text(report, {folder, true}).find(folder), std::string::npos);
  EXPECT_EQ(as_text(report, {"", false}).find("SUMMARY"), std::string::npos);
}

TEST_F(Bank, DuplicatesAreOneRaceWithACount) {
  Candidate first = candidate();
  first.confirmed = false;
  Candidate second = candidate();
  second.pair = {8, 2};  // the same places, a write, the other way round
  second.count = 3;
  second.observed = true;
  second.found_by = "hb";
  second.witness = [] { return std::vector<std::uint32_t>{0, 1, 5, 6, 7, 2, 8}; };
  const RunReport report = build({first, second, first});
  ASSERT_EQ(report.races.size(), 1U);
  EXPECT_EQ(report.races[0].count, 5U);
  EXPECT_TRUE(report.races[0].observed);
  EXPECT_EQ(report.races[0].accesses[0].event, 8U);
  const std::string text = as_text(report);
  EXPECT_NE(text.find("  Observed in this run (happens-before); confirmed: "), std::string::npos);
  EXPECT_NE(text.find("  5 pairs of accesses at these places race.\n"), std::string::npos);
}

TEST_F(Bank, HeapBlocksStacksAndFrees) {
  trace = judges::trace_of(
      "main|fork(T1)|1\nmain|alloc(0x9000:8)|11\nT1|w(0x9000:8)|5\nmain|free(0x9000:8)|10\n"
      "main|w(0x8000:1)|10\nT1|w(0x8000:1)|5\n");
  info.threads.resize(2);
  info.blocks = {{1, 0x8ff0, 64, ThreadId{0}, kMalloc}};
  Candidate freed = candidate();
  freed.pair = {2, 3};
  freed.witness = [] { return std::vector<std::uint32_t>{0, 1, 2, 3}; };
  Candidate stack = candidate();
  stack.pair = {4, 5};
  stack.confirmed = false;
  stack.vptr = true;
  stack.atomic = {true, false};
  RunFacts facts;
  facts.stacks = {{0x7000, 0x8100, ThreadId{0}}};
  facts.exit.signal = signal_name(SIGSEGV);
  facts.complete = false;
  facts.longest_witness = 3;
  // Both pairs are at the same places; the second alone, too.
  const RunReport report = build({freed}, facts);
  ASSERT_EQ(report.races.size(), 1U);
  EXPECT_EQ(report.races[0].kind, RaceKind::UseAfterFree);
  EXPECT_EQ(report.races[0].variable.kind, LocationKind::Heap);
  EXPECT_TRUE(report.races[0].witness.empty());
  EXPECT_EQ(report.races[0].witness_size, 4U);
  std::string text = as_text(report);
  EXPECT_NE(text.find("heap-use-after-free"), std::string::npos);
  EXPECT_NE(text.find("  Free at 0x9000 by main thread:\n"), std::string::npos);
  EXPECT_NE(text.find("  Location is heap block of size 64 at 0x8ff0 allocated by main thread:\n    #0 main "),
            std::string::npos);
  EXPECT_NE(text.find("ended by SIGSEGV"), std::string::npos);
  EXPECT_NE(text.find("not everything was recorded"), std::string::npos);

  const RunReport other = build({stack}, facts);
  EXPECT_EQ(other.races[0].variable.kind, LocationKind::OnStack);
  EXPECT_EQ(other.races[0].kind, RaceKind::VptrRace);
  text = as_text(other);
  EXPECT_NE(text.find("data race on vptr"), std::string::npos);
  EXPECT_NE(text.find("  Previous atomic write of size 1 at 0x8000 by main thread:\n"), std::string::npos);
  EXPECT_NE(text.find("  Location is stack of main thread.\n"), std::string::npos);
  EXPECT_NE(text.find("not confirmed"), std::string::npos);
}

TEST_F(Bank, TheHeadlineIsTheFirstFrameWithSource) {
  info.stacks[kDeep].pc = 0x10;  // in no module
  trace = judges::trace_of("T1|w(" + total + ")|5\nT2|w(" + total + ")|12\n");
  info.threads.resize(2);
  Candidate one = candidate();
  one.pair = {0, 1};
  one.confirmed = false;
  const RunReport report = build({one});
  const std::string text = as_text(report);
  EXPECT_NE(text.find("    #0 <null> (0xf)\n    #1 audit() "), std::string::npos) << text;
  EXPECT_NE(text.find(" in audit()\n=="), std::string::npos);
}

TEST_F(Bank, FingerprintsDoNotDependOnAddressesOrderOrEvents) {
  const std::string one = build({candidate()}).races[0].fingerprint;
  EXPECT_EQ(one.size(), 32U);
  Race race = build({candidate()}).races[0];
  std::swap(race.accesses[0], race.accesses[1]);
  for (Access& access : race.accesses) {
    access.address += 64;
    access.event += 5;
    access.thread += 1;
    for (Frame& frame : access.stack) {
      frame.offset += 16;
      frame.line += 3;
      frame.file = "/elsewhere/" + frame.file;
      frame.module = "/elsewhere";
    }
  }
  EXPECT_EQ(fingerprint(race), one);
  race.accesses[0].kind = AccessKind::Free;
  EXPECT_NE(fingerprint(race), one);
}

TEST_F(Bank, DamagedTablesGiveLess) {
  info.stacks[kCheck].parent = 4000;
  info.stacks[kAdd].parent = kAdd;
  info.threads[1].creator = ThreadId{77};
  info.threads[2].creation_stack = 1000;
  info.blocks = {{0, ~std::uint64_t{0} - 3, 100, ThreadId{99}, 555}};
  EXPECT_EQ(build({candidate()}).races.size(), 1U);
  info.threads.clear();
  info.modules.clear();
  const std::string text = as_text(build({candidate()}));
  EXPECT_NE(text.find("by thread T2"), std::string::npos);
  info.stacks.clear();
  EXPECT_NE(as_text(build({candidate()})).find("location 10"), std::string::npos);
}

TEST_F(Bank, JsonComesBackAsTheSameReport) {
  RunFacts facts;
  facts.notes = {"a \"note\" with \xff bytes"};
  RunReport report = build({candidate()}, facts);
  const std::string text = as_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto back = report_from_json(text, "r.json");
  ASSERT_TRUE(back) << back.error().text();
  report.notes = {"a \"note\" with \xEF\xBF\xBD bytes"};
  EXPECT_EQ(*back, report);
  facts.exit.signal = "SIGABRT";
  report = build({}, facts);
  report.notes.clear();
  EXPECT_EQ(report_from_json(as_json(report).dump(), "r.json"), report);

  const auto json = as_json(build({candidate()}));
  const auto& race = json["races"][0];
  EXPECT_EQ(json["omen"], 1);
  EXPECT_EQ(json["exit"], (nlohmann::json{{"code", 0}}));
  EXPECT_EQ(race["verdict"], "race");
  EXPECT_EQ(race["accesses"][1]["access"], "write");
  EXPECT_EQ(race["accesses"][0]["locks"][0]["mutex"], "M0");
  EXPECT_EQ(race["witness"], (nlohmann::json{0, 1, 5, 2, 6}));
}

TEST_F(Bank, SarifKeepsTheRulesOfTheStandard) {
  Candidate plain = candidate();
  plain.pair = {2, 8};
  plain.confirmed = false;
  info.stacks[kUnlock2].pc = info.stacks[kCheck].pc;
  RunFacts facts;
  facts.notes = {"note"};
  facts.complete = false;
  const RunReport report = build({candidate()}, facts);
  const std::string folder = std::filesystem::path(program->path).parent_path();
  const auto sarif = as_sarif(report, {folder, "0.1"});
  test::expect_sarif(sarif);
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "data-race");
  EXPECT_EQ(result["partialFingerprints"]["omenRace/v1"], report.races[0].fingerprint);
  const auto& where = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(where["artifactLocation"]["uri"], "program.cpp");
  EXPECT_EQ(where["artifactLocation"]["uriBaseId"], "%SRCROOT%");
  EXPECT_EQ(where["region"]["startLine"], 14);
  const auto& flows = result["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(flows.size(), 3U);  // main, T2, T1
  EXPECT_EQ(flows[0]["id"], "main");
  EXPECT_EQ(flows[1]["locations"].back()["executionOrder"], 5);
  EXPECT_EQ(flows[2]["locations"].back()["executionOrder"], 4);
  test::expect_sarif(as_sarif(build({plain}), {}));
  info.modules.clear();
  test::expect_sarif(as_sarif(build({candidate()}), {}));
  info.stacks.clear();
  test::expect_sarif(as_sarif(build({candidate()}), {}));
  test::expect_sarif(as_sarif(RunReport{}, {}));
}

TEST(ReportJson, WhatIsWrongIsSaidWithItsPlace) {
  const auto refused = [](std::string_view text) {
    const auto report = report_from_json(text, "r.json");
    return report ? std::string() : report.error().text();
  };
  EXPECT_EQ(refused(R"({"omen": 1, "races": []})"), "");
  EXPECT_EQ(refused("{]").substr(0, 14), "r.json:offset ");
  EXPECT_EQ(refused("[]").substr(0, 7), "r.json:");
  EXPECT_EQ(refused("{}"), "r.json:/omen: expected version 1, which is missing");
  EXPECT_EQ(refused(R"({"omen": 2, "races": []})"), "r.json:/omen: expected version 1");
  EXPECT_EQ(refused(R"({"omen": 1})"), "r.json:/races: expected an array of races, which is missing");
  EXPECT_EQ(refused(R"({"omen": 1, "races": 3})"), "r.json:/races: expected an array");
  const auto race = [&](const std::string& members) {
    return refused(R"({"omen": 1, "races": [{"kind": "data-race", )" + members + "}]}");
  };
  EXPECT_EQ(race(R"("accesses": [{"access": "read"}, {"access": "free"}])"), "");
  EXPECT_EQ(race(R"("accesses": [{"access": "read"}])"), "r.json:/races/0/accesses: expected two accesses");
  EXPECT_EQ(race(R"("accesses": [{"access": "read"}, {"access": "jump"}])"),
            "r.json:/races/0/accesses/1/access: expected one of read, write, free");
  EXPECT_NE(race(R"("count": -1)"), "");
  EXPECT_NE(race(R"("count": 1.5)"), "");
  EXPECT_NE(race(R"("witness": [4294967296])"), "");
  EXPECT_NE(race(R"("variable": {"kind": "global", "address": "12"})"), "");
  EXPECT_NE(race(R"("variable": {"kind": "global", "address": 12})"), "");
  EXPECT_NE(race(R"("variable": 7)"), "");
  EXPECT_NE(refused(R"({"omen": 1, "races": [], "notes": [1]})"), "");
  EXPECT_NE(refused(R"({"omen": 1, "races": [], "exit": {"code": 99999999999}})"), "");
  EXPECT_NE(refused(std::string(100'000, '[')), "");
}

/// What was predicted and is not reported is counted in every form, and listed if that was asked for.
TEST(ReportUnconfirmed, CountedAndListed) {
  RunReport report;
  Race excluded;
  excluded.found_by = "wdc";
  excluded.excluded = true;
  excluded.count = 12;
  excluded.decided = 12;
  excluded.why = "both hold 'm'";
  Race unknown;
  unknown.found_by = "wdc";
  unknown.count = 40;
  unknown.decided = 8;
  unknown.why = "out of budget: pairs";
  report.unconfirmed = {excluded, unknown};
  report.excluded = 1;
  report.unknown = 1;
  const std::string text = as_text(report);
  EXPECT_NE(text.find("0 races in"), std::string::npos) << text;
  EXPECT_NE(text.find("not reported: 1 excluded, 1 unknown of 2 predicted pairs of places"), std::string::npos) << text;
  EXPECT_EQ(text.find("both hold"), std::string::npos) << text;
  const std::string listed = as_text(report, {.strip_path_prefix = "", .unconfirmed = true});
  EXPECT_NE(listed.find("both hold 'm'; so for each of the 12 pairs"), std::string::npos) << listed;
  EXPECT_NE(listed.find("8 of 40 pairs of accesses are excluded; out of budget: pairs"), std::string::npos) << listed;
  const auto json = as_json(report);
  EXPECT_TRUE(json["races"].empty());
  EXPECT_EQ(json["unconfirmed"][0]["verdict"], "no-race");
  EXPECT_EQ(json["unconfirmed"][1]["verdict"], "unknown");
  EXPECT_EQ(json["unconfirmed"][1]["decided"], 8);
  const auto again = report_from_json(json.dump(), "r.json");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(*again == report);
  const auto sarif = as_sarif(report);
  test::expect_sarif(sarif);
  EXPECT_EQ(sarif["runs"][0]["results"][0]["kind"], "pass");
  EXPECT_EQ(sarif["runs"][0]["results"][1]["kind"], "review");
  EXPECT_EQ(sarif["runs"][0]["results"][1]["level"], "none");
  EXPECT_EQ(sarif["runs"][0]["properties"]["unknown"], 1);
}

TEST(ReportText, NamesDoNotBreakTheLayout) {
  RunReport report;
  Race race;
  race.variable.name = "x\ny";
  Frame frame;
  frame.function = "f\n==================\nSUMMARY";
  frame.file = "a\x1b[31m.c";
  race.accesses[0].stack = {frame};
  report.races = {race};
  const std::string text = as_text(report);
  EXPECT_EQ(text.find("\nSUMMARY\n"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ReportNames, SignalsAndRelations) {
  EXPECT_EQ(signal_name(11), "SIGSEGV");
  EXPECT_EQ(signal_name(6), "SIGABRT");
  EXPECT_EQ(signal_name(9999), "signal 9999");
  EXPECT_EQ(relation_name("wcp"), "weak-causally-precedes");
  EXPECT_EQ(relation_name("other"), "other");
}

}  // namespace
}  // namespace omen::report
