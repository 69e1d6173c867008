/// \file
/// Cases in which SmartTrack keeps one epoch for a variable, or returns to it, where the printed algorithm keeps a
/// vector of reads.
#include <gtest/gtest.h>

#include <cstdint>

#include "analysis/analysis.hpp"
#include "analysis/levels/smarttrack.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/wdc.hpp"

namespace omen {
namespace {

constexpr ThreadId kT0{0};
constexpr ThreadId kT1{1};
constexpr ThreadId kT2{2};

/// Counts the reports of the analysis.
class Races final : public RaceSink {
 public:
  void race(const RacyAccess& /*access*/, std::span<const PriorAccess> /*priors*/) override { ++count; }
  int count = 0;
};

template <class Relation>
class SmartTrackCases : public testing::Test {
 protected:
  void event(ThreadId t, Op op, std::uint32_t operand) {
    Event made;
    made.thread = t;
    made.op = op;
    made.operand = operand;
    analysis_.handle(made, EventIndex{next_++});
  }
  std::uint64_t count(Rule rule) const { return analysis_.counters()[rule]; }

  Races races_;
  Analysis<Relation, SmartTrack> analysis_{races_};

 private:
  std::uint64_t next_ = 0;
};
using Relations = testing::Types<Dc, Wdc>;  // in WCP a join gives no knowledge of sections
TYPED_TEST_SUITE(SmartTrackCases, Relations);

TYPED_TEST(SmartTrackCases, AReadAfterAWriteInASectionOfItsLockKeepsOneEpoch) {
  this->event(kT0, Op::Acquire, 0);
  this->event(kT0, Op::Write, 0);
  this->event(kT0, Op::Release, 0);
  this->event(kT1, Op::Acquire, 0);
  this->event(kT1, Op::Read, 0);
  this->event(kT1, Op::Release, 0);
  EXPECT_EQ(this->count(Rule::ReadExclusive), 1U);
  EXPECT_EQ(this->count(Rule::ReadShare), 0U);
  this->event(kT2, Op::Write, 0);
  EXPECT_EQ(this->races_.count, 1);
}

TYPED_TEST(SmartTrackCases, AReadThatKnowsAllReadsOfAVectorTakesTheirPlace) {
  for (const ThreadId t : {kT1, kT2}) {
    this->event(kT0, Op::Fork, static_cast<std::uint32_t>(t));
    this->event(t, Op::Read, 0);
    this->event(t, Op::Write, static_cast<std::uint32_t>(t));
  }
  EXPECT_EQ(this->count(Rule::ReadShare), 1U);
  for (const ThreadId t : {kT1, kT2}) {
    this->event(kT0, Op::Join, static_cast<std::uint32_t>(t));
    this->event(kT0, Op::Read, static_cast<std::uint32_t>(t));  // this looks up how far t is known
  }
  this->event(kT0, Op::Read, 0);  // finds the vector
  EXPECT_EQ(this->count(Rule::ReadShared), 1U);
  this->event(kT0, Op::Acquire, 0);
  this->event(kT0, Op::Read, 0);
  this->event(kT0, Op::Write, 0);
  EXPECT_EQ(this->count(Rule::ReadSharedOwned), 0U);
  EXPECT_EQ(this->count(Rule::WriteShared), 0U);
  EXPECT_EQ(this->races_.count, 0);
}

}  // namespace
}  // namespace omen
