#include "cli/confirm_groups.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <span>

#include "cli/end_signals.hpp"
#include "cli/progress.hpp"

namespace omen::cli {

using vindicate::Confirmer;
using vindicate::GroupBudget;

std::vector<Result> confirm_all(const Confirmer& confirmer, const std::vector<vindicate::CandidateGroup>& groups,
                                const GroupBudget& budget, std::uint64_t jobs) {
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
      auto verdicts = confirm_groups(
          confirmer, std::span(groups).subspan(first, size), budget,
          [&](std::size_t more) {
            const std::lock_guard lock(mutex);
            done += more;
            progress.update(confirmer.index().size(), static_cast<double>(done) / static_cast<double>(groups.size()));
          },
          stop_requested);
      std::ranges::move(verdicts, std::next(results.begin(), static_cast<std::ptrdiff_t>(first)));
    });
  });
  return results;
}

}  // namespace omen::cli
