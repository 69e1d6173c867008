/// \file
/// The readability of reports: folded frames, short names, sentences, source lines; and the page's data, which no text
/// of a program can end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/explain.hpp"
#include "report/frames.hpp"
#include "report/html/html_page.hpp"
#include "report/race_text.hpp"
#include "report/source_lines.hpp"
#include "test/symbolize/compiled_program.hpp"

namespace omen::report {
namespace {

Frame frame(std::string function, std::string file, std::uint32_t line = 1, std::string module = "/bin/prog") {
  Frame one;
  one.function = std::move(function);
  one.file = std::move(file);
  one.line = line;
  one.module = std::move(module);
  return one;
}

const std::string kHeader = "/usr/include/c++/12/bits/std_thread.h";

TEST(Frames, SystemHeadersAndLibrariesAreTheSystems) {
  EXPECT_TRUE(is_system(frame("std::thread::join()", kHeader)));
  EXPECT_TRUE(is_system(frame("", "", 0, "/lib/x86_64-linux-gnu/libc.so.6")));
  EXPECT_TRUE(is_system(frame("__libc_start_main", "../csu/libc-start.c", 381, "/lib/x86_64-linux-gnu/libc.so.6")));
  EXPECT_FALSE(is_system(frame("main", "/src/main.cpp")));
  EXPECT_FALSE(is_system(frame("f", "", 0, "/opt/lib/libcurl.so")));
}

TEST(Frames, RunsOfTheSystemsFramesAreFoldedBehindTheFirst) {
  const Stack stack{frame("std::vector<int>::push_back(int const&)", "/usr/include/c++/12/bits/stl_vector.h"),
                    frame("work()", "/src/a.cpp"),
                    frame("void std::__invoke_impl<void, void (*)()>(std::__invoke_other, void (*&&)())", kHeader),
                    frame("std::thread::_Invoker<std::tuple<void (*)()> >::operator()()", kHeader),
                    frame("std::thread::_State_impl<std::thread::_Invoker<int> >::_M_run()", kHeader),
                    frame("", "", 0, "/usr/lib/libstdc++.so.6"),
                    frame("body()", "/src/a.cpp")};
  const auto runs = fold(stack);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_FALSE(runs[0].folded());
  EXPECT_FALSE(runs[1].folded());
  EXPECT_EQ(runs[2].first, 2U);
  EXPECT_EQ(runs[2].last, 5U);
  EXPECT_EQ(runs[2].label, "std::thread");
  EXPECT_FALSE(runs[3].folded());
  EXPECT_EQ(own_place(stack), &stack[1]);
  EXPECT_TRUE(fold({}).empty());
  const Stack taken{frame("__gthread_mutex_lock(int*)", kHeader), frame("std::mutex::lock()", kHeader),
                    frame("work()", "/src/a.cpp")};
  EXPECT_EQ(fold(taken).size(), 3U);
  const auto all = fold(taken, Innermost::AsAll);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "std::mutex");
}

TEST(Frames, NamesAreShortAndKeepTheirOperators) {
  const auto name = [](std::string function, bool system) {
    return short_name(frame(std::move(function), system ? kHeader : "/src/a.cpp"));
  };
  EXPECT_EQ(name("std::thread::_M_start_thread(std::unique_ptr<int>, void (*)())", true),
            "std::thread::_M_start_thread(…)");
  EXPECT_EQ(name("std::map<int, std::less<int> >::operator[](int const&)", true), "std::map<…>::operator[](…)");
  EXPECT_EQ(name("std::ostream& std::operator<< <char>(std::ostream&, char const*)", true),
            "std::ostream& std::operator<< <…>(…)");
  EXPECT_EQ(name("bool std::operator<=><int>(int)", true), "bool std::operator<=><…>(…)");
  EXPECT_EQ(name("std::function<void ()>::operator()() const", true), "std::function<…>::operator()() const");
  EXPECT_EQ(name("f()", true), "f()");
  EXPECT_EQ(name("(anonymous namespace)::f(int)", true), "(anonymous namespace)::f(…)");
  EXPECT_EQ(name("run<std::vector<int> >(int)", false), "run<std::vector<int> >(int)");
  EXPECT_EQ(name("run<" + std::string(200, 'x') + ">(int)", false), "run<…>(int)");
  EXPECT_EQ(name("run<" + std::string(200, 'x') + ">(" + std::string(200, 'y') + ")", false), "run<…>(…)");
  EXPECT_EQ(name("a > b)", true), "a > b)");  // no name at all, but nothing breaks
}

TEST(Frames, PathsAreRelativeToAFolderOrWithinAProject) {
  const auto from = [](const std::string& folder, const std::string& project = "") {
    return Viewpoint{folder, project};
  };
  EXPECT_EQ(relative_path("/src/app/a.cpp", from("/src")), "app/a.cpp");
  EXPECT_EQ(relative_path("/src/app/a.cpp", from("/src/")), "app/a.cpp");
  EXPECT_EQ(relative_path("/srcs/a.cpp", from("/src")), "/srcs/a.cpp");
  EXPECT_EQ(relative_path("/src", from("/src")), "/src");
  EXPECT_EQ(relative_path("/src/a.cpp", from("/")), "/src/a.cpp");
  EXPECT_EQ(relative_path("a.cpp", from("")), "a.cpp");
  EXPECT_EQ(relative_path("/p/src/a.cpp", from("/p/build", "/p")), "../src/a.cpp");
  EXPECT_EQ(relative_path("/p/build/b.cpp", from("/p/build", "/p")), "b.cpp");
  EXPECT_EQ(relative_path("/q/src/a.cpp", from("/p/build", "/p")), "/q/src/a.cpp");
}

/// A write of 'total' by T1, unguarded, and a read by the main thread.
Race race() {
  Race one;
  one.found_by = "wdc";
  one.confirmed = true;
  one.variable.kind = LocationKind::Global;
  one.variable.name = "total";
  one.variable.size = 4;
  one.threads.resize(2);
  one.threads[0].label = "main";
  one.threads[0].main = true;
  one.threads[1].id = 1;
  one.threads[1].label = "T1";
  one.accesses[0].kind = AccessKind::Read;
  one.accesses[0].size = 4;
  one.accesses[0].stack = {frame("audit()", "/src/bank.cpp", 48)};
  one.accesses[1].kind = AccessKind::Write;
  one.accesses[1].size = 4;
  one.accesses[1].thread = 1;
  one.accesses[1].stack = {frame("std::swap(int&)", kHeader, 9), frame("deposit()", "/src/bank.cpp", 26)};
  return one;
}

HeldLock lock(std::string label, bool shared = false) {
  HeldLock held;
  held.label = std::move(label);
  held.shared = shared;
  return held;
}

TEST(Explain, SaysWhatAndHowSure) {
  Race one = race();
  EXPECT_EQ(explain(one).what, "'total' is read at bank.cpp:48 and written at bank.cpp:26");
  EXPECT_EQ(certainty_words(one), "predicted, confirmed");
  one.replays = Replays{3, 2, ""};
  EXPECT_EQ(certainty_words(one), "predicted, confirmed, replayed");
  one.replays->reached = 0;
  one.observed = true;
  EXPECT_EQ(certainty_words(one), "observed");
  one.accesses[0] = one.accesses[1];
  EXPECT_EQ(explain(one).what, "'total' is written at bank.cpp:26 by two threads at once");
}

TEST(Explain, SaysWhyTheRunDidNotShowIt) {
  Race one = race();
  for (const auto& [thread, text, line] : {std::tuple{1U, "unlocks M0", 30U}, {0U, "locks M0", 40U}}) {
    ScheduleStep step;
    step.thread = thread;
    step.text = text;
    step.file = "/src/bank.cpp";
    step.line = line;
    one.hidden_by.push_back(step);
  }
  EXPECT_EQ(explain(one).why,
            "This run ordered the two accesses: T1 unlocks M0 at bank.cpp:30, then main locks M0 at bank.cpp:40.");
  for (int i = 0; i < 3; ++i) one.hidden_by.push_back(one.hidden_by.front());
  EXPECT_NE(explain(one).why.find("then 3 more steps, then"), std::string::npos);
  one.observed = true;
  EXPECT_EQ(explain(one).why, "This run shows it: nothing ordered the two accesses.");
}

TEST(Explain, TheRemedyFitsTheLocks) {
  Race one = race();
  EXPECT_EQ(explain(one).fix, "Hold one mutex at both accesses (neither holds any), or make 'total' atomic.");
  one.accesses[0].locks = {lock("M0")};
  EXPECT_EQ(explain(one).fix,
            "Hold one mutex at both accesses (only the read at bank.cpp:48 holds one, M0), or make 'total' atomic.");
  one.accesses[1].locks = {lock("M1")};
  EXPECT_EQ(explain(one).fix,
            "Hold one mutex at both accesses (the read at bank.cpp:48 holds M0, the write at bank.cpp:26 M1), or make "
            "'total' atomic.");
  one.accesses[0].locks = one.accesses[1].locks = {lock("M2", true)};
  EXPECT_EQ(explain(one).fix, "Take M2 for writing where the memory is written, or make 'total' atomic.");
  one.accesses[0].atomic = true;
  EXPECT_EQ(explain(one).fix, "Make the other access atomic as well.");
  one.kind = RaceKind::UseAfterFree;
  EXPECT_NE(explain(one).fix.find("before it is freed"), std::string::npos);
}

TEST(Explain, SaysWhichPartOfAVariable) {
  Race one = race();
  one.variable.address = 0x4000;
  one.variable.size = 64;
  one.accesses[0].address = one.accesses[1].address = 0x4000;
  EXPECT_EQ(subject(one), "'total'");
  EXPECT_EQ(explain(one).fix,
            "Hold one mutex at both accesses (neither holds any).");  // std::swap is not the program's
  one.accesses[1].stack.erase(one.accesses[1].stack.begin());
  EXPECT_TRUE(explain(one).fix.ends_with("or make both accesses atomic.")) << explain(one).fix;  // 64 bytes cannot be
  one.accesses[0].address = 0x4020;
  EXPECT_EQ(subject(one), "'total'+32");
  EXPECT_EQ(short_subject(one), "");
  one.variable.kind = LocationKind::Heap;
  EXPECT_EQ(subject(one), "byte 32 of a heap block of 64 bytes");
  EXPECT_EQ(short_subject(one), "byte 32 of the heap block");
  one.variable.kind = LocationKind::OnStack;
  one.variable.thread = 0;
  EXPECT_EQ(subject(one), "variable on the stack of main");
}

TEST(Explain, AFreeAndAUseInTheirOrder) {
  Race one = race();
  one.kind = RaceKind::UseAfterFree;
  one.observed = true;
  one.variable = {};
  one.variable.kind = LocationKind::Heap;
  one.variable.size = 32;
  one.accesses[1].kind = AccessKind::Free;
  EXPECT_EQ(explain(one).what, "heap block of 32 bytes is freed at bank.cpp:26 and then read at bank.cpp:48");
  EXPECT_EQ(explain(one).why, "This run shows it: the memory was used after it was freed.");
  std::swap(one.accesses[0], one.accesses[1]);
  EXPECT_EQ(explain(one).what, "heap block of 32 bytes is freed at bank.cpp:26 and read at bank.cpp:48");
  EXPECT_EQ(explain(one).why, "This run shows it: nothing made the free wait for the access.");
}

TEST(Explain, ADeadlock) {
  Deadlock one;
  one.waiting.resize(2);
  for (std::uint32_t id = 0; id < 2; ++id) {
    Thread thread;
    thread.id = id + 1;
    thread.label = fmt::format("T{}", id + 1);
    one.threads.push_back(thread);
    one.waiting[id].thread = id + 1;
    one.waiting[id].holds = lock(id == 0 ? "M0" : "M1");
    one.waiting[id].wants = lock(id == 0 ? "M1" : "M0");
  }
  EXPECT_EQ(explain(one).what, "T1 and T2 wait for each other's locks, M0 and M1");
  EXPECT_EQ(explain(one).fix, "Lock M0 and M1 in one order everywhere, or both at once (std::scoped_lock).");
  RunReport report;
  report.deadlocks.push_back(one);
  const std::string text = as_text(report);
  EXPECT_NE(text.find("  T1 and T2 wait for each other's locks, M0 and M1: predicted, confirmed\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  Why: In this run the threads did not"), std::string::npos) << text;
  one.waiting[1].waits = WaitsFor::End;
  one.waiting[1].wants.reset();
  one.waiting[0].holds.reset();
  EXPECT_EQ(explain(one).fix, "Unlock M1 before waiting for a thread that may need it.");
  one.waiting.pop_back();
  one.waiting[0].holds = lock("M0");
  EXPECT_EQ(explain(one).what, "T1 waits for what it holds itself");
}

TEST(SourceLines, OnlyRegularFilesThatAreCalledLikeSourcesAreRead) {
  const test::Scratch scratch;
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = scratch.file(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  };
  SourceLines lines;
  const std::string source = write("a.cpp", "one\r\ntwo\n\nfour");
  EXPECT_EQ(lines.line(source, 1), "one");
  EXPECT_EQ(lines.line(source, 3), "");
  EXPECT_EQ(lines.line(source, 4), "four");
  EXPECT_FALSE(lines.line(source, 0));
  EXPECT_FALSE(lines.line(source, 5));
  EXPECT_EQ(lines.file(write("secret", "text")), nullptr);
  EXPECT_EQ(lines.file(write("key.pem", "text")), nullptr);
  EXPECT_EQ(lines.file(write("object.c", std::string("a\0b", 3))), nullptr);
  EXPECT_EQ(lines.file(scratch.file("missing.cpp")), nullptr);
  std::filesystem::create_directory(scratch.file("folder.cpp"));
  EXPECT_EQ(lines.file(scratch.file("folder.cpp")), nullptr);
  EXPECT_EQ(lines.line(write("long.cpp", std::string(100'000, 'x')), 1)->size(), SourceLines::kLongestLine);
  EXPECT_EQ(lines.file(write("large.cpp", std::string(SourceLines::kLargestFile + 1, 'x'))), nullptr);
  EXPECT_TRUE(named_like_source("/usr/include/c++/12/vector"));
  EXPECT_FALSE(named_like_source("/etc/shadow"));
}

TEST(HtmlPage, NoTextOfAProgramEndsTheData) {
  const std::string hostile = "</script><!-- \"'&\x80\xff";
  Race one = race();
  one.variable.name = hostile;
  one.fingerprint = "__proto__";
  RunReport report;
  report.command = {hostile};
  report.notes = {hostile};
  report.races = {one, one};
  const std::string html = as_html(report, {});
  std::size_t scripts = 0;
  for (std::size_t at = html.find("<script"); at != std::string::npos; at = html.find("<script", at + 1)) ++scripts;
  EXPECT_EQ(scripts, 2U);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = html.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
  EXPECT_EQ(data["notes"][0], "</script><!-- \"'&\uFFFD\uFFFD");
  EXPECT_EQ(data["findings"][0]["id"], "__proto__");
  EXPECT_EQ(data["findings"][1]["id"], "__proto__-2");
}

TEST(HtmlPage, WithoutAScheduleTheStepsAreTheAccesses) {
  Race one = race();
  one.observed = true;
  one.confirmed = false;
  RunReport report;
  report.races = {one};
  const auto finding = page_data(report, {})["findings"][0];
  EXPECT_EQ(finding["isWitness"], false);
  ASSERT_EQ(finding["steps"].size(), 2U);
  EXPECT_EQ(finding["steps"][0]["text"], "writes 'total'");
  EXPECT_EQ(finding["steps"][1]["text"], "reads 'total'");
  EXPECT_EQ(finding["steps"][0]["line"], 26);
}

TEST(HtmlPage, EveryKindHasWords) {
  for (const KindWords& kind : kKinds) {
    for (const std::string_view text : {kind.name, kind.headline, kind.rule, kind.title, kind.help})
      EXPECT_FALSE(text.empty());
  }
  EXPECT_EQ(kRaceKindNames[1], "data-race-on-vptr");
}

}  // namespace
}  // namespace omen::report
