/// \file
/// Certificates against the exhaustive search and the proved checker: every pair that no correct reordering brings
/// together has a certificate that the checker accepts, every other pair has none, and mutated certificates are
/// rejected.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "test/judges/conformance.hpp"
#include "test/judges/random.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/proofs/proved_program.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/certify.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {
namespace {

using Kind = CertificateStep::Kind;

constexpr std::uint64_t kFirstSeed = 63'000'000;

struct Pairs {
  std::vector<Pair> predictable;
  std::vector<Pair> excluded;
};

Pairs conflicting_pairs(const TraceIndex& index, const judges::ReorderingSearch& search) {
  Pairs pairs;
  for (EventNo f = 0; f < index.size(); ++f) {
    for (EventNo e = 0; e < f; ++e) {
      if (index.conflict(e, f)) (search.predictable({e, f}) ? pairs.predictable : pairs.excluded).push_back({e, f});
    }
  }
  return pairs;
}

struct Asked {
  std::string where;
  Certificate certificate;
};

/// Certificates for the excluded pairs of a trace, and none for the others.
void certify_all(const std::string& where, const Trace& trace, const Pairs& pairs, std::vector<Asked>& asked) {
  const TraceIndex index(trace);
  const CertifyBudget budget = CertifyBudget::of(2000);
  for (const Pair pair : pairs.predictable) {
    ASSERT_EQ(certify(index, pair, budget).kind, Certification::Kind::Predictable)
        << where << ", pair " << pair.first << "," << pair.second << '\n'
        << judges::to_std(trace);
  }
  for (const Pair pair : pairs.excluded) {
    Certification found = certify(index, pair, budget);
    ASSERT_EQ(found.kind, Certification::Kind::Certified)
        << where << ", pair " << pair.first << "," << pair.second << '\n'
        << judges::to_std(trace);
    asked.push_back({where, std::move(*found.certificate)});
  }
}

/// The checker's answers about certificates.
std::vector<std::string> about_certificates(const std::string& batch) {
  std::vector<std::string> lines = proved_answers(batch);
  std::erase(lines, "well-formed");
  return lines;
}

void expect_all_accepted(const std::string& batch, const std::vector<Asked>& asked) {
  const auto answers = about_certificates(batch);
  ASSERT_EQ(answers.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(answers[i], "excluded") << asked[i].where << '\n' << to_text(asked[i].certificate);
  }
}

Trace random_trace(std::uint64_t seed, std::size_t max_events) {
  return judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = max_events});
}

TEST(Certificate, EveryExcludedPairOfRandomTracesHasOne) {
  const std::size_t traces = judges::trace_count(8'000);
  std::vector<Asked> asked;
  std::string batch;
  std::size_t predictable = 0;
  std::map<Kind, std::size_t> steps;
  std::map<EdgeRule, std::size_t> rules;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = random_trace(seed, seed % 4 == 0 ? 34 : 24);
    const judges::ReorderingSearch search(trace, judges::Notion::Lw, 100'000);
    if (!search.complete()) continue;
    const TraceIndex index(trace);
    const Pairs pairs = conflicting_pairs(index, search);
    predictable += pairs.predictable.size();
    const std::size_t before = asked.size();
    certify_all("seed " + std::to_string(seed), trace, pairs, asked);
    if (HasFatalFailure()) return;
    batch += judges::to_std(trace);
    for (std::size_t i = before; i < asked.size(); ++i) {
      batch += to_text(asked[i].certificate);
      for (const CertificateStep& step : asked[i].certificate.steps) {
        ++steps[step.kind];
        for (const Edge& edge : step.edges) ++rules[edge.rule];
      }
    }
    batch += "---\n";
  }
  expect_all_accepted(batch, asked);
  std::printf("%zu traces (seeds from %llu): %zu certificates accepted, %zu pairs without one; steps:", traces,
              static_cast<unsigned long long>(kFirstSeed), asked.size(), predictable);
  for (const auto& [kind, count] : steps) std::printf(" %d: %zu", static_cast<int>(kind), count);
  std::printf("\n");
  EXPECT_GT(predictable, traces / 4);
  EXPECT_EQ(steps.size(), 5U) << "every kind of step occurs";
  EXPECT_EQ(rules.size(), 5U) << "every edge rule occurs";
}

TEST(Certificate, ThoseOfTheConformanceTracesAreAccepted) {
  std::vector<Asked> asked;
  std::string batch;
  for (const auto& one : judges::load_conformance_traces(std::string(OMEN_TEST_DATA) + "/conformance/traces.jsonl")) {
    const judges::ReorderingSearch search(one.trace, judges::Notion::Lw);
    const TraceIndex index(one.trace);
    const std::size_t before = asked.size();
    certify_all(one.name, one.trace, conflicting_pairs(index, search), asked);
    if (HasFatalFailure()) return;
    batch += judges::to_std(one.trace);
    for (std::size_t i = before; i < asked.size(); ++i) batch += to_text(asked[i].certificate);
    batch += "---\n";
  }
  expect_all_accepted(batch, asked);
  std::printf("%zu certificates accepted\n", asked.size());
  EXPECT_GT(asked.size(), 100U);
}

/// For traces that are too long for the exhaustive search, the verdicts determine the excluded pairs.
TEST(Certificate, EveryNoRaceVerdictOfLongerTracesHasOne) {
  const std::size_t traces = judges::trace_count(8'000) / 40;
  std::vector<Asked> asked;
  std::string batch;
  std::map<std::string_view, std::size_t> methods;
  std::size_t unknown = 0;
  std::size_t longest = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed,
                                         {.max_events = 300, .threads = {3, 8}, .locks = {2, 8}, .variables = {4, 16}});
    const Confirmer confirmer(trace, {}, Budget::of(200));
    const auto groups = all_candidates(confirmer.index(), /*every=*/false);
    batch += judges::to_std(trace);
    for (const CandidateGroup& group : groups) {
      const Verdict verdict = confirmer.confirm(group.pairs.front());
      const Certification found = certify(confirmer.index(), verdict.pair, CertifyBudget::of(2000));
      if (verdict.outcome == Outcome::Unknown) {
        ++unknown;
        continue;
      }
      ASSERT_EQ(found.kind,
                verdict.outcome == Outcome::Race ? Certification::Kind::Predictable : Certification::Kind::Certified)
          << "seed " << seed << ", pair " << verdict.pair.first << "," << verdict.pair.second << '\n'
          << judges::to_std(trace);
      if (verdict.outcome == Outcome::Race) continue;
      ++methods[name(verdict.method)];
      longest = std::max(longest, found.certificate->steps.size());
      batch += to_text(*found.certificate);
      asked.push_back({"seed " + std::to_string(seed), *found.certificate});
    }
    batch += "---\n";
  }
  expect_all_accepted(batch, asked);
  std::printf(
      "%zu traces (seeds from %llu): %zu certificates accepted, the longest of %zu steps; %zu unknown; excluded by",
      traces, static_cast<unsigned long long>(kFirstSeed), asked.size(), longest, unknown);
  for (const auto& [method, count] : methods) std::printf(" %s %zu", std::string(method).c_str(), count);
  std::printf("\n");
  EXPECT_GT(methods["order"], 0U);
  EXPECT_GT(methods["exact"], 0U);
}

/// Changes one number, rule or step.
void damage(Certificate& certificate, std::size_t events, judges::Random& random) {
  std::vector<CertificateStep>& steps = certificate.steps;
  const std::size_t at = random.below(steps.size());
  CertificateStep& step = steps[at];
  const auto other = [&](EventNo e) {
    const auto moved = static_cast<EventNo>(random.below(events + 1));
    return moved == e ? moved + 1 : moved;
  };
  if (random.percent(20) && step.kind == Kind::Follow) {
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  if (step.kind == Kind::Rivals || step.kind == Kind::Writers) {
    EventNo& event = random.percent(50) ? step.first : step.second;
    event = other(event);
  } else if (step.kind == Kind::Impossible || random.percent(20)) {
    const bool leaf = branches(step.kind) == 0;
    step.kind = step.kind == Kind::Impossible ? Kind::Cycle : leaf ? Kind::Impossible : step.kind;
    step.edges =
        step.kind == Kind::Cycle ? std::vector<Edge>{{EdgeRule::Pair, 0, certificate.pair.second}} : step.edges;
    if (step.kind == Kind::Impossible) step.edges.clear();
    if (step.kind == Kind::Follow) step.edges.front().from = other(step.edges.front().from);
  } else {
    Edge& edge = step.edges[random.below(step.edges.size())];
    switch (random.below(3)) {
      case 0:
        edge.from = other(edge.from);
        break;
      case 1:
        edge.to = other(edge.to);
        break;
      default:
        edge.rule = static_cast<EdgeRule>((static_cast<std::size_t>(edge.rule) + 1 + random.below(4)) % 5);
    }
  }
}

/// A mutated certificate may still be valid for its own pair, but never for a predictable pair.
TEST(Certificate, DamagedOnesAreRefused) {
  const std::size_t wanted = judges::trace_count(40'000);
  std::vector<bool> predictable;
  std::vector<Asked> asked;
  std::string batch;
  for (std::uint64_t seed = kFirstSeed; asked.size() < wanted; ++seed) {
    const Trace trace = random_trace(seed, 24);
    const judges::ReorderingSearch search(trace, judges::Notion::Lw, 20'000);
    if (!search.complete()) continue;
    const TraceIndex index(trace);
    const Pairs pairs = conflicting_pairs(index, search);
    std::vector<Asked> right;
    certify_all("seed " + std::to_string(seed), trace, pairs, right);
    if (HasFatalFailure()) return;
    if (right.empty()) continue;
    judges::Random random(seed);
    batch += judges::to_std(trace);
    for (std::size_t n = 0; n < 10; ++n) {
      Asked one = right[random.below(right.size())];
      const bool other_pair = !pairs.predictable.empty() && random.percent(50);
      if (other_pair) {
        // The certificate of another pair, unchanged or with the new pair in place of the old.
        const Pair old = one.certificate.pair;
        one.certificate.pair = pairs.predictable[random.below(pairs.predictable.size())];
        if (random.percent(70)) {
          for (CertificateStep& step : one.certificate.steps) {
            for (Edge& edge : step.edges) {
              for (EventNo* e : {&edge.from, &edge.to}) {
                *e = *e == old.first ? one.certificate.pair.first : *e == old.second ? one.certificate.pair.second : *e;
              }
            }
          }
        }
      }
      if (!other_pair || random.percent(50)) damage(one.certificate, trace.size(), random);
      batch += to_text(one.certificate);
      predictable.push_back(other_pair);
      asked.push_back(std::move(one));
    }
    batch += "---\n";
  }
  const auto answers = about_certificates(batch);
  ASSERT_EQ(answers.size(), asked.size());
  std::array<std::size_t, 2> refused{};
  std::array<std::size_t, 2> count{};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const std::size_t kind = predictable[i] ? 1 : 0;
    ++count[kind];
    if (answers[i] != "excluded") ++refused[kind];
    ASSERT_TRUE(!predictable[i] || answers[i] != "excluded") << asked[i].where << '\n' << to_text(asked[i].certificate);
  }
  std::printf(
      "of excluded pairs %zu of %zu damaged certificates refused, of predictable pairs %zu of %zu (seeds from %llu)\n",
      refused[0], count[0], refused[1], count[1], static_cast<unsigned long long>(kFirstSeed));
  EXPECT_GT(refused[0], count[0] * 9 / 10);
  EXPECT_GT(count[1], asked.size() / 5);
}

}  // namespace
}  // namespace omen::vindicate
