#include "test/judges/std_text.hpp"

#include <algorithm>
#include <optional>

#include "trace/error.hpp"
#include "trace/well_formed.hpp"

namespace omen::judges {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Cuts `text` at the first `separator`; the second part is empty if there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<Event> parse_event(std::string_view line, Names& names) {
  const auto [thread, rest] = cut(line, '|');
  const auto [operation, location] = cut(rest, '|');
  const auto [head, tail] = cut(operation, '(');
  constexpr std::string_view kUpdate = ".update";
  const bool update = head.ends_with(kUpdate);
  const auto [name_of_op, name_of_order] = cut(update ? head.substr(0, head.size() - kUpdate.size()) : head, '.');
  const std::string_view op_name = name_of_op;
  const std::string_view order_name = name_of_order;

  const auto op = std::ranges::find(kOpTraits, op_name, &OpTraits::name);
  if (thread.empty() || op == kOpTraits.end()) return std::nullopt;
  Event event;
  event.op = op->op;
  event.update = update;
  if (update && !can_be_update(event.op)) return std::nullopt;
  event.thread = ThreadId{names.of(OperandKind::Thread).intern(thread)};
  if (op->ordered) {
    const auto order = std::ranges::find(kMemoryOrderNames, order_name);
    if (order == kMemoryOrderNames.end()) return std::nullopt;
    event.order = static_cast<MemoryOrder>(order - kMemoryOrderNames.begin());
    if (!order_fits(event.op, event.order)) return std::nullopt;
  } else if (order_name == "try" && order_fits(event.op, kAttempt)) {
    event.order = kAttempt;
  } else if (!order_name.empty()) {
    return std::nullopt;
  }
  if (op->operand != OperandKind::None) {
    if (tail.size() < 2 || tail.back() != ')') return std::nullopt;
    event.operand = names.of(op->operand).intern(tail.substr(0, tail.size() - 1));
  }
  event.location = names.intern_location(location);
  return event;
}

}  // namespace

std::expected<Trace, std::string> parse_std(std::string_view text) {
  Trace trace;
  WellFormedness rules;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto [whole, rest] = cut(text, '\n');
    const std::string_view line = trimmed(whole);
    text = rest;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    auto event = parse_event(line, trace.names);
    if (!event) return std::unexpected("line " + std::to_string(number) + ": not an event: " + std::string(line));
    if (auto legal = rules.check(*event, trace.names); !legal) {
      return std::unexpected("line " + std::to_string(number) + ": " + legal.error());
    }
    trace.events.push_back(*event);
  }
  return trace;
}

Trace trace_of(std::string_view text) {
  auto trace = parse_std(text);
  if (!trace) internal_error(__FILE__, __LINE__, trace.error());
  return std::move(*trace);
}

std::string to_std(const Trace& trace) {
  std::string text;
  for (const Event& event : trace.events) text += to_text(event, trace.names) + '\n';
  return text;
}

}  // namespace omen::judges
