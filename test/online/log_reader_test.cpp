/// \file
/// The online log, read in pieces of any size; other text is rejected with its line.
#include "capture/online_log/log_reader.hpp"

#include <gtest/gtest.h>

#include <random>

namespace omen::online {
namespace {

constexpr std::string_view kLog =
    "omen-online 1 st-wdc\n"
    "process 4711 0\n"
    "argument ./bank\n"
    "argument two words\\nand \\\\ a line\n"
    "options exitcode=3\n"
    "module 0x1000 0x1fff 0x1000 ab12 /src/my bank\n"
    "module 0x2000 0x2fff 0x0 - /lib/libc.so\n"
    "thread 0 0 4711 :\n"
    "thread 1 0 4712 : 0x1010 0x1020\n"
    "thread 2 1 4713 : ?\n"
    "name 1 the teller\n"
    "race 1 predicted 1\n"
    "access now read 0x4010 4 thread 2 : 0x1100 0x1200\n"
    "lock now 0x4040 : 0x1101\n"
    "lock now 0x4048 read : ?\n"
    "access earlier atomic-write 0x4012 2 thread 1 : ?\n"
    "block heap 0x4000 64 thread 1 : 0x1300\n"
    "end\n"
    "race 2 observed 3\n"
    "access now free 0x5000 16 thread 1 : 0x1100\n"
    "access earlier vptr 0x5000 8 thread 2 : 0x1101\n"
    "block stack thread 2\n"
    "end\n"
    "repeat 1 17\n"
    "counter rule.read-same-epoch 12\n"
    "incomplete the memory limit is reached\n"
    "exit\n";

std::vector<Message> read_all(std::string_view text, std::size_t piece) {
  LogReader reader("log");
  std::vector<Message> messages;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto ok = reader.read(text.substr(at, piece), messages);
    EXPECT_TRUE(ok) << ok.error().text();
  }
  return messages;
}

std::string error_of(std::string_view text) {
  LogReader reader("log");
  std::vector<Message> messages;
  const auto ok = reader.read(text, messages);
  return ok ? "" : ok.error().text();
}

std::string error_after_head(const std::string& text) {
  return error_of("omen-online 1 st-wdc\n" + text);
}

TEST(LogReader, AllMessages) {
  const auto messages = read_all(kLog, kLog.size());
  ASSERT_EQ(messages.size(), 17U);
  EXPECT_EQ(std::get<Begin>(messages[0]).analysis, "st-wdc");
  EXPECT_EQ(std::get<Process>(messages[1]).id, 4711U);
  EXPECT_EQ(std::get<Argument>(messages[3]).text, "two words\nand \\ a line");
  EXPECT_EQ(std::get<Options>(messages[4]).text, "exitcode=3");
  const auto& module = std::get<Module>(messages[5]);
  EXPECT_EQ(module.begin, 0x1000U);
  EXPECT_EQ(module.end, 0x1fffU);
  EXPECT_EQ(module.bias, 0x1000U);
  EXPECT_EQ(module.build_id, "ab12");
  EXPECT_EQ(module.path, "/src/my bank");
  EXPECT_EQ(std::get<Module>(messages[6]).build_id, "");
  EXPECT_EQ(std::get<ThreadBegin>(messages[7]).created, Addresses(std::vector<std::uint64_t>{}));
  EXPECT_EQ(std::get<ThreadBegin>(messages[8]).created, (Addresses({0x1010, 0x1020})));
  EXPECT_EQ(std::get<ThreadBegin>(messages[9]).created, std::nullopt);
  EXPECT_EQ(std::get<ThreadBegin>(messages[9]).creator, 1U);
  EXPECT_EQ(std::get<ThreadName>(messages[10]).text, "the teller");
  const auto& repeat = std::get<Repeat>(messages[13]);
  EXPECT_EQ(repeat.number, 1U);
  EXPECT_EQ(repeat.count, 17U);
  EXPECT_EQ(std::get<Counter>(messages[14]).name, "rule.read-same-epoch");
  EXPECT_EQ(std::get<Counter>(messages[14]).value, 12U);
  EXPECT_EQ(std::get<Note>(messages[15]).text, "the memory limit is reached");
  EXPECT_FALSE(std::get<Note>(messages[15]).complete);
  EXPECT_TRUE(std::holds_alternative<Exit>(messages[16]));
}

TEST(LogReader, ExitThatAsksHowToEnd) {
  LogReader reader("log");
  std::vector<Message> messages;
  ASSERT_TRUE(reader.read("omen-online 1 st-wdc\nexit 12\n", messages));
  EXPECT_EQ(std::get<Exit>(messages.back()).number, 12U);
  EXPECT_EQ(std::get<Exit>(read_all(kLog, kLog.size()).back()).number, 0U);
  EXPECT_NE(error_after_head("exit x\n"), "");
  EXPECT_NE(error_after_head("exit 1 2\n"), "");
}

TEST(LogReader, Races) {
  const auto messages = read_all(kLog, kLog.size());
  const auto& race = std::get<Race>(messages[11]);
  EXPECT_EQ(race.number, 1U);
  EXPECT_FALSE(race.observed);
  EXPECT_EQ(race.now.kind, AccessKind::Read);
  EXPECT_EQ(race.now.address, 0x4010U);
  EXPECT_EQ(race.now.size, 4U);
  EXPECT_EQ(race.now.thread, 2U);
  EXPECT_EQ(race.now.stack, (Addresses({0x1100, 0x1200})));
  ASSERT_EQ(race.now.locks.size(), 2U);
  EXPECT_FALSE(race.now.locks[0].shared);
  EXPECT_TRUE(race.now.locks[1].shared);
  EXPECT_EQ(race.now.locks[1].acquired, std::nullopt);
  EXPECT_EQ(race.earlier.kind, AccessKind::AtomicWrite);
  EXPECT_EQ(race.earlier.stack, std::nullopt);
  ASSERT_TRUE(race.block);
  EXPECT_TRUE(race.block->heap);
  EXPECT_EQ(race.block->size, 64U);
  const auto& second = std::get<Race>(messages[12]);
  EXPECT_TRUE(second.observed);
  EXPECT_EQ(second.count, 3U);
  EXPECT_EQ(second.now.kind, AccessKind::Free);
  EXPECT_EQ(second.earlier.kind, AccessKind::Vptr);
  EXPECT_FALSE(second.block->heap);
  EXPECT_EQ(second.block->thread, 2U);
}

TEST(LogReader, PiecesOfAnySize) {
  for (std::size_t piece = 1; piece < 200; ++piece) EXPECT_EQ(read_all(kLog, piece).size(), 17U) << piece;
}

TEST(LogReader, WhatIsCutOffIsNotThere) {
  for (std::size_t size = 0; size < kLog.size(); ++size) read_all(kLog.substr(0, size), size + 1);
  const std::string_view half = kLog.substr(0, kLog.find("block heap"));
  EXPECT_EQ(read_all(half, half.size()).size(), 11U);
}

TEST(LogReader, AnotherProgramInTheSameProcess) {
  const std::string twice = std::string(kLog) + std::string(kLog);
  EXPECT_EQ(read_all(twice, 7).size(), 34U);
}

TEST(LogReader, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("process 1 0\n"), "log:1: expected 'omen-online 1' and an analysis, not 'process 1 0'");
  EXPECT_EQ(error_of("omen-online 2 st-wdc\n"), "log:1: expected version 1");
  EXPECT_EQ(error_of("omen-online 1\n"), "log:1: expected the name of an analysis");
  EXPECT_EQ(error_after_head("frobnicate 1\n"), "log:2: expected a message, not 'frobnicate 1'");
  EXPECT_EQ(error_after_head("\n"), "log:2: expected a message, not ''");
  EXPECT_EQ(error_after_head("process 0x1 0\n"), "log:2: expected a process number, not '0x1'");
  EXPECT_EQ(error_after_head("process 1\n"), "log:2: expected its parent's number");
  EXPECT_EQ(error_after_head("process 1 2 3\n"), "log:2: expected the end of the line, not '3'");
  EXPECT_EQ(error_after_head("process 1 0\nmodule 1 0x2 0x0 - /a\n"),
            "log:3: expected the first address such as 0x1f, not '1'");
  EXPECT_EQ(error_after_head("module 0x2 0x1 0x0 - /a\n"), "log:2: expected an end that is not before the beginning");
  EXPECT_EQ(error_after_head("thread 4294967296 0 1 :\n"), "log:2: expected a thread's number, not '4294967296'");
  EXPECT_EQ(error_after_head("thread 1 0 1\n"), "log:2: expected ':'");
  EXPECT_EQ(error_after_head("thread 1 0 1 : ? 0x1\n"), "log:2: expected a return address such as 0x1f, not '?'");
  EXPECT_EQ(error_after_head("argument a\\tb\n"), "log:2: expected 'n' or '\\' after '\\'");
  EXPECT_EQ(error_after_head("counter a\n"), "log:2: expected a value");
}

TEST(LogReader, ErrorsInRaces) {
  const std::string race = "race 1 observed 1\n";
  const std::string now = "access now read 0x10 4 thread 1 : 0x1\n";
  EXPECT_EQ(error_after_head("race 0 observed 1\n"), "log:2: expected a race's number from 1 on");
  EXPECT_EQ(error_after_head("race 1 seen 1\n"), "log:2: expected one of observed, predicted, not 'seen'");
  EXPECT_EQ(error_after_head(race + now + "end\n"), "log:4: expected both accesses before the end of the race");
  EXPECT_EQ(error_after_head(race + now + now), "log:4: expected one access now and one earlier");
  EXPECT_EQ(error_after_head(race + "exit\n"), "log:3: expected access, lock, block or end, not 'exit'");
  EXPECT_EQ(error_after_head(race + "access then read 0x10 4 thread 1 :\n"),
            "log:3: expected one of now, earlier, not 'then'");
  EXPECT_EQ(error_after_head(race + "access now peek 0x10 4 thread 1 :\n"),
            "log:3: expected one of read, write, vptr, free, atomic-read, atomic-write, not 'peek'");
  EXPECT_EQ(error_after_head(race + "lock now 0x10 upgraded : 0x1\n"),
            "log:3: expected one of read, write, not 'upgraded'");
  EXPECT_EQ(error_after_head(race + "block page thread 1\n"), "log:3: expected one of heap, stack, not 'page'");
  EXPECT_EQ(error_after_head("access now read 0x10 4 thread 1 :\n"),
            "log:2: expected a message, not 'access now read 0x10 4 thread 1 :'");
}

TEST(LogReader, NothingIsReadAfterAnError) {
  LogReader reader("log");
  std::vector<Message> messages;
  EXPECT_FALSE(reader.read("omen-online 1 st-wdc\nprocess 1 0\nbad\nexit\n", messages));
  EXPECT_EQ(messages.size(), 2U);
  EXPECT_FALSE(reader.read("exit\n", messages));
  EXPECT_EQ(messages.size(), 2U);
}

TEST(LogReader, LinesHaveALimit) {
  LogReader reader("log");
  std::vector<Message> messages;
  const std::string much(LogReader::kLongestLine / 2 + 1, 'x');
  EXPECT_TRUE(reader.read(much, messages));
  const auto ok = reader.read(much, messages);
  ASSERT_FALSE(ok);
  EXPECT_EQ(ok.error().text(), "log:1: expected a line of at most 4194304 bytes");
}

TEST(LogReader, DamageIsAnErrorOrAnotherLog) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(kLog);
    for (int change = 0; change < 3; ++change) {
      text[random() % text.size()] = static_cast<char>(random() % 4 == 0 ? '\n' : random() % 256);
    }
    LogReader reader("log");
    std::vector<Message> messages;
    const auto ok = reader.read(text, messages);
    EXPECT_TRUE(ok || !ok.error().position.empty());
  }
}

}  // namespace
}  // namespace omen::online
