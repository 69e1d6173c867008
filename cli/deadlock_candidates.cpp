#include "cli/deadlock_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace omen::cli {
namespace {

report::WaitsFor waits_for(vindicate::WaitKind kind) {
  switch (kind) {
    case vindicate::WaitKind::Lock:
      return report::WaitsFor::Lock;
    case vindicate::WaitKind::Join:
      return report::WaitsFor::End;
    case vindicate::WaitKind::Barrier:
      return report::WaitsFor::Barrier;
    case vindicate::WaitKind::Fork:
      return report::WaitsFor::Creation;
  }
  return report::WaitsFor::Lock;
}

}  // namespace

FoundDeadlocks find_deadlocks(const vindicate::Confirmer& confirmer) {
  vindicate::Deadlocks predicted = predict_deadlocks(confirmer);
  FoundDeadlocks result;
  for (vindicate::DeadlockVerdict& verdict : predicted.found) {
    if (verdict.outcome != vindicate::DeadlockOutcome::Deadlock) continue;
    report::DeadlockCandidate& one = result.deadlocks.emplace_back();
    for (const vindicate::DeadlockMember& member : verdict.members) {
      auto& added = one.members.emplace_back();
      added.request = member.request;
      added.waits = waits_for(member.kind);
      if (member.holds_since != vindicate::kNone) added.holds_since = member.holds_since;
    }
    one.model = confirmer.model_of(verdict.under_ca, verdict.witness, verdict.members.size());
    one.witness = std::move(verdict.witness);
    one.method = vindicate::name(verdict.method);
    one.count = verdict.cycles;
  }
  const auto unknown =
      std::ranges::count(predicted.found, vindicate::DeadlockOutcome::Unknown, &vindicate::DeadlockVerdict::outcome);
  if (unknown != 0) {
    result.notes.push_back(fmt::format("{} cycle{} of waiting threads could not be decided (omen vindicate shows them)",
                                       unknown, unknown == 1 ? "" : "s"));
  }
  if (!predicted.all_cycles) result.notes.emplace_back("not all cycles of waiting threads were looked at");
  return result;
}

}  // namespace omen::cli
