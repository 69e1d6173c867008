#include "vindicate/witness_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "trace/quote.hpp"

namespace omen::vindicate {
namespace {

/// Wide enough for most names, so that a long one does not widen all columns.
constexpr std::size_t kMaxColumn = 28;

std::string operation(const Event& event, const Names& names) {
  const OpTraits& op = traits(event.op);
  std::string text(op.name);
  append_suffix(text, event);
  if (op.operand != OperandKind::None) text += "(" + on_one_line(names.of(op.operand)[event.operand]) + ")";
  return text;
}

/// True if the section that starts here lasts until a goal.
bool held_at_goal(const TraceIndex& index, EventNo e, std::span<const EventNo> goals) {
  if (!starts_section(index.event(e))) return false;
  const Section& section = index.section(index.link(e));
  return std::ranges::any_of(goals, [&](EventNo goal) {
    return index.thread(goal) == index.thread(e) && (section.end == kNone || section.end > goal);
  });
}

/// Positions in the witness.
std::vector<std::size_t> chosen(const TraceIndex& index, std::span<const EventNo> witness, std::size_t goal_count,
                                std::size_t most) {
  std::vector<std::size_t> shown;
  const std::size_t n = witness.size();
  const auto goals = witness.last(goal_count);
  const std::size_t last = most / 2;
  std::vector<std::size_t> of_goals(goals.size(), most / 2 / std::max<std::size_t>(goals.size(), 1));
  std::size_t held = most;
  for (std::size_t at = n; at-- > 0;) {
    const EventNo e = witness[at];
    bool show = n <= most || n - at <= last;
    for (std::size_t i = 0; i < goals.size(); ++i) {
      if (index.thread(e) != index.thread(goals[i]) || of_goals[i] == 0) continue;
      --of_goals[i];
      show = true;
    }
    if (!show && held > 0 && held_at_goal(index, e, goals)) {
      --held;
      show = true;
    }
    if (show) shown.push_back(at);
  }
  std::ranges::reverse(shown);
  return shown;
}

}  // namespace

std::string witness_columns(const TraceIndex& index, std::span<const EventNo> witness, const ColumnStyle& style) {
  const Names& names = index.trace().names;
  const auto shown = chosen(index, witness, style.goals, style.most);
  std::vector<std::size_t> threads;  // threads with a column, in the order of their ids
  std::vector<std::string> texts;
  for (const std::size_t at : shown) {
    threads.push_back(index.thread(witness[at]));
    texts.push_back(operation(index.event(witness[at]), names));
  }
  std::ranges::sort(threads);
  threads.erase(std::ranges::unique(threads).begin(), threads.end());
  std::vector<std::size_t> width;
  for (const std::size_t t : threads) {
    std::size_t widest = on_one_line(names.of(ThreadId{static_cast<std::uint32_t>(t)})).size();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (index.thread(witness[shown[i]]) == t) widest = std::max(widest, texts[i].size());
    }
    width.push_back(std::min(widest, kMaxColumn) + 2);
  }

  std::string text = fmt::format("  {:>9}  ", "event");
  for (std::size_t c = 0; c < threads.size(); ++c) {
    text += fmt::format("{:<{}}", on_one_line(names.of(ThreadId{static_cast<std::uint32_t>(threads[c])})), width[c]);
  }
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  std::size_t next = 0;
  const auto left_out = [&](std::size_t count) {
    if (count > 0) text += fmt::format("  {:>9}  ({} event{} left out)\n", "...", count, count == 1 ? "" : "s");
  };
  for (std::size_t i = 0; i < shown.size(); ++i) {
    left_out(shown[i] - next);
    next = shown[i] + 1;
    const EventNo e = witness[shown[i]];
    text += fmt::format("  {:>9}  ", e);
    for (std::size_t c = 0; c < threads.size(); ++c) {
      text += fmt::format("{:<{}}", index.thread(e) == threads[c] ? texts[i] : "", width[c]);
    }
    text += on_one_line(names.text(index.event(e).location));
    if (shown[i] + style.goals >= witness.size()) text.append("   <-- ").append(style.mark);
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace omen::vindicate
