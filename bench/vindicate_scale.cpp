/// \file
/// omen-bench-vindicate: confirming on a long trace. Makes a trace with true races planted at distances from 10 events
/// to nearly its length, and prints how long confirming all of them takes, compared with the analysis that finds them,
/// and how much memory, compared with the trace's own size (docs/vindication.md, "Scale").
///
/// Eight workers in four teams. A team shares variables under its own locks; all workers share global locks under which
/// they touch only what is their own, so that happens-before orders nearly everything and WDC does not. Planted pairs
/// are between teams. Every tenth one has its first access in a section on a global lock that the second thread takes
/// later: there, the witness has to exchange two sections. No second access reads, so that no planted pair makes
/// another one impossible.
#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <thread>

#include "analysis/registry.hpp"
#include "bench/random.hpp"
#include "trace/trace.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"

namespace omen {
namespace {

constexpr std::uint32_t kWorkers = 8;
constexpr std::uint32_t kTeamLocks = 4;
constexpr std::uint32_t kGlobalLocks = 32;
constexpr std::uint32_t kTeamVariables = 500;
constexpr std::uint32_t kOwnVariables = 5000;
constexpr std::uint32_t kLocations = 2000;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

/// A pair that is to be placed: the first access once `at` events are there, the second `distance` later.
struct Plan {
  std::size_t at;
  std::size_t distance;
  bool in_section;
  std::uint32_t first_worker;
  std::uint32_t second_worker;
  std::size_t first = 0;
  std::size_t second = 0;
};

class Maker {
 public:
  Maker(std::size_t events, std::size_t pairs, std::uint64_t seed) : events_(events), random_(seed) {
    trace.events.reserve(events + 1000);
    for (std::uint32_t t = 0; t <= kWorkers; ++t) trace.names.of(OperandKind::Thread).intern("T" + std::to_string(t));
    for (std::uint32_t m = 0; m < kWorkers / 2 * kTeamLocks + kGlobalLocks; ++m) {
      trace.names.of(OperandKind::Lock).intern("m" + std::to_string(m));
    }
    const std::uint32_t variables = kWorkers / 2 * kTeamVariables + kWorkers * kOwnVariables;
    for (std::uint32_t x = 0; x < variables + pairs; ++x)
      trace.names.of(OperandKind::Variable).intern("x" + std::to_string(x));
    holder_.assign(trace.names.of(OperandKind::Lock).size(), 0);
    const double low = std::log(5.0);  // the second thread first comes to the end of what it is doing
    const double high = std::log(0.9 * static_cast<double>(events));
    for (std::size_t k = 0; k < pairs; ++k) {
      Plan plan;
      plan.in_section = k % 10 == 5;
      const double part = static_cast<double>(k) / static_cast<double>(std::max<std::size_t>(1, pairs - 1));
      plan.distance = static_cast<std::size_t>(std::exp(low + part * (high - low)));
      plan.at = 100 + random_.below(static_cast<std::uint32_t>(events - plan.distance - events / 50));
      plan.first_worker = static_cast<std::uint32_t>(random_.below(kWorkers));
      plan.second_worker = static_cast<std::uint32_t>(random_.below(kWorkers));
      if (plan.second_worker / 2 == plan.first_worker / 2) plan.second_worker = (plan.second_worker + 2) % kWorkers;
      plans.push_back(plan);
    }
  }

  void run() {
    for (std::uint32_t t = 1; t <= kWorkers; ++t) emit(0, {Op::Fork, t});
    std::multimap<std::size_t, std::pair<std::size_t, bool>> due;  // plan, whether its second access is meant
    for (std::size_t k = 0; k < plans.size(); ++k) due.emplace(plans[k].at, std::pair(k, false));
    while (trace.size() < events_ - kWorkers * 40) {
      while (!due.empty() && due.begin()->first <= trace.size()) {
        const auto [k, second] = due.begin()->second;
        due.erase(due.begin());
        place(k, second);
        if (!second) due.emplace(plans[k].first + plans[k].distance, std::pair(k, true));
      }
      const auto w = static_cast<std::uint32_t>(random_.below(kWorkers));
      for (std::size_t burst = 1 + random_.below(12); burst > 0 && step(w); --burst) {
      }
    }
    for (std::uint32_t w = 0; w < kWorkers; ++w) finish(w);
    for (std::uint32_t t = 1; t <= kWorkers; ++t) emit(0, {Op::Join, t});
  }

  Trace trace;
  std::vector<Plan> plans;

 private:
  struct Step {
    Op op;
    std::uint32_t operand;
  };

  std::uint32_t team_lock(std::uint32_t w) {
    return w / 2 * kTeamLocks + static_cast<std::uint32_t>(random_.below(kTeamLocks));
  }
  std::uint32_t global_lock() {
    return kWorkers / 2 * kTeamLocks + static_cast<std::uint32_t>(random_.below(kGlobalLocks));
  }
  std::uint32_t own(std::uint32_t w) {
    return kWorkers / 2 * kTeamVariables + w * kOwnVariables + static_cast<std::uint32_t>(random_.below(kOwnVariables));
  }
  Op access() { return random_.below(3) == 0 ? Op::Write : Op::Read; }

  void emit(std::uint32_t thread, Step s, std::uint32_t location = 0) {
    Event event;
    event.thread = ThreadId{thread};
    event.operand = s.operand;
    event.op = s.op;
    event.location = LocationId{kNumericLocation |
                                (location != 0 ? location : static_cast<std::uint32_t>(random_.below(kLocations)))};
    trace.events.push_back(event);
  }

  /// What the worker does next.
  void plan_work(std::uint32_t w) {
    auto& queue = queues_[w];
    const std::size_t kind = random_.below(10);
    if (kind < 4) {  // team data under the lock that guards it
      const std::uint32_t m = team_lock(w);
      queue.push_back({Op::Acquire, m});
      for (std::size_t n = 1 + random_.below(6); n > 0; --n) {
        const auto x = static_cast<std::uint32_t>(random_.below(kTeamVariables / kTeamLocks));
        queue.push_back({access(), w / 2 * kTeamVariables + (m % kTeamLocks) * (kTeamVariables / kTeamLocks) + x});
      }
      if (random_.below(4) == 0) global_section(w);
      queue.push_back({Op::Release, m});
    } else if (kind < 6) {
      global_section(w);
    } else {
      for (std::size_t n = 2 + random_.below(10); n > 0; --n) queue.push_back({access(), own(w)});
    }
  }
  void global_section(std::uint32_t w) {
    const std::uint32_t g = global_lock();
    queues_[w].push_back({Op::Acquire, g});
    for (std::size_t n = 1 + random_.below(4); n > 0; --n) queues_[w].push_back({access(), own(w)});
    queues_[w].push_back({Op::Release, g});
  }

  /// False if the worker has to wait for a lock.
  bool step(std::uint32_t w) {
    auto& queue = queues_[w];
    if (queue.empty()) plan_work(w);
    const Step s = queue.front();
    if (s.op == Op::Acquire && holder_[s.operand] != 0) return false;
    if (s.op == Op::Acquire) holder_[s.operand] = w + 1;
    if (s.op == Op::Release) holder_[s.operand] = 0;
    queue.pop_front();
    emit(w + 1, s);
    return true;
  }

  /// Lets the worker come to the end of what it is doing; others help where it waits for a lock.
  void finish(std::uint32_t w) {
    while (!queues_[w].empty()) {
      if (!step(w)) finish(holder_[queues_[w].front().operand] - 1);
    }
  }

  void take(std::uint32_t w, std::uint32_t lock) {
    if (holder_[lock] != 0) finish(holder_[lock] - 1);
    emit(w + 1, {Op::Acquire, lock});
  }

  void place(std::size_t k, bool second) {
    Plan& plan = plans[k];
    const std::uint32_t w = second ? plan.second_worker : plan.first_worker;
    finish(w);
    const std::uint32_t lock = kWorkers / 2 * kTeamLocks + static_cast<std::uint32_t>(k) % kGlobalLocks;
    if (plan.in_section) take(w, lock);
    if (plan.in_section && second) emit(w + 1, {Op::Release, lock});
    (second ? plan.second : plan.first) = trace.size();
    const auto variable = static_cast<std::uint32_t>(trace.names.of(OperandKind::Variable).size() - plans.size() + k);
    const auto location = static_cast<std::uint32_t>(kLocations + 2 * k + (second ? 1 : 0));
    emit(w + 1, {!second && k % 2 == 0 ? Op::Read : Op::Write, variable}, location);
    if (plan.in_section && !second) emit(w + 1, {Op::Release, lock});
  }

  std::size_t events_;
  bench::Random random_;
  std::map<std::uint32_t, std::deque<Step>> queues_;
  std::vector<std::uint32_t> holder_;  ///< 1 + worker; 0: free
};

int run(std::size_t events, std::size_t pairs, std::uint64_t seed, int jobs) {
  Maker maker(events, pairs, seed);
  maker.run();
  Trace& trace = maker.trace;
  trace.events.shrink_to_fit();
  const double bytes = static_cast<double>(trace.size() * sizeof(Event));
  fmt::print("{} events, {} threads, {} planted pairs, seed {}\n", trace.size(), trace.threads(), pairs, seed);

  class Ignore final : public RaceSink {
    void race(const RacyAccess&, std::span<const PriorAccess>) override {}
  } ignore;
  const AnalysisInfo& analysis = *find_analysis("st-wdc");
  double start = now();
  analysis.make(ignore, {})->run(trace.events);
  const double analysing = now() - start;

  start = now();
  const vindicate::Confirmer confirmer(trace, {}, vindicate::Budget::of(vindicate::Budget::kDefault));
  const double indexing = now() - start;
  const auto groups = analysed_candidates(confirmer.index(), analysis, /*every=*/false);
  const double finding = now() - start - indexing;
  std::vector<vindicate::Pair> candidates;
  for (const auto& group : groups) candidates.push_back(group.pairs.front());
  std::vector<vindicate::Verdict> verdicts(candidates.size());
  const std::size_t together =
      std::clamp<std::size_t>(candidates.size() / static_cast<std::size_t>(jobs) + 1, 1, confirmer.together());
  tbb::task_arena arena(jobs);
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, (candidates.size() + together - 1) / together, [&](std::size_t batch) {
      const std::size_t first = batch * together;
      const auto some = std::span(candidates).subspan(first, std::min(together, candidates.size() - first));
      std::ranges::move(confirmer.confirm(some), verdicts.begin() + static_cast<std::ptrdiff_t>(first));
    });
  });
  const double total = now() - start;
  const double peak = peak_bytes();

  std::map<std::string, std::size_t> by;
  std::size_t confirmed = 0;
  std::vector<std::size_t> distances;
  for (const auto& v : verdicts) {
    ++by[fmt::format("{} by {}", name(v.outcome), name(v.method))];
    const auto is_this = [&](const Plan& p) { return p.first == v.pair.first && p.second == v.pair.second; };
    if (v.outcome != vindicate::Outcome::Race || std::ranges::none_of(maker.plans, is_this)) continue;
    ++confirmed;
    distances.push_back(v.pair.second - v.pair.first);
  }
  std::ranges::sort(distances);
  fmt::print("st-wdc                      {:8.2f} s\n", analysing);
  fmt::print("index, checkpoints, checker {:8.2f} s\n", indexing);
  fmt::print("candidates by st-wdc        {:8.2f} s\n", finding);
  fmt::print("confirming                  {:8.2f} s  ({} jobs)\n", total - indexing - finding, jobs);
  fmt::print("total                       {:8.2f} s  {:.1f} x st-wdc\n", total, total / analysing);
  fmt::print("peak memory                 {:8.0f} MB {:.2f} x the trace's {:.0f} MB\n", peak / 1e6, peak / bytes,
             bytes / 1e6);
  for (const auto& [what, count] : by) fmt::print("{:<28}{:>8}\n", what, count);
  fmt::print("planted pairs confirmed     {:>8} of {}\n", confirmed, pairs);
  if (!distances.empty()) {
    fmt::print("distances                   {} to {}, median {}\n", distances.front(), distances.back(),
               distances[distances.size() / 2]);
  }
  return confirmed == pairs ? 0 : 1;
}

}  // namespace
}  // namespace omen

int main(int argc, char** argv) {
  CLI::App app("Measures confirming on a long trace with planted races");
  std::size_t events = 10'000'000;
  std::size_t pairs = 100;
  std::uint64_t seed = 1;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  app.add_option("--events", events)->capture_default_str();
  app.add_option("--pairs", pairs)->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--jobs", jobs)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return omen::run(events, pairs, seed, jobs);
}
