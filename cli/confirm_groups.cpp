#include "cli/confirm_groups.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>

#include "cli/end_signals.hpp"
#include "cli/progress.hpp"

namespace omen::cli {

using vindicate::Confirmer;
using vindicate::Outcome;
using vindicate::Pair;

namespace {

/// A race if some pair of the group is one; else what was said of the first that is not excluded. The groups' first
/// pairs are asked together, then the second ones of those that need it, and so on. What is not asked any more because
/// of a request to stop is unknown.
void confirm_batch(const Confirmer& confirmer, std::span<const vindicate::CandidateGroup> groups,
                   std::span<Result> results) {
  std::vector<std::size_t> open(groups.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    results[i].verdict.pair = groups[i].pairs.front();
    results[i].count = groups[i].count;
  }
  for (std::size_t n = 0; !open.empty() && !stop_requested(); ++n) {
    std::vector<Pair> pairs;
    for (const std::size_t i : open) pairs.push_back(groups[i].pairs[n]);
    auto verdicts = confirmer.confirm(pairs);
    for (std::size_t k = 0; k < open.size(); ++k) {
      Result& result = results[open[k]];
      const bool says_more = n == 0 || verdicts[k].outcome == Outcome::Race ||
                             (result.verdict.outcome == Outcome::NoRace && verdicts[k].outcome == Outcome::Unknown);
      if (says_more) result = {std::move(verdicts[k]), groups[open[k]].count};
    }
    std::erase_if(open, [&](std::size_t i) {
      return results[i].verdict.outcome == Outcome::Race || groups[i].pairs.size() == n + 1;
    });
  }
}

}  // namespace

std::vector<Result> confirm_all(const Confirmer& confirmer, const std::vector<vindicate::CandidateGroup>& groups,
                                std::uint64_t jobs) {
  std::vector<Result> results(groups.size());
  Progress progress("confirming");
  std::mutex mutex;  // guards `progress` and `done`
  std::size_t done = 0;
  const auto workers = static_cast<std::size_t>(std::clamp<std::uint64_t>(jobs, 1, 1024));
  const std::size_t batch = std::clamp<std::size_t>((groups.size() + workers - 1) / workers, 1, confirmer.together());
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, (groups.size() + batch - 1) / batch, [&](std::size_t at) {
      const std::size_t first = at * batch;
      const std::size_t size = std::min(batch, groups.size() - first);
      confirm_batch(confirmer, std::span(groups).subspan(first, size), std::span(results).subspan(first, size));
      const std::lock_guard lock(mutex);
      done += size;
      progress.update(confirmer.index().size(), static_cast<double>(done) / static_cast<double>(groups.size()));
    });
  });
  return results;
}

}  // namespace omen::cli
