/// \file
/// One pair, asked as cheaply as it goes: first whether the cone alone excludes it; where the cone is large, in small
/// windows around the pair, in which a race is a race and a "no" says nothing; then in the whole window.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "relax/encoding.hpp"
#include "relax/subject.hpp"

namespace omen::relax {

/// What one candidate may cost.
struct QueryLimits {
  std::uint64_t rlimit = 4'000'000;   ///< Z3's resources, for all queries of the candidate together
  std::size_t constraints = 200'000;  ///< of one query
  bool artificial_branches = false;
};

struct Asked {
  Answer answer = Answer::Impossible;
  std::string ran_out;                  ///< of an out-of-budget answer
  std::vector<std::uint32_t> schedule;  ///< of a race: events, from the window's begin on
  Window window;                        ///< of a race: where it was found
  std::uint64_t cost = 0;
};

using QuerySink = std::function<void(const std::string& name, const std::string& text)>;

class Query {
 public:
  /// `sink`, if set, gets each query as SMT-LIB, under a name that ends with `suffix`.
  Query(const Subject& subject, const Policy& policy, const QueryLimits& limits, const QuerySink& sink,
        std::string suffix)
      : subject_(subject), policy_(policy), limits_(limits), sink_(sink), suffix_(std::move(suffix)) {}

  /// `execution` is that of `window` and `turn`; `spent` is what the candidate has cost so far.
  Asked ask(SolverContext& context, const Execution& execution, ItemPair pair, const Window& window, const Turn& turn,
            std::uint64_t spent) const;

 private:
  Asked ask_in(SolverContext& context, const Execution& execution, const Cone& cone, ItemPair pair,
               const Window& window, std::uint64_t spent) const;
  bool ask_smaller(SolverContext& context, ItemPair events, const Window& window, const Turn& turn, std::uint64_t spent,
                   Asked& asked) const;

  const Subject& subject_;
  const Policy& policy_;
  const QueryLimits& limits_;
  const QuerySink& sink_;
  std::string suffix_;
};

}  // namespace omen::relax
