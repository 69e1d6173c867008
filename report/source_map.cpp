#include "report/source_map.hpp"

#include <fmt/format.h>

#include <charconv>

#include "report/system_objects.hpp"
#include "trace/quote.hpp"

namespace omen::report {
Frame frame_of(const std::string& location) {
  Frame frame;
  std::string rest = location;
  std::uint32_t numbers[2] = {0, 0};
  int count = 0;
  for (; count < 2; ++count) {
    const auto colon = rest.rfind(':');
    if (colon == std::string::npos || colon == 0) break;
    const char* const end = rest.data() + rest.size();
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(rest.data() + colon + 1, end, value);
    if (error != std::errc{} || stop != end) break;
    numbers[1] = numbers[0];
    numbers[0] = value;
    rest.resize(colon);
  }
  if (count == 0) {
    frame.function = location;
    return frame;
  }
  frame.file = rest;
  frame.line = numbers[0];
  frame.column = count == 2 ? numbers[1] : 0;
  return frame;
}

std::optional<Place> parse_place(const std::string& name) {
  if (!name.starts_with("0x")) return std::nullopt;
  Place place;
  const char* const end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + 2, end, place.address, 16);
  if (error != std::errc{}) return std::nullopt;
  // `#` precedes the number of a lock's life, `@` the thread whose atomic accesses the variable represents.
  const auto is_end = [&](const char* at) { return at == end || *at == '#' || *at == '@'; };
  if (is_end(stop)) return place;
  if (*stop != ':') return std::nullopt;
  const auto [last, wrong] = std::from_chars(stop + 1, end, place.size);
  if (wrong != std::errc{} || !is_end(last)) return std::nullopt;
  return place;
}

Stack SourceMap::stack(const Event& event) const {
  const auto location = static_cast<std::uint32_t>(event.location);
  if ((location & kNumericLocation) == 0) {
    const std::string text = trace_.names.text(event.location);
    return text.empty() ? Stack{} : Stack{frame_of(text)};
  }
  const std::uint32_t number = location & ~kNumericLocation;
  if (!info_.stacks.empty()) return stack_of_node(number);
  Frame frame;
  frame.function = fmt::format("location {}", number);
  return {frame};
}

Stack SourceMap::stack_of_node(std::uint32_t node) const {
  Stack stack;
  while (node != 0 && node < info_.stacks.size() && stack.size() < kMostFrames) {
    const StackNode& call = info_.stacks[node];
    for (Frame& frame : symbolizer_.frames(call.pc)) stack.push_back(std::move(frame));
    if (call.parent >= node) break;  // the recorder's table is damaged
    node = call.parent;
  }
  return stack;
}

Frame SourceMap::place(const Event& event) const {
  // Most stacks have a source position in their first frames, so the other frames are not symbolized.
  const auto location = static_cast<std::uint32_t>(event.location);
  std::uint32_t node = location & ~kNumericLocation;
  if ((location & kNumericLocation) != 0 && node != 0 && node < info_.stacks.size()) {
    for (const Frame& frame : symbolizer_.frames(info_.stacks[node].pc)) {
      if (frame.has_source()) return frame;
    }
  }
  const Stack whole = stack(event);
  const Frame* frame = Race::place(whole);
  return frame != nullptr ? *frame : Frame{};
}

Frame SourceMap::user_place(const Event& event) const {
  const auto is_library = [](const Frame& frame) {
    return frame.file.starts_with("/usr/include/") || frame.file.starts_with("/usr/lib/");
  };
  const Frame first = place(event);
  if (!first.has_source() || !is_library(first)) return first;
  for (const Frame& frame : stack(event)) {
    if (frame.has_source() && !is_library(frame)) return frame;
  }
  return first;
}

bool SourceMap::is_main(ThreadId thread) const {
  if (index(thread) >= info_.threads.size()) return trace_.names.of(thread) == "main";
  const ThreadInfo& known = info_.threads[index(thread)];
  if (known.creator) return false;
  return info_.process != 0 && known.system_id != 0 ? known.system_id == info_.process : index(thread) == 0;
}

std::string SourceMap::label(ThreadId thread) const {
  if (index(thread) >= info_.threads.size()) return on_one_line(trace_.names.of(thread));
  return is_main(thread) ? "main" : fmt::format("T{}", index(thread));
}

std::string SourceMap::label(LockId lock) const {
  return fmt::format("M{}", index(lock));
}

std::string SourceMap::global_name(LockId lock) const {
  const std::string& name = trace_.names.of(lock);
  const auto place = parse_place(name);
  if (!place) return name;
  const auto global = symbolizer_.global_at(place->address);
  return global ? global->name : std::string();
}

std::string SourceMap::titled(const std::string& name) const {
  if (const auto place = parse_place(name)) {
    if (auto object = system_object(place->address)) return std::move(*object);
    const auto global = symbolizer_.global_at(place->address);
    if (!global) return fmt::format("{:#x}", place->address);
    const std::uint64_t offset = place->address - global->address;
    return offset == 0 ? quoted(global->name) : fmt::format("{}+{}", quoted(global->name), offset);
  }
  return quoted(name);
}

std::string SourceMap::titled(LockId lock) const {
  const std::string name = global_name(lock);
  return name.empty() ? label(lock) : fmt::format("{} {}", label(lock), quoted(name));
}

std::string SourceMap::titled(VariableId variable) const {
  return titled(trace_.names.of(variable));
}

std::optional<std::string> SourceMap::hidden_state(AtomicId atomic) const {
  constexpr std::string_view kHidden = "hidden state ";
  const std::string& name = trace_.names.of(OperandKind::Atomic)[static_cast<std::uint32_t>(atomic)];
  if (!name.starts_with(kHidden)) return std::nullopt;
  const std::string lock = name.substr(kHidden.size());
  const auto known = trace_.names.of(OperandKind::Lock).find(lock);
  return known ? titled(LockId{*known}) : titled(lock);
}

std::string SourceMap::titled_atomic(AtomicId atomic) const {
  const std::string& name = trace_.names.of(OperandKind::Atomic)[static_cast<std::uint32_t>(atomic)];
  const auto place = parse_place(name);
  if (place && system_object(place->address)) return titled(name);
  return "atomic " + titled(name);
}

}  // namespace omen::report
