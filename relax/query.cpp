#include "relax/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "relax/recorded_order.hpp"

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
  Asked no;
  no.window = window;
  const Cone cone(execution, pair, policy_);
  if (cone.impossible()) return no;
  // Whoever wants to see the queries sees all of them.
  const auto order = sink_ ? std::nullopt : recorded_order(execution, cone, pair, policy_, limits_.artificial_branches);
  if (order) {
    Asked race;
    race.answer = Answer::Race;
    race.window = window;
    for (const std::uint32_t item : *order) race.schedule.push_back(execution.items[item].event);
    return race;
  }
  const ItemPair events{execution.items[pair.first].event, execution.items[pair.second].event};
  std::uint64_t cost = 0;
  if (cone.size() > kSmallCone) {
    for (const std::uint32_t width : kSmallWindows) {
      auto small = ask_around(context, events, width, window, turn, spent + cost);
      if (!small) continue;
      cost += small->cost;
      small->cost = cost;
      if (small->answer == Answer::Race) return *small;
    }
  }
  Asked asked = ask_in(context, execution, cone, pair, window, spent + cost);
  cost += asked.cost;
  if (asked.answer == Answer::OutOfBudget) {
    if (auto part = ask_around(context, events, limits_.window, window, turn, spent + cost)) {
      cost += part->cost;
      if (part->answer != Answer::OutOfBudget) asked = std::move(*part);
    }
  }
  asked.cost = cost;
  return asked;
}

/// A pair of the item with itself: its thread stops there, all others anywhere.
Asked Query::ask_reach(SolverContext& context, const Execution& execution, std::uint32_t item,
                       const Window& window) const {
  const ItemPair alone{item, item};
  const Cone cone(execution, alone, policy_);
  if (!cone.impossible()) return ask_in(context, execution, cone, alone, window, 0);
  Asked no;
  no.window = window;
  return no;
}

/// In a window of that many events with the pair in its middle; nothing if there is none, or it is no smaller.
std::optional<Asked> Query::ask_around(SolverContext& context, ItemPair events, std::uint32_t width,
                                       const Window& window, const Turn& turn, std::uint64_t spent) const {
  // An event of a path stands where its branch does.
  const auto place = [&](std::uint32_t event) { return event < subject_.size() ? event : turn.branch; };
  const std::uint32_t low = std::min(place(events.first), place(events.second));
  const std::uint32_t high = std::max(place(events.first), place(events.second));
  if (high - low >= width || window.end - window.begin <= width) return {};
  const std::uint32_t margin = (width - (high - low)) / 2;
  Window small{std::max(window.begin, low - std::min(low, margin)), 0};
  small.end = std::min(window.end, small.begin + width);
  if (turn.path != nullptr && (turn.branch < small.begin || turn.branch >= small.end)) return {};
  const Execution execution = subject_.execution(small, turn);
  const auto pair = find(execution, events);
  if (!pair) return {};
  const Cone cone(execution, *pair, policy_);
  Asked no;
  no.window = small;
  if (cone.impossible()) return no;
  return ask_in(context, execution, cone, *pair, small, spent);
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
