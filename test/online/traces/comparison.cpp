#include "test/online/traces/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace omen::traces {
namespace {

bool overlap(const Step& e, const Step& f) {
  for (std::size_t byte = e.offset; byte < std::size_t{e.offset} + e.bytes; ++byte) {
    if (e.touches(byte) && f.touches(byte)) return true;
  }
  return false;
}

bool conflict(const Step& e, const Step& f) {
  return e.thread != f.thread && is_memory(e.op) && is_memory(f.op) && overlap(e, f) &&
         !(is_atomic(e.op) && is_atomic(f.op)) &&
         (writes(e.op) || writes(f.op) || e.op == Op::Allocate || f.op == Op::Allocate);
}

std::string wrong_first(const Verdict& truth, const std::vector<Report>& reports) {
  if (!truth.has_race() && !reports.empty()) {
    return fmt::format("reports {} and {}, and nothing races", reports[0].earlier, reports[0].now);
  }
  if (reports.empty()) {
    if (!truth.has_race()) return {};
    return fmt::format("reports nothing, and {} races with {}", truth.first(), truth.races.front().earlier);
  }
  if (reports[0].now == truth.first()) return {};
  return fmt::format("the first race it reports is {} with {}, by the definition it is {} with {}", reports[0].now,
                     reports[0].earlier, truth.first(), truth.races.front().earlier);
}

/// Is it an acquire or release of a lock that the thread holds before and after?
bool is_nested(const Program& program, std::size_t i) {
  const Step& step = program.steps[i];
  int depth = 0;  // before the step
  for (std::size_t j = 0; j < i; ++j) {
    const Step& other = program.steps[j];
    if (other.thread != step.thread || other.refused || other.object != step.object) continue;
    depth += other.op == Op::Acquire || other.op == Op::AcquireShared;
    depth -= other.op == Op::Release || other.op == Op::ReleaseShared;
  }
  if (step.op == Op::Acquire || step.op == Op::AcquireShared) return depth > 0;
  return (step.op == Op::Release || step.op == Op::ReleaseShared) && depth > 1;
}

/// Does the step begin another epoch of its thread?
bool begins_epoch(const Program& program, std::size_t i, Relation relation) {
  const Step& step = program.steps[i];
  if (is_nested(program, i)) return false;
  switch (step.op) {
    case Op::Read:
    case Op::Write:
    case Op::Free:
    case Op::Allocate:
    case Op::Join:
    case Op::BarrierLeave:
      return false;
    case Op::Acquire:
    case Op::AcquireShared:
    case Op::Wake:
      return relation != Relation::Hb && !step.refused;
    case Op::AtomicLoad:
    case Op::AtomicStore:
    case Op::AtomicRmw:
    case Op::Fence:
      return releases(step.order) && step.op != Op::AtomicLoad;
    default:
      return true;
  }
}

/// True if a later access of the same epoch races, after another thread has begun a new life of the memory. An epoch
/// represents its first access.
bool is_race(const Program& program, Relation relation, const Verdict& verdict, std::size_t earlier, std::size_t now) {
  if (verdict.pairs.contains({earlier, now})) return true;
  const Step& step = program.steps[earlier];
  bool renewed = false;
  for (std::size_t i = earlier + 1; i < now; ++i) {
    const Step& other = program.steps[i];
    if (other.thread == step.thread && begins_epoch(program, i, relation)) return false;
    renewed |= other.thread != step.thread && other.op == Op::Allocate && overlap(other, step);
    if (renewed && other.thread == step.thread && verdict.pairs.contains({i, now})) return true;
  }
  return false;
}

std::string wrong_pair(const Program& program, Relation relation, bool exact, const Verdict& verdict,
                       const Report& report) {
  const auto [now, earlier, observed] = report;
  if (earlier == Report::kUnknown) return fmt::format("does not say what {} races with", now);
  if (earlier >= now) return fmt::format("reports {} with {}", now, earlier);
  if (exact && !is_race(program, relation, verdict, earlier, now)) {
    return fmt::format("reports {} with {}, which do not race", now, earlier);
  }
  if (!conflict(program.steps[earlier], program.steps[now])) {
    return fmt::format("reports {} with {}, which do not conflict", now, earlier);
  }
  if (verdict.hard_before[now].test(earlier)) {
    return fmt::format("reports {} with {}, which hard order orders", now, earlier);
  }
  if (observed == verdict.happened_before[now].test(earlier)) {
    return fmt::format("reports {} with {} as {}", now, earlier, observed ? "observed" : "predicted");
  }
  return {};
}

std::string missed_memory(const Program& program, Relation relation, const Verdict& verdict,
                          const std::vector<Report>& reports) {
  std::map<LivingByte, std::size_t> first;
  for (const Race& race : verdict.races) first.try_emplace(race.byte, race.later);
  for (const auto& [byte, later] : first) {
    const bool told = std::ranges::any_of(reports, [&](const Report& report) {
      if (report.now == later) return true;
      return relation != Relation::Hb && report.now < later && program.steps[report.now].touches(byte.offset);
    });
    if (!told) return fmt::format("does not report {}, the first race of byte {:#x}", later, byte.offset);
  }
  return {};
}

}  // namespace

std::string disagreement(const Program& program, Relation relation, const Verdict& truth,
                         const std::vector<Report>& reports) {
  if (std::string wrong = wrong_first(truth, reports); !wrong.empty()) return wrong;
  for (const Report& report : reports) {
    const bool exact = relation == Relation::Hb || &report == reports.data();
    if (std::string wrong = wrong_pair(program, relation, exact, truth, report); !wrong.empty()) return wrong;
  }
  return missed_memory(program, relation, truth, reports);
}

}  // namespace omen::traces
