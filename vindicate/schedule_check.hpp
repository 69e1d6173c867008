/// \file
/// Checks many schedules together. They may be as long as the trace, so they are not stored.
///
/// The checker's state after some events depends on these events alone. So schedules with a common prefix share one run
/// of the checker, up to the block of the trace in which they begin to differ; there the run is copied. Each schedule
/// has then passed the checker from its first event to its last.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "checker/checker.hpp"
#include "vindicate/closure.hpp"
#include "vindicate/conflict_order.hpp"

namespace omen::vindicate {

struct CheckedSchedule {
  Pair pair;
  Schedule schedule;
  bool accepted = false;
  bool under_ca = false;  ///< it also keeps the order of CA
  checker::Refusal refusal{0, ""};
};

class ScheduleChecks {
 public:
  ScheduleChecks(const TraceIndex& index, const checker::Checker& checker, const ConflictOrder& order)
      : index_(index), checker_(checker), order_(order) {}

  /// Fills in the result of each.
  void run(std::span<CheckedSchedule> schedules);

 private:
  /// A run of the checker, and the schedules whose prefix it has executed.
  struct Shared {
    explicit Shared(const checker::Checker& checker, std::size_t threads) : run(checker), done(threads, 0) {}

    checker::Checker::Run run;
    Cut done;
    bool accepted = true;
    bool kept = true;
    std::vector<CheckedSchedule*> members;
  };

  void separate(std::vector<std::unique_ptr<Shared>>& all, const Cut& seen, const Cut& after) const;
  void pass(Shared& shared, EventNo begin, EventNo end) const;
  void step(Shared& shared, EventNo e) const;
  void finish(Shared shared, CheckedSchedule& member) const;

  const TraceIndex& index_;
  const checker::Checker& checker_;
  const ConflictOrder& order_;
};

}  // namespace omen::vindicate
