/// \file
/// One pair, asked as cheaply as it goes: first whether the cone alone excludes it, and whether the recorded order of
/// the cone shows it (recorded_order.hpp); where the cone is large, in small windows around the pair, in which a race
/// is a race and a "no" says nothing; then in the whole window; where that query would be too large, in a wider window
/// around the pair, whose "no" is good for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "relax/encoding.hpp"
#include "relax/subject.hpp"

namespace omen::relax {

/// What one candidate may cost.
struct QueryLimits {
  std::uint64_t rlimit = 4'000'000;   ///< Z3's resources, for all queries of the candidate together
  std::size_t constraints = 200'000;  ///< of one query
  std::uint32_t window = 2000;        ///< events of the widest window around a pair, where the cone is too large
  bool artificial_branches = false;
};

struct Asked {
  Answer answer = Answer::Impossible;
  std::string ran_out;                  ///< of an out-of-budget answer
  std::vector<std::uint32_t> schedule;  ///< of a race: events, from the window's begin on
  Window window;                        ///< where it was found, or what a "no" is good for
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

  /// Whether its thread can come to an item at all; `Race`: it can.
  Asked ask_reach(SolverContext& context, const Execution& execution, std::uint32_t item, const Window& window) const;

 private:
  Asked ask_in(SolverContext& context, const Execution& execution, const Cone& cone, ItemPair pair,
               const Window& window, std::uint64_t spent) const;
  std::optional<Asked> ask_around(SolverContext& context, ItemPair events, std::uint32_t width, const Window& window,
                                  const Turn& turn, std::uint64_t spent) const;

  const Subject& subject_;
  const Policy& policy_;
  const QueryLimits& limits_;
  const QuerySink& sink_;
  std::string suffix_;
};

}  // namespace omen::relax
