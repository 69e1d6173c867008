/// \file
/// The recorder's data reads back from a file unchanged: how the run ended, the program's own suppressions, and random
/// scheduling points in any order.
#include "trace/capture_info.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <random>

#include "trace/formats/omen_capture_info.hpp"
#include "trace/formats/omen_writer.hpp"

namespace omen {
namespace {

CaptureInfo read_back(const CaptureInfo& info) {
  const std::string path = testing::TempDir() + "capture_info_test.omen";
  OmenWriter writer(*create_bytes(path));
  EXPECT_TRUE(writer.attach(info, Names()));
  EXPECT_TRUE(writer.finish(Names()));
  auto read = read_capture_info(path);
  std::filesystem::remove(path);
  if (!read || !*read) {
    ADD_FAILURE() << (read ? "nothing" : read.error().text());
    return {};
  }
  return std::move(**read);
}

TEST(CaptureInfo, HowTheRunEndedComesBack) {
  CaptureInfo info;
  info.suppressions = std::string(100'000, 's');
  info.end = ProcessEnd{.code = 3, .signal = 11};
  info.complete = false;
  info.synchronisations = 12;
  const CaptureInfo back = read_back(info);
  EXPECT_EQ(back.suppressions, info.suppressions);
  ASSERT_TRUE(back.end);
  EXPECT_EQ(back.end->code, 3U);
  EXPECT_EQ(back.end->signal, 11U);
  EXPECT_FALSE(back.complete);
  EXPECT_EQ(back.synchronisations, 12U);
  EXPECT_FALSE(read_back({}).end);
  EXPECT_TRUE(read_back({}).complete);
}

TEST(CaptureInfo, SchedulingPointsComeBack) {
  constexpr std::uint64_t kSeed = 61'000'000;
  std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
  std::mt19937_64 random(kSeed);
  CaptureInfo info;
  for (std::size_t i = 0; i < 70'000; ++i) {  // more than a section has
    info.points.push_back({.event = random() >> (random() % 64),
                           .events = static_cast<std::uint32_t>(random()),
                           .thread = ThreadId{static_cast<std::uint32_t>(random() % 9)},
                           .kind = static_cast<PointKind>(random() % kPointNames.size())});
  }
  const CaptureInfo back = read_back(info);
  ASSERT_EQ(back.points.size(), info.points.size());
  for (std::size_t i = 0; i < info.points.size(); ++i) {
    ASSERT_EQ(back.points[i].event, info.points[i].event) << i;
    ASSERT_EQ(back.points[i].events, info.points[i].events) << i;
    ASSERT_EQ(back.points[i].thread, info.points[i].thread) << i;
    ASSERT_EQ(back.points[i].kind, info.points[i].kind) << i;
  }
}

TEST(CaptureInfo, WrongPointsAreRefused) {
  CaptureInfo info;
  info.points.push_back({.kind = PointKind::Lock});
  for (CaptureSection section : encode_capture_info(info)) {
    if (section.kind != layout::Kind::Points) continue;
    CaptureInfo back;
    EXPECT_TRUE(decode_capture_section(section.kind, section.count, section.raw, back));
    section.raw.back() = static_cast<char>(kPointNames.size());
    EXPECT_FALSE(decode_capture_section(section.kind, section.count, section.raw, back));
    section.raw.pop_back();
    EXPECT_FALSE(decode_capture_section(section.kind, section.count, section.raw, back));
    return;
  }
  FAIL() << "there is no section of points";
}

}  // namespace
}  // namespace omen
