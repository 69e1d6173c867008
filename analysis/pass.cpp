#include "analysis/pass.hpp"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <chrono>

namespace omen {
namespace {

using Analyses = std::vector<std::unique_ptr<AnyAnalysis>>;
using Block = std::expected<std::span<Event>, InputError>;

void run_timed(AnyAnalysis& analysis, std::span<const Event> events, double& seconds) {
  const auto start = std::chrono::steady_clock::now();
  analysis.run(events);
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::expected<PassResult, InputError> run_alone(EventSource& source, const Analyses& analyses,
                                                const PassProgress& progress) {
  PassResult result{0, std::vector<double>(analyses.size())};
  while (true) {
    const Block block = source.next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) return result;
    for (std::size_t i = 0; i < analyses.size(); ++i) run_timed(*analyses[i], *block, result.seconds[i]);
    result.events += block->size();
    progress(result.events, source.progress());
  }
}

/// Reads the next block while the analyses process the current one. A source's block is valid until the next is
/// requested, so the current block is a copy.
std::expected<PassResult, InputError> run_together(EventSource& source, const Analyses& analyses,
                                                   const PassProgress& progress) {
  PassResult result{0, std::vector<double>(analyses.size())};
  std::vector<Event> in_work;
  Block block = source.next();
  while (block && !block->empty()) {
    in_work.assign(block->begin(), block->end());
    tbb::task_group tasks;
    for (std::size_t i = 0; i < analyses.size(); ++i) {
      tasks.run([&, i] { run_timed(*analyses[i], in_work, result.seconds[i]); });
    }
    tasks.run_and_wait([&] { block = source.next(); });
    result.events += in_work.size();
    progress(result.events, source.progress());
  }
  if (!block) return std::unexpected(block.error());
  return result;
}

}  // namespace

std::expected<PassResult, InputError> run_pass(EventSource& source, const Analyses& analyses, unsigned workers,
                                               const PassProgress& progress) {
  if (workers <= 1) return run_alone(source, analyses, progress);
  tbb::task_arena arena(static_cast<int>(workers));
  return arena.execute([&] { return run_together(source, analyses, progress); });
}

}  // namespace omen
