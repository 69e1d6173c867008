#include "relax/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace omen::relax {
namespace {

constexpr std::size_t kSmallCone = 150;  ///< asked at once
constexpr std::array<std::uint32_t, 2> kSmallWindows{64, 320};

std::optional<ItemPair> find(const Execution& execution, ItemPair events) {
  ItemPair found{kNone, kNone};
  for (std::uint32_t i = 0; i < execution.items.size(); ++i) {
    if (execution.items[i].event == events.first) found.first = i;
    if (execution.items[i].event == events.second) found.second = i;
  }
  if (found.first == kNone || found.second == kNone || !execution.conflict(found.first, found.second)) return {};
  return found;
}

}  // namespace

Asked Query::ask(SolverContext& context, const Execution& execution, ItemPair pair, const Window& window,
                 const Turn& turn, std::uint64_t spent) const {
  const Cone cone(execution, pair, policy_);
  if (cone.impossible()) return {};
  Asked smaller;
  if (cone.size() > kSmallCone) {
    const ItemPair events{execution.items[pair.first].event, execution.items[pair.second].event};
    if (ask_smaller(context, events, window, turn, spent, smaller)) return smaller;
  }
  Asked asked = ask_in(context, execution, cone, pair, window, spent + smaller.cost);
  asked.cost += smaller.cost;
  return asked;
}

bool Query::ask_smaller(SolverContext& context, ItemPair events, const Window& window, const Turn& turn,
                        std::uint64_t spent, Asked& asked) const {
  // An event of a path stands where its branch does.
  const auto place = [&](std::uint32_t event) { return event < subject_.size() ? event : turn.branch; };
  const std::uint32_t low = std::min(place(events.first), place(events.second));
  const std::uint32_t high = std::max(place(events.first), place(events.second));
  std::uint64_t cost = 0;
  for (const std::uint32_t width : kSmallWindows) {
    if (high - low >= width || window.end - window.begin <= width) continue;
    const std::uint32_t margin = (width - (high - low)) / 2;
    Window small{std::max(window.begin, low - std::min(low, margin)), 0};
    small.end = std::min(window.end, small.begin + width);
    if (turn.path != nullptr && (turn.branch < small.begin || turn.branch >= small.end)) continue;
    const Execution execution = subject_.execution(small, turn);
    const auto pair = find(execution, events);
    if (!pair) continue;
    const Cone cone(execution, *pair, policy_);
    if (cone.impossible()) continue;
    asked = ask_in(context, execution, cone, *pair, small, spent + cost);
    cost += asked.cost;
    asked.cost = cost;
    if (asked.answer == Answer::Race) return true;
  }
  asked = {};
  asked.cost = cost;
  return false;
}

Asked Query::ask_in(SolverContext& context, const Execution& execution, const Cone& cone, ItemPair pair,
                    const Window& window, std::uint64_t spent) const {
  Asked asked;
  asked.window = window;
  if (spent >= limits_.rlimit) {
    asked.answer = Answer::OutOfBudget;
    asked.ran_out = fmt::format("Z3's resources ({})", limits_.rlimit);
    return asked;
  }
  if (const std::size_t size = encoding_size(execution, cone, policy_); size > limits_.constraints) {
    asked.answer = Answer::OutOfBudget;
    asked.ran_out = fmt::format("a query of {} constraints ({} allowed)", size, limits_.constraints);
    return asked;
  }
  const QuerySettings settings{static_cast<std::uint32_t>(limits_.rlimit - spent), limits_.artificial_branches};
  std::string text;
  const QueryResult result = solve(context, execution, cone, pair, policy_, settings, sink_ ? &text : nullptr);
  if (sink_) {
    sink_(fmt::format("{}-{}-{}-in-{}-{}{}", policy_.name, execution.items[pair.first].event,
                      execution.items[pair.second].event, window.begin, window.end, suffix_),
          text);
  }
  asked.answer = result.answer;
  asked.cost = result.cost;
  if (result.answer == Answer::OutOfBudget) asked.ran_out = fmt::format("Z3's resources ({})", limits_.rlimit);
  for (const std::uint32_t item : result.items) asked.schedule.push_back(execution.items[item].event);
  return asked;
}

}  // namespace omen::relax
