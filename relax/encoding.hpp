/// \file
/// One query: is the pair a race in the model? One encoding serves all models; the policy says what reads must see.
///
/// Each item of the cone has a time (an integer) and a truth value "executed before the race"; what every witness
/// executes has the constant true. Constraints of an item count only if it is executed, so threads outside the pair may
/// stop anywhere. RECIPE, section III, with these departures: executed is guarded as said, where the paper keeps the
/// whole prefix; synchronisation is spelled out; only the cone is encoded. The limit is Z3's own resource count, not a
/// clock: the answer does not depend on the machine's load.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "relax/cone.hpp"
#include "relax/execution.hpp"
#include "relax/model.hpp"

namespace omen::relax {

enum class Answer : std::uint8_t { Race, Impossible, OutOfBudget };

struct QueryResult {
  Answer answer = Answer::OutOfBudget;
  std::vector<std::uint32_t> items;  ///< of a race: what is executed before it, in order
  std::uint64_t cost = 0;            ///< in Z3's resource count
};

struct QuerySettings {
  std::uint32_t rlimit = 0;          ///< 0: none
  bool artificial_branches = false;  ///< `control`: a fixed value binds all earlier reads, as a branch does
};

/// Z3's state, kept from query to query of one task. Not to be shared between threads.
class SolverContext {
 public:
  SolverContext();
  ~SolverContext();
  SolverContext(SolverContext&&) noexcept;
  SolverContext& operator=(SolverContext&&) noexcept;

  struct State;
  State& state();

 private:
  std::unique_ptr<State> state_;
};

/// `cone` is the pair's, under the policy, and not impossible. `smt_lib`, if not null, is set to the query as SMT-LIB.
QueryResult solve(SolverContext& context, const Execution& execution, const Cone& cone, ItemPair pair,
                  const Policy& policy, const QuerySettings& settings, std::string* smt_lib = nullptr);

/// About how many constraints the query has.
std::size_t encoding_size(const Execution& execution, const Cone& cone, const Policy& policy);

}  // namespace omen::relax
