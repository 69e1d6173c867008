/// \file
/// The executions of Vindicator's figures, by all steps and by each step alone.
#include <gtest/gtest.h>

#include <map>

#include "checker/checker.hpp"
#include "test/judges/conformance.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {
namespace {

class Figures : public testing::Test {
 protected:
  Figures() {
    for (auto& figure : judges::load_figures(std::string(OMEN_TEST_DATA) + "/conformance/figures")) {
      const judges::Pair pair = figure.races.at(judges::Relation::Wdc).pairs.at(0);
      EXPECT_EQ(figure.races.at(judges::Relation::Wdc).pairs.size(), 1U) << figure.name;
      const std::string name = figure.name.substr(std::string("vind_Figure").size());
      figures_.emplace(
          name.substr(0, name.find('.')),
          Figure{std::move(figure.trace), Pair{static_cast<EventNo>(pair.first), static_cast<EventNo>(pair.second)}});
    }
  }

  struct Figure {
    Trace trace;
    Pair pair;
  };
  const Figure& figure(const std::string& name) const { return figures_.at(name); }

  Verdict verdict(const std::string& name, Methods methods) const {
    return Confirmer(figure(name).trace, methods, Budget::of(Budget::kDefault)).confirm(figure(name).pair);
  }
  GraphAnswer graph(const std::string& name) const {
    const TraceIndex index(figure(name).trace);
    const ConflictOrder order(index);
    return vindicate_race(index, order, figure(name).pair, 1'000'000);
  }

 private:
  std::map<std::string, Figure> figures_;
};

constexpr Methods kSearch{.order = false, .closure = false, .graph = false, .search = true, .smt = false};
constexpr Methods kSmt{.order = false, .closure = false, .graph = false, .search = false, .smt = true};

TEST_F(Figures, RacesAreConfirmedWithAnAcceptedWitness) {
  for (const char* name : {"1", "2", "3", "8", "9a", "9b"}) {
    for (const Methods& methods : {Methods{}, kSearch, kSmt}) {
      const Confirmer confirmer(figure(name).trace, methods, Budget::of(Budget::kDefault));
      const Verdict found = confirmer.confirm(figure(name).pair);
      ASSERT_EQ(found.outcome, Outcome::Race) << name;
      EXPECT_TRUE(checker::accepts(figure(name).trace, confirmer.witness(found))) << name;
    }
  }
}

TEST_F(Figures, FalseRacesAreExcludedInTheWholeTrace) {
  for (const char* name : {"4a", "4b", "9c"}) {
    for (const Methods& methods : {Methods{}, kSearch, kSmt}) {
      const Verdict found = verdict(name, methods);
      EXPECT_EQ(found.outcome, Outcome::NoRace) << name;
      EXPECT_EQ(found.window_begin, 0U) << name;
      EXPECT_FALSE(found.under_ca) << name;
    }
  }
}

TEST_F(Figures, WhereTheGraphDoesNotKnowTheExactStepDecides) {
  EXPECT_EQ(name(verdict("9b", {}).method), "exact");
  EXPECT_EQ(name(verdict("9c", {}).method), "exact");
}

TEST_F(Figures, TheGraphAloneFindsWhatThePaperSays) {
  for (const char* name : {"1", "2", "3", "8", "9a"}) {
    const GraphAnswer answer = graph(name);
    ASSERT_EQ(answer.kind, GraphAnswer::Kind::Race) << name;
    EXPECT_TRUE(checker::accepts(figure(name).trace, answer.witness)) << name;
  }
  for (const char* name : {"4a", "4b"}) EXPECT_EQ(graph(name).kind, GraphAnswer::Kind::NoRaceUnderCa) << name;
  for (const char* name : {"9b", "9c"}) EXPECT_EQ(graph(name).kind, GraphAnswer::Kind::DontKnow) << name;
}

TEST_F(Figures, Figure3NeedsARetryWithAMissingRelease) {
  EXPECT_EQ(graph("3").statistics.retries, 1U);
  for (const char* name : {"1", "2", "9a"}) EXPECT_EQ(graph(name).statistics.retries, 0U) << name;
}

TEST_F(Figures, TheClosureAloneFindsTheRacesThatKeepTheOrderOfSections) {
  const Methods closure{.order = true, .closure = true, .graph = false, .search = false, .smt = false};
  for (const char* name : {"1", "2", "8"}) EXPECT_EQ(verdict(name, closure).outcome, Outcome::Race) << name;
  for (const char* name : {"3", "4a", "4b", "9a", "9b", "9c"}) {
    EXPECT_EQ(verdict(name, closure).outcome, Outcome::Unknown) << name;
  }
}

TEST_F(Figures, AQueryCanBeDumped) {
  std::string text;
  const Confirmer confirmer(figure("9c").trace, kSmt, Budget::of(Budget::kDefault), [&](const SmtQuery& query) {
    EXPECT_FALSE(query.deadlock);
    if (query.begin == 0) text = query.smt_lib;
  });
  EXPECT_EQ(confirmer.confirm(figure("9c").pair).outcome, Outcome::NoRace);
  EXPECT_NE(text.find("(check-sat)"), std::string::npos);
  EXPECT_NE(text.find("(declare-fun o7 () Int)"), std::string::npos);
}

}  // namespace
}  // namespace omen::vindicate
