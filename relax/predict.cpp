#include "relax/predict.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "relax/candidates.hpp"
#include "relax/judge.hpp"

namespace omen::relax {
namespace {

constexpr std::size_t kPathsTogether = 32;  ///< between these, what is known to be a race is not asked again

class Prediction {
 public:
  Prediction(const Subject& subject, const Settings& settings)
      : subject_(subject),
        settings_(settings),
        policy_(policy(settings.model)),
        judge_(subject, settings.model),
        arena_(static_cast<int>(std::clamp<std::size_t>(settings.jobs, 1, 1024))) {
    grouping_.every = settings.every;
    if (const auto none = subject.names().locations().find("")) {
      grouping_.has_nowhere = true;
      grouping_.nowhere = LocationId{*none};
    }
  }

  std::vector<Verdict> run() {
    const auto size = static_cast<std::uint32_t>(subject_.size());
    const std::uint32_t width = std::max(settings_.window, 4U);
    const bool one = size <= std::max(width, settings_.whole);
    if (one && settings_.recorded_ways) ask({0, size}, /*whole=*/true);
    for (std::uint32_t begin = 0;; begin += width / 2) {
      const Window window{begin, std::min(size, begin + width)};
      if (!one && settings_.recorded_ways) ask(window, /*whole=*/false);
      if (policy_.turns_branches && subject_.paths != nullptr) turn_branches(window, begin == 0 && window.end == size);
      if (settings_.progress) settings_.progress(static_cast<double>(window.end) / std::max(1U, size));
      if (window.end == size) break;
    }
    if (!one && !settings_.every && settings_.recorded_ways) add_far();
    std::vector<Verdict> verdicts;
    for (auto& [key, verdict] : verdicts_) verdicts.push_back(std::move(verdict));
    return verdicts;
  }

  std::optional<Verdict> run(std::uint32_t first, std::uint32_t second) {
    const auto size = static_cast<std::uint32_t>(subject_.size());
    const std::uint32_t width = std::max(settings_.window, 4U);
    const auto [low, high] = std::minmax(first, second);
    if (high >= size) return std::nullopt;
    Window window{0, size};
    if (size > std::max(width, settings_.whole)) {
      if (high - low >= width) return std::nullopt;
      const std::uint32_t middle = low + (high - low) / 2;
      window.begin = middle - std::min(middle, width / 2);
      window.end = std::min(size, window.begin + width);
    }
    const Execution execution = subject_.execution(window);
    std::uint32_t a = kNone;
    std::uint32_t b = kNone;
    for (std::uint32_t i = 0; i < execution.items.size(); ++i) {
      if (execution.items[i].event == low) a = i;
      if (execution.items[i].event == high) b = i;
    }
    if (a == kNone || b == kNone || !execution.conflict(a, b)) return std::nullopt;
    return decide(execution, {{{a, b}}, {a, b}, 1, 0}, window, window.begin == 0 && window.end == size, {}, 0);
  }

 private:
  struct Task {
    CandidateKey key;
    CandidatePairs pairs;
  };

  void ask(const Window& window, bool whole) {
    const Execution execution = subject_.execution(window);
    std::vector<Task> tasks;
    for (auto& [key, pairs] : candidates(execution, grouping_, settings_.pairs)) {
      if (!is_race(key) && !is_left_out(execution, pairs.first)) tasks.push_back({key, std::move(pairs)});
    }
    std::vector<Verdict> found(tasks.size());
    parallel(tasks.size(), [&](std::size_t i) { found[i] = decide(execution, tasks[i].pairs, window, whole, {}, 0); });
    for (std::size_t i = 0; i < tasks.size(); ++i) merge(tasks[i].key, std::move(found[i]));
  }

  /// What no window holds is not asked, and not kept silent about.
  void add_far() {
    for (const auto& [key, far] : all_candidates(subject_, grouping_)) {
      const auto [at, is_new] = verdicts_.try_emplace(key);
      if (!is_new) continue;
      Verdict& verdict = at->second;
      verdict.answer = Answer::OutOfBudget;
      verdict.ran_out = fmt::format("no window of {} events holds both", settings_.window);
      verdict.first = far.first;
      verdict.second = far.second;
      verdict.first_location = far.first_location;
      verdict.second_location = far.second_location;
      verdict.variable = far.variable;
      verdict.whole = false;
      verdict.window = {0, 0};
      verdict.pairs = 1;
    }
  }

  // Paths.

  /// A branch of the window, and whether it can be turned at all: asked once, for all paths from it.
  struct Crossing {
    std::once_flag asked;
    bool can_turn = true;
  };

  void turn_branches(const Window& window, bool whole) {
    std::vector<TurnedBranch> turns;
    std::map<std::uint32_t, Crossing> crossings;
    bool all = true;
    for (std::uint32_t i = window.begin; i < window.end && all; ++i) {
      if (subject_.values->events[i].act != values::Act::Branch) continue;
      for (values::Path& path : subject_.paths->paths(*subject_.values, i)) {
        all = turns.size() < settings_.paths;
        if (!all || path.events.empty()) continue;
        turns.push_back({i, std::move(path)});
        crossings[i];
      }
    }
    for (std::size_t first = 0; first < turns.size(); first += kPathsTogether) {
      const std::size_t count = std::min(kPathsTogether, turns.size() - first);
      std::vector<std::map<CandidateKey, Verdict>> found(count);
      parallel(count, [&](std::size_t i) {
        const TurnedBranch& turned = turns[first + i];
        found[i] = follow(turned, first + i, window, whole, crossings.at(turned.branch));
      });
      for (auto& verdicts : found) {
        for (auto& [key, verdict] : verdicts) merge(key, std::move(verdict));
      }
    }
    if (all) return;
    for (auto& [key, verdict] : verdicts_) {
      if (verdict.answer != Answer::Impossible) continue;
      verdict.answer = Answer::OutOfBudget;
      verdict.ran_out = fmt::format("more than {} paths in a window", settings_.paths);
    }
  }

  /// All candidates on one path that are not known to be races: pairs with an event of the path, and, if the path does
  /// something that others can notice, pairs of other threads.
  std::map<CandidateKey, Verdict> follow(const TurnedBranch& turned, std::size_t number, const Window& window,
                                         bool whole, Crossing& crossing) const {
    std::map<CandidateKey, Verdict> verdicts;
    const Execution execution = subject_.execution(window, turned.turn());
    const std::uint32_t thread = static_cast<std::uint32_t>(index(subject_.values->events[turned.branch].thread));
    const auto on_path = [&](std::uint32_t item) { return execution.items[item].event >= subject_.size(); };
    const bool noticed = std::ranges::any_of(turned.path.events, [](const values::ValueEvent& e) {
      return !values::is_local(e.act) && e.act != values::Act::Read;
    });
    for (auto& [key, group] : candidates(execution, grouping_, settings_.pairs)) {
      if (is_race(key)) continue;
      std::erase_if(group.pairs, [&](const ItemPair& pair) {
        if (on_path(pair.first) || on_path(pair.second)) return false;
        const bool own = execution.items[pair.first].thread == thread || execution.items[pair.second].thread == thread;
        return own || !noticed;
      });
      if (group.pairs.empty()) continue;
      group.first = group.pairs.front();
      group.count = group.pairs.size();
      group.excluded = 0;
      std::call_once(crossing.asked, [&] { crossing.can_turn = can_turn(turned, window); });
      if (!crossing.can_turn) {
        group.excluded = group.count;
        group.pairs.clear();
      }
      verdicts.emplace(key, decide(execution, group, window, whole, turned, number));
    }
    return verdicts;
  }

  /// The thread can go to the branch's other side: to a fence that stands there instead of a path.
  bool can_turn(const TurnedBranch& turned, const Window& window) const {
    const values::ValueEvent& branch = turned.path.events.front();
    values::ValueEvent behind{.thread = branch.thread, .act = values::Act::Fence, .location = branch.location};
    const TurnedBranch side{turned.branch, {.events = {branch, behind}, .complete = false}};
    const Execution execution = subject_.execution(window, side.turn());
    const auto thread = static_cast<std::size_t>(index(branch.thread));
    std::optional<SolverContext> own;
    if (settings_.context == nullptr) own.emplace();
    const Query query(subject_, policy_, settings_.limits, settings_.dump, fmt::format("-branch-{}", turned.branch));
    return query
               .ask_reach(settings_.context == nullptr ? *own : *settings_.context, execution,
                          execution.threads[thread].back(), window)
               .answer != Answer::Impossible;
  }

  // One candidate.

  Verdict decide(const Execution& execution, const CandidatePairs& group, const Window& window, bool whole,
                 const TurnedBranch& turned, std::size_t path_number) const {
    Verdict verdict;
    verdict.window = window;
    verdict.whole = whole;
    verdict.pairs = group.count;
    verdict.paths = turned.branch == kNone ? 0 : 1;
    verdict.asked = group.excluded;
    describe(verdict, execution, group.first);
    std::optional<SolverContext> own;
    const std::string suffix =
        turned.branch == kNone ? "" : fmt::format("-branch-{}-path-{}", turned.branch, path_number);
    const Query query(subject_, policy_, settings_.limits, settings_.dump, suffix);
    for (const ItemPair& pair : group.pairs) {
      if (settings_.context == nullptr && !own) own.emplace();
      SolverContext& context = settings_.context == nullptr ? *own : *settings_.context;
      Asked asked = query.ask(context, execution, pair, window, turned.turn(), verdict.cost);
      ++verdict.asked;
      verdict.cost += asked.cost;
      if (asked.answer == Answer::Impossible &&
          (asked.window.begin != window.begin || asked.window.end != window.end)) {
        verdict.whole = false;  // the pair's whole cone is too large a question
        verdict.window = asked.window;
      }
      if (asked.answer == Answer::OutOfBudget && verdict.answer != Answer::OutOfBudget) {
        verdict.answer = Answer::OutOfBudget;
        verdict.ran_out = asked.ran_out;
        describe(verdict, execution, pair);
      }
      if (asked.answer != Answer::Race) continue;
      verdict.answer = Answer::Race;
      verdict.ran_out.clear();
      verdict.turned = turned;
      describe(verdict, execution, pair);
      verdict.window = asked.window;
      before_window(verdict);
      verdict.schedule.insert(verdict.schedule.end(), asked.schedule.begin(), asked.schedule.end());
      judge_.confirm(verdict);
      return verdict;
    }
    if (verdict.answer == Answer::Impossible && verdict.asked < verdict.pairs) {
      verdict.answer = Answer::OutOfBudget;
      verdict.ran_out = fmt::format("{} of {} pairs decided", verdict.asked, verdict.pairs);
    }
    return verdict;
  }

  static void describe(Verdict& verdict, const Execution& execution, const ItemPair& pair) {
    const Item& a = execution.items[pair.first];
    const Item& b = execution.items[pair.second];
    verdict.first = a.event;
    verdict.second = b.event;
    verdict.first_location = a.location;
    verdict.second_location = b.location;
    verdict.variable = a.operand;
  }

  /// What comes before the window is executed as recorded.
  void before_window(Verdict& verdict) const {
    for (std::uint32_t i = 0; i < verdict.window.begin; ++i) {
      if (subject_.plain != nullptr || !values::is_local(subject_.values->events[i].act)) verdict.schedule.push_back(i);
    }
  }

  bool is_left_out(const Execution& execution, const ItemPair& pair) const {
    return settings_.leave_out &&
           settings_.leave_out(execution.items[pair.first].event, execution.items[pair.second].event);
  }

  bool is_race(const CandidateKey& key) const {
    const auto found = verdicts_.find(key);
    return found != verdicts_.end() && found->second.answer == Answer::Race;
  }

  /// A race wins, then what is open; a "no" is good for the first window that said it, and counts the others' pairs.
  void merge(const CandidateKey& key, Verdict&& verdict) {
    const auto [at, is_new] = verdicts_.try_emplace(key, std::move(verdict));
    if (is_new) return;
    Verdict& old = at->second;
    const auto add_counts = [](Verdict& to, const Verdict& from) {
      to.pairs += from.pairs;
      to.asked += from.asked;
      to.paths += from.paths;
      to.cost += from.cost;
    };
    const bool better =
        old.answer != Answer::Race &&
        (verdict.answer == Answer::Race || (old.answer == Answer::Impossible && verdict.answer == Answer::OutOfBudget));
    if (better) std::swap(old, verdict);
    add_counts(old, verdict);
  }

  template <class F>
  void parallel(std::size_t count, F&& f) {
    if (settings_.jobs <= 1 || settings_.context != nullptr) {
      for (std::size_t i = 0; i < count; ++i) f(i);
    } else {
      arena_.execute([&] { tbb::parallel_for(std::size_t{0}, count, f); });
    }
  }

  const Subject& subject_;
  const Settings& settings_;
  const Policy& policy_;
  Judge judge_;
  tbb::task_arena arena_;
  CandidateSettings grouping_;
  std::map<CandidateKey, Verdict> verdicts_;
};

}  // namespace

Settings Settings::of_budget(std::uint64_t budget) {
  Settings settings;
  const std::uint64_t n = std::clamp<std::uint64_t>(budget, 4, 100'000);
  settings.window = static_cast<std::uint32_t>(n);
  settings.whole = static_cast<std::uint32_t>(n * 500);
  settings.limits.window = settings.window;
  settings.limits.rlimit = n * 2'000;
  settings.limits.constraints = n * 100;
  return settings;
}

std::vector<Verdict> predict(const Subject& subject, const Settings& settings) {
  return Prediction(subject, settings).run();
}

std::optional<Verdict> predict_pair(const Subject& subject, const Settings& settings, std::uint32_t first,
                                    std::uint32_t second) {
  return Prediction(subject, settings).run(first, second);
}

}  // namespace omen::relax
