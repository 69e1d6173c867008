/// \file
/// A session with written logs, about a real program: the test compiles and runs it to have addresses.
#include "report/online_session.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "capture/online_log/log_reader.hpp"
#include "report/race_json.hpp"
#include "report/race_text.hpp"
#include "test/symbolize/compiled_program.hpp"

namespace omen::report {
namespace {

using test::CompiledProgram;
using test::Scratch;

constexpr const char* kSource = R"(int total;
int log_lock[10];
__attribute__((noinline)) void deposit() {
  here("write"); ++total;
}
__attribute__((noinline)) void audit() {
  here("lock"); ++total;
  here("read"); ++total;
}
__attribute__((noinline)) void other() {
  here("other"); ++total;
}
int main() {
  say_modules();
  there("total", &total);
  there("log_lock", &log_lock);
  deposit();
  audit();
  other();
  here("create");
  return total == 77;
}
)";

class Online : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new Scratch;
    program = new CompiledProgram(*scratch, kSource, "g++-12 -O1 -g");
  }
  static void TearDownTestSuite() {
    delete program;
    delete scratch;
  }
  void SetUp() override {
    ASSERT_TRUE(program->ran());
    environment = "strip_path_prefix=" + folder();
  }

  static std::string folder() { return program->path.substr(0, program->path.rfind('/') + 1); }

  static std::string at(const char* name) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(program->at(name)));
    return text;
  }

  static std::string head(const std::string& analysis = "st-wdc", std::uint64_t process = 10) {
    return "omen-online 1 " + analysis + "\nprocess " + std::to_string(process) + " 0\nargument ./bank\nmodule " +
           at("begin") + " " + at("end") + " " + at("bias") + " - " + program->path + "\nthread 0 0 " +
           std::to_string(process) + " :\nthread 1 0 12 : " + at("create") + "\nthread 2 0 13 : " + at("create") +
           "\nname 1 teller\n";
  }

  static std::string race(int number, const std::string& finding, const std::string& earlier = at("write")) {
    return "race " + std::to_string(number) + " " + finding + " 1\naccess now read " + at("total") +
           " 4 thread 2 : " + at("read") + "\nlock now " + at("log_lock") + " : " + at("lock") +
           "\naccess earlier write " + at("total") + " 4 thread 1 : " + earlier + "\nend\n";
  }

  std::expected<void, InputError> feed(const std::string& text, std::uint64_t process = 10) {
    online::LogReader reader("log");
    std::vector<online::Message> messages;
    if (auto ok = reader.read(text, messages); !ok) return ok;
    for (const online::Message& message : messages) {
      if (auto ok = session.take(process, message); !ok) return ok;
    }
    return {};
  }

  void expect_fed(const std::string& text, std::uint64_t process = 10) {
    const auto ok = feed(text, process);
    EXPECT_TRUE(ok) << ok.error().text();
  }

  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  static Scratch* scratch;
  static CompiledProgram* program;

  std::string environment;
  std::string printed;
  std::vector<std::pair<std::uint64_t, online::Judgement>> judged;
  Suppressions suppressions;
  OnlineSession session{
      suppressions,
      {.options_of =
           [this](const std::string& own) {
             RunOptions options;
             auto ok = parse_options(own, "own", false, options);
             if (ok) ok = parse_options(environment, "OMEN_OPTIONS", true, options);
             return ok ? std::expected<RunOptions, InputError>(options) : std::unexpected(ok.error());
           },
       .print =
           [this](const std::string& text, const RunOptions&, std::uint64_t) {
             printed += text;
             return std::expected<void, InputError>();
           },
       .judge = [this](std::uint64_t number, online::Judgement how) { judged.emplace_back(number, how); },
       .is_running = [](std::uint64_t, std::uint64_t thread) { return thread != 12; }}};
};

Scratch* Online::scratch;
CompiledProgram* Online::program;

TEST_F(Online, APredictedRaceIsPrintedAtOnce) {
  expect_fed(head() + race(1, "predicted"));
  for (const char* line : {
           "WARNING: OmenRaceDetector: data race (pid=10)\n",
           " by thread T2 (mutexes: write M0):\n    #0 audit() program.cpp:8",
           "  Previous write of size 4 at ",
           " by thread T1:\n    #0 deposit() program.cpp:4",
           "  Location is global 'total' of size 4",
           "  Mutex M0 'log_lock' (",
           ") locked by thread T2 at:\n    #0 audit() program.cpp:7",
           "  Thread T1 'teller' (tid=12, finished) created by main thread at:\n    #0 main program.cpp:20",
           "  Thread T2 (tid=13, running) created by main thread at:\n",
           "  Predicted by weak-doesn't-commute; not confirmed: no witness is looked for while the program runs "
           "(--record looks for one afterwards).\n",
           "SUMMARY: OmenRaceDetector: data race program.cpp:8",
       }) {
    EXPECT_NE(printed.find(line), std::string::npos) << line << "\nin\n" << printed;
  }
  EXPECT_EQ(judged, (decltype(judged){{1, online::Judgement::Reported}}));
}

TEST_F(Online, TheReportAtTheEnd) {
  expect_fed(head() + race(1, "observed") +
             "repeat 1 5\ncounter threads 3\ncounter accesses 100\ncounter synchronisations 7\n"
             "counter rule.read-same-epoch 60\nmessage the limit is reached\nexit\n");
  EXPECT_NE(printed.find("  Observed in this run (happens-before).\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("OmenRaceDetector: the limit is reached\n"), std::string::npos) << printed;
  const auto all = session.all(10);
  ASSERT_EQ(all.size(), 1U);
  const RunReport& report = all[0].report;
  EXPECT_EQ(report.command, std::vector<std::string>{"./bank"});
  EXPECT_EQ(report.process, 10U);
  EXPECT_EQ(report.threads, 3U);
  EXPECT_EQ(report.events, 107U);
  EXPECT_EQ(report.synchronisations, 7U);
  EXPECT_EQ(report.notes, std::vector<std::string>{"the limit is reached"});
  EXPECT_EQ(report.counters.size(), 4U);
  ASSERT_EQ(report.races.size(), 1U);
  EXPECT_EQ(report.races[0].count, 5U);
  EXPECT_TRUE(report.races[0].online);
  const auto json = as_json(report);
  EXPECT_EQ(json["races"][0]["online"], true);
  EXPECT_EQ(json["counters"]["rule.read-same-epoch"], 60);
  const auto again = report_from_json(json.dump(), "r.json");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, report);
}

TEST_F(Online, TheSamePlacesAreOneRace) {
  expect_fed(head() + race(1, "predicted") + race(2, "predicted") + race(3, "predicted", at("other")) +
             "repeat 2 4\nexit\n");
  EXPECT_EQ(count(printed, "WARNING:"), 2);
  const auto all = session.all(10);
  ASSERT_EQ(all[0].report.races.size(), 2U);
  EXPECT_EQ(all[0].report.races[0].count, 5U);
  using enum online::Judgement;
  EXPECT_EQ(judged, (decltype(judged){{1, Reported}, {2, NotReported}, {3, Reported}}));
}

TEST_F(Online, APredictedRaceMayHappenLater) {
  expect_fed(head() + race(1, "predicted") + race(2, "observed") + race(3, "predicted"));
  EXPECT_EQ(count(printed, "WARNING:"), 1);
  EXPECT_EQ(count(printed, "Observed in this run"), 1);
  EXPECT_EQ(count(printed, "OmenRaceDetector: data race program.cpp:8:"), 2);
  const auto all = session.all(10);
  ASSERT_EQ(all[0].report.races.size(), 1U);
  EXPECT_TRUE(all[0].report.races[0].observed);
  EXPECT_EQ(all[0].report.races[0].found_by, "hb");
  EXPECT_EQ(all[0].report.races[0].count, 3U);
}

TEST_F(Online, Suppressions) {
  ASSERT_TRUE(suppressions.add_text("race:deposit\n", "s"));
  expect_fed(head() + race(1, "observed") + race(2, "observed", at("other")) + "repeat 1 9\n");
  EXPECT_EQ(count(printed, "WARNING:"), 1);
  EXPECT_NE(printed.find("other()"), std::string::npos);
  EXPECT_EQ(session.all(10)[0].report.races.size(), 1U);
  EXPECT_EQ(session.count_suppressed(), 1U);
  EXPECT_EQ(suppressions.all()[0].hits, 9U);
}

TEST_F(Online, HaltOnErrorJudges) {
  environment += ":halt_on_error=1";
  ASSERT_TRUE(suppressions.add_text("race:deposit\n", "s"));
  expect_fed(head() + race(1, "observed") + race(2, "observed", at("other")) + race(3, "observed", at("lock")));
  using enum online::Judgement;
  EXPECT_EQ(judged, (decltype(judged){{1, NotReported}, {2, End}, {3, NotReported}}));
  EXPECT_EQ(count(printed, "WARNING:"), 1);
  EXPECT_EQ(session.all(10)[0].report.races.size(), 1U);
}

TEST_F(Online, OptionsOfTheProgram) {
  expect_fed(head() + "options report_bugs=0\n" + race(1, "observed"));
  EXPECT_EQ(printed, "");
  EXPECT_TRUE(session.all(10)[0].report.races.empty());
  EXPECT_EQ(judged, (decltype(judged){{1, online::Judgement::NotReported}}));
  const auto ok = feed("omen-online 1 st-wdc\noptions exitcode=many\n", 11);
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().text(), "own:character 1: expected a number from 0 to 255 for exitcode, not 'many'");
}

TEST_F(Online, KindsOfRaces) {
  const std::string accesses[2] = {"access now free 0x100 16 thread 1 : " + at("read"),
                                   "access now atomic-read 0x100 8 thread 1 : " + at("other")};
  const std::string earlier = "\naccess earlier vptr 0x100 8 thread 2 : " + at("write") + "\n";
  expect_fed(head() + "race 1 observed 1\n" + accesses[0] + earlier + "block heap 0xf0 64 thread 2 : " + at("create") +
             "\nend\nrace 2 observed 1\n" + accesses[1] + earlier + "block stack thread 2\nend\n");
  EXPECT_NE(printed.find("heap-use-after-free"), std::string::npos) << printed;
  EXPECT_NE(printed.find("  Free at 0x100 by thread T1"), std::string::npos) << printed;
  EXPECT_NE(printed.find("Location is heap block of size 64 at 0xf0 allocated by thread T2:\n    #0 main"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("data race on vptr"), std::string::npos) << printed;
  EXPECT_NE(printed.find("  Atomic read of size 8"), std::string::npos) << printed;
  EXPECT_NE(printed.find("Location is stack of thread T2.\n"), std::string::npos) << printed;
}

TEST_F(Online, UnknownStacksAndThreads) {
  const auto unknown = [](int number, const char* address) {
    return "race " + std::to_string(number) + " observed 1\naccess now read " + address +
           " 4 thread 7 : ?\naccess earlier write " + address + " 4 thread 8 : ?\nend\n";
  };
  expect_fed(head() + unknown(1, "0x100") + unknown(2, "0x100") + unknown(3, "0x200"));
  EXPECT_EQ(count(printed, "WARNING:"), 2);
  EXPECT_NE(printed.find("by thread T7:\n    [no stack is known]\n"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("Location is stack"), std::string::npos) << printed;
  expect_fed(head("st-dc", 11) + unknown(4, "0x7ffc12345678"), 11);
  EXPECT_NE(printed.find("Location is stack of "), std::string::npos) << printed;
}

TEST_F(Online, ProcessesAndProgramsInOneProcess) {
  expect_fed(head("st-dc", 11) + race(1, "predicted") + "exit\n", 11);
  expect_fed(head("st-dc", 10) + race(2, "predicted"), 10);
  expect_fed(head("fto-hb", 10) + "exit\n", 10);
  EXPECT_EQ(count(printed, "WARNING:"), 2);
  EXPECT_EQ(count(printed, "Predicted by doesn't-commute"), 2);
  const auto all = session.all(10);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].report.process, 10U);
  EXPECT_EQ(all[0].report.races.size(), 1U);
  ASSERT_EQ(all[0].report.notes.size(), 1U) << "it did not say that it ended";
  EXPECT_EQ(all[1].report.process, 10U);
  EXPECT_TRUE(all[1].report.notes.empty());
  EXPECT_EQ(all[2].report.process, 11U);
}

TEST_F(Online, BadLogs) {
  auto ok = feed("omen-online 1 st-magic\n");
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().text(), "online.10: there is no analysis 'st-magic'");
  ok = session.take(99, online::Exit{});
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().text(), "online.99: expected a beginning first");
}

TEST_F(Online, WithARecord) {
  expect_fed(head() + race(1, "predicted") + race(2, "observed", at("other")) + "counter accesses 4\nexit\n");
  RunReport online = session.all(10)[0].report;
  RunReport recorded = online;
  recorded.events = 50;
  recorded.counters.clear();
  for (Race& race : recorded.races) race.online = false;
  recorded.races[0].confirmed = true;
  recorded.races[0].witness = {1, 2};
  recorded.races[1] = recorded.races[0];  // only the record shows it
  recorded.races[1].accesses[1].stack[0].line = 1000;
  const RunReport all = with_record(online, recorded);
  ASSERT_EQ(all.races.size(), 3U);
  EXPECT_TRUE(all.races[0].online && all.races[0].confirmed && !all.races[0].observed);
  EXPECT_EQ(all.races[0].witness.size(), 2U);
  EXPECT_TRUE(all.races[1].online && all.races[1].observed && !all.races[1].confirmed);
  EXPECT_TRUE(!all.races[2].online && all.races[2].confirmed);
  EXPECT_EQ(all.events, 50U);
  EXPECT_EQ(all.counters.size(), 1U);
  const std::string text = finding_text(all.races[0], {.strip_path_prefix = folder(), .summary = true});
  EXPECT_TRUE(text.starts_with("OmenRaceDetector: data race program.cpp:8:")) << text;
  EXPECT_NE(text.find(" with program.cpp:4:"), std::string::npos) << text;
  EXPECT_NE(text.find("; confirmed: "), std::string::npos) << text;
}

/// What the record proves to be no race is taken back; what it cannot decide stays as it was predicted.
TEST_F(Online, WithARecordThatExcludes) {
  expect_fed(head() + race(1, "predicted") + race(2, "predicted", at("other")) + "exit\n");
  const RunReport online = session.all(10)[0].report;
  ASSERT_EQ(online.races.size(), 2U);
  RunReport recorded = online;
  recorded.unconfirmed = std::move(recorded.races);
  recorded.races.clear();
  for (Race& race : recorded.unconfirmed) race.online = false;
  recorded.unconfirmed[0].excluded = true;
  recorded.excluded = 1;
  recorded.unknown = 1;
  const RunReport all = with_record(online, recorded);
  ASSERT_EQ(all.races.size(), 1U);
  EXPECT_EQ(all.races[0].accesses, online.races[1].accesses);
  EXPECT_EQ(all.excluded, 1U);
  EXPECT_EQ(all.unknown, 0U) << "it is reported, as predicted";
  ASSERT_EQ(all.unconfirmed.size(), 1U);
  EXPECT_TRUE(all.unconfirmed[0].online) << "it was printed";
  // A race that happened is one, whatever else was predicted at the same places.
  RunReport observed = online;
  observed.races[0].observed = true;
  EXPECT_EQ(with_record(observed, recorded).races.size(), 2U);
}

}  // namespace
}  // namespace omen::report
