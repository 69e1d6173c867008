#include "native/path_finder.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "native/path_run.hpp"
#include "trace/error.hpp"

namespace omen::native {
namespace {

using values::Act;

class PathFinder final : public Interpreter {
 public:
  PathFinder(const Program& program, const Recording& recording, ThreadId thread, Run& run, PathContext& context,
             const ThreadExtent& extent, std::vector<FoundPath>& paths, Counters& counters)
      : Interpreter(program, recording, thread, run),
        context_(context),
        first_local_(extent.first_local),
        paths_(paths),
        counters_(counters) {
    words_.take_values_again(extent.first_value);
  }

 private:
  Flow conditional(Frame& frame, const llvm::BranchInst& branch) override {
    if (branch.isConditional() && branch.getSuccessor(0) != branch.getSuccessor(1)) {
      const Word condition = word(frame, *branch.getCondition());
      if (!condition.is_constant()) {
        turn(branch, condition, [&](PathRun& path) { return path.turn(branch, condition); });
      }
    }
    return Interpreter::conditional(frame, branch);
  }

  Flow choice(Frame& frame, const llvm::SwitchInst& choice) override {
    const Word condition = condition_of(frame, choice);
    const llvm::BasicBlock& to = destination(choice, condition);
    if (!condition.is_constant()) {
      const Word leads = leads_to(choice, to, condition);
      turn(choice, leads, [&](PathRun& path) { return path.turn(choice, to, leads); });
      words_.branch(leads);
    }
    return jump(frame, to);
  }

  /// The branch is the next local act. A turned switch has several other sides; each path decides for one.
  template <class Turn>
  void turn(const llvm::Instruction& branch, Word recorded, Turn&& turn) {
    const PathLimits& limits = context_.limits;
    std::size_t& turns = turns_[{&branch, recorded.bits != 0}];
    if (turns == limits.turns || paths_.size() >= limits.paths || context_.work >= limits.work) {
      ++counters_.unturned;
      return;
    }
    ++turns;
    ++counters_.turned;
    const std::size_t local = first_local_ + run_.locals.size();
    std::vector<Decision> decisions;
    for (std::size_t way = 0; way < limits.ways && paths_.size() < limits.paths; ++way) {
      PathRun path(*this, context_, decisions);
      FoundPath found{.local = local, .path = turn(path)};
      const bool tells = std::ranges::any_of(found.path.events, [](const auto& e) { return !values::is_local(e.act); });
      if (tells || found.path.complete) paths_.push_back(std::move(found));
      decisions = path.decisions();
      while (!decisions.empty() && decisions.back().way + 1 == decisions.back().ways) decisions.pop_back();
      if (decisions.empty()) return;
      ++decisions.back().way;
    }
    ++counters_.unturned;  // it has more ways
  }

  PathContext& context_;
  std::size_t first_local_;
  std::vector<FoundPath>& paths_;
  Counters& counters_;
  std::map<std::pair<const llvm::Instruction*, bool>, std::size_t> turns_;
};

bool has_branches(const Run& run, std::size_t thread) {
  const std::size_t begin = run.threads[thread].first_local;
  const std::size_t end = thread + 1 < run.threads.size() ? run.threads[thread + 1].first_local : run.locals.size();
  return std::any_of(run.locals.begin() + static_cast<std::ptrdiff_t>(begin),
                     run.locals.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const values::ValueEvent& e) { return e.act == Act::Branch; });
}

}  // namespace

void find_paths(const Program& program, const Recording& recording, const Cells& cells, Run& run) {
  PathContext context{.cells = cells, .limits = {}, .loops = {}, .moment = {}};
  std::vector<FoundPath> paths;
  Run again;  // as `run`, but for its notes and local acts
  again.trace = std::move(run.trace);
  again.threads = run.threads;
  again.locks = run.locks;
  for (std::uint32_t t = 0; t < run.threads.size(); ++t) {
    if (!has_branches(run, t)) continue;
    again.notes.assign(recording.trace.size(), {});
    again.locals.clear();
    PathFinder finder(program, recording, ThreadId{t}, again, context, run.threads[t], paths, run.counters);
    const auto ok = finder.thread();
    OMEN_CHECK(ok.has_value());
    const std::size_t end = t + 1 < run.threads.size() ? run.threads[t + 1].first_local : run.locals.size();
    OMEN_CHECK(again.locals.size() == end - run.threads[t].first_local);
  }
  run.trace = std::move(again.trace);
  run.paths = std::move(paths);
  run.counters.paths = run.paths.size();
}

}  // namespace omen::native
