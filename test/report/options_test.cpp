/// \file
/// `OMEN_OPTIONS` after `TSAN_OPTIONS`, in the sanitizers' syntax.
#include "report/options.hpp"

#include <gtest/gtest.h>

namespace omen::report {
namespace {

RunOptions parsed(const char* tsan, const char* omen) {
  const auto options = options_from(tsan, omen);
  EXPECT_TRUE(options) << options.error().text();
  return options.value_or(RunOptions{});
}

std::string refused(const char* tsan, const char* omen) {
  const auto options = options_from(tsan, omen);
  return options ? std::string() : options.error().text();
}

TEST(Options, NothingSaidIsTheDefault) {
  EXPECT_EQ(parsed(nullptr, nullptr), RunOptions{});
  EXPECT_EQ(parsed("", " ::,\n"), RunOptions{});
  EXPECT_EQ(RunOptions{}.exitcode, 66);
  EXPECT_EQ(RunOptions{}.max_trace_mb, 4096U);
  EXPECT_EQ(RunOptions{}.atexit_sleep_ms, 1000U);
}

TEST(Options, AllSeparators) {
  const RunOptions options =
      parsed(nullptr, "exitcode=3:halt_on_error=1,report_bugs=no print_summary=false\nstats=yes\tmax_trace_mb=12");
  EXPECT_EQ(options.exitcode, 3);
  EXPECT_TRUE(options.halt_on_error);
  EXPECT_FALSE(options.report_bugs);
  EXPECT_FALSE(options.print_summary);
  EXPECT_TRUE(options.stats);
  EXPECT_EQ(options.max_trace_mb, 12U);
}

TEST(Options, Quotes) {
  const RunOptions options = parsed(nullptr, "suppressions='a:b c.txt':log_path=\"x,y\":strip_path_prefix=");
  EXPECT_EQ(options.suppressions, "a:b c.txt");
  EXPECT_EQ(options.log_path, "x,y");
  EXPECT_EQ(options.strip_path_prefix, "");
  EXPECT_NE(refused(nullptr, "suppressions='a"), "");
}

TEST(Options, OmenComesAfterTsan) {
  const RunOptions options =
      parsed("exitcode=1:atexit_sleep_ms=20:suppressions=t.txt:history_size=7:made_up=1:max_trace_mb=9", "exitcode=2");
  EXPECT_EQ(options.exitcode, 2);
  EXPECT_EQ(options.atexit_sleep_ms, 20U);
  EXPECT_EQ(options.suppressions, "t.txt");
  EXPECT_EQ(options.max_trace_mb, RunOptions{}.max_trace_mb);  // not one of ThreadSanitizer's
}

TEST(Options, TsanOnlyNamesAreAccepted) {
  EXPECT_EQ(parsed(nullptr, "malloc_context_size=7:second_deadlock_stack=1:report_atomic_races=0"), RunOptions{});
}

TEST(Options, WhatIsWrongIsSaid) {
  const std::string unknown = refused(nullptr, "exitcode=1:exit_code=2");
  EXPECT_EQ(unknown.substr(0, 27), "OMEN_OPTIONS:character 12: ");
  EXPECT_NE(unknown.find("'exit_code'"), std::string::npos);
  EXPECT_NE(unknown.find("exitcode, "), std::string::npos);
  EXPECT_NE(refused(nullptr, "exitcode=256"), "");
  EXPECT_NE(refused(nullptr, "history_size=11"), "");
  EXPECT_NE(refused(nullptr, "exitcode=-1"), "");
  EXPECT_NE(refused(nullptr, "exitcode=1x"), "");
  EXPECT_NE(refused(nullptr, "exitcode="), "");
  EXPECT_NE(refused(nullptr, "stats=2"), "");
  EXPECT_NE(refused(nullptr, "stats"), "");
  EXPECT_NE(refused(nullptr, "=1"), "");
  EXPECT_NE(refused(nullptr, "max_trace_mb=99999999999999999999"), "");
  EXPECT_NE(refused(nullptr, "history_size=11").find("a number from 0 to 10"), std::string::npos);
  EXPECT_NE(refused(nullptr, "fail_on=all").find("observed or predicted"), std::string::npos);
  EXPECT_NE(refused(nullptr, "mode=other").find("off, online or record"), std::string::npos);
  EXPECT_EQ(refused("exitcode=x", nullptr).substr(0, 13), "TSAN_OPTIONS:");
}

TEST(Options, ModeIsOmensAlone) {
  EXPECT_EQ(parsed("mode=online", nullptr), RunOptions{});
  EXPECT_EQ(parsed(nullptr, "mode=online:mode=off"), RunOptions{});
  EXPECT_EQ(parsed(nullptr, "mode=online").mode, AloneMode::Online);
  EXPECT_EQ(parsed(nullptr, "mode=record").mode, AloneMode::Record);
  EXPECT_EQ(parsed("history_size=10", nullptr).history_size, 10U);
}

TEST(Options, LogFile) {
  EXPECT_EQ(parsed(nullptr, "log_path=out").log_file(12), "out.12");
  EXPECT_EQ(parsed(nullptr, "log_path=stdout").log_file(12), "");
  EXPECT_EQ(RunOptions{}.log_file(12), "");
}

TEST(Options, TraceFile) {
  EXPECT_EQ(RunOptions{}.trace_file(12), "omen-12.omen");
  EXPECT_EQ(parsed(nullptr, "mode=record:trace_path=t.omen").trace_file(12), "t.omen");
  EXPECT_EQ(parsed(nullptr, "trace_path=%p/a%p%%p.omen").trace_file(7), "7/a7%7.omen");
}

TEST(Options, HelpNamesEveryOption) {
  const std::string help = options_help();
  for (const char* name : {"mode", "analysis", "history_size", "help", "suppressions", "log_path", "exitcode",
                           "max_trace_mb", "trace_path", "most_epochs", "atexit_sleep_ms", "pauses", "stats"}) {
    EXPECT_NE(help.find(name), std::string::npos);
  }
}

}  // namespace
}  // namespace omen::report
