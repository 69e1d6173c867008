#include "cli/source_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/source_map.hpp"

namespace omen::cli {
namespace {

/// The frame to show; null for no frames.
const symbolize::Frame* shown(const std::vector<symbolize::Frame>& frames) {
  const auto found = std::ranges::find_if(frames, &symbolize::Frame::has_source);
  if (found != frames.end()) return &*found;
  return frames.empty() ? nullptr : &frames.front();
}

std::string text_of(const symbolize::Frame& frame) {
  if (frame.has_source()) {
    const std::string text = fmt::format("{}:{}", frame.file, frame.line);
    return frame.column == 0 ? text : fmt::format("{}:{}", text, frame.column);
  }
  return frame.module.empty() ? fmt::format("{:#x}", frame.offset)
                              : fmt::format("{}+{:#x}", frame.module, frame.offset);
}

}  // namespace

std::expected<std::unique_ptr<SourcePlaces>, InputError> SourcePlaces::of(const std::string& path) {
  if (path == "-") return nullptr;  // a pipe can be read only once
  auto info = read_capture_info(path);
  if (!info) return std::unexpected(std::move(info.error()));
  if (!*info || (*info)->stacks.empty()) return nullptr;
  return std::make_unique<SourcePlaces>(std::move(**info));
}

std::unique_ptr<SourcePlaces> SourcePlaces::of_intact(const std::string& path) {
  auto places = of(path);
  return places ? std::move(*places) : nullptr;
}

SourcePlaces::SourcePlaces(CaptureInfo info)
    : info_(std::move(info)), symbolizer_(info_.modules), places_(info_.stacks.size(), 0) {}

LocationId SourcePlaces::place(LocationId location) {
  const std::uint32_t node = static_cast<std::uint32_t>(location) & ~kNumericLocation;
  if ((static_cast<std::uint32_t>(location) & kNumericLocation) == 0 || node == 0 || node >= places_.size())
    return location;
  std::uint32_t& place = places_[node];
  if (place == 0) place = nodes_.emplace(text(location), node).first->second;
  return LocationId{kNumericLocation | place};
}

std::string SourcePlaces::text(LocationId location) {
  const std::uint32_t node = static_cast<std::uint32_t>(location) & ~kNumericLocation;
  if (node == 0 || node >= places_.size()) return {};
  const std::uint64_t pc = info_.stacks[node].pc;
  const auto [entry, is_new] = texts_.try_emplace(pc);
  if (!is_new) return entry->second;
  const auto frames = symbolizer_.frames(pc);
  if (const symbolize::Frame* const frame = shown(frames)) {
    entry->second = text_of(*frame);
    functions_.try_emplace(entry->second, frame->function);
  }
  return entry->second;
}

std::string SourcePlaces::function_at(const std::string& place) const {
  const auto found = functions_.find(place);
  return found == functions_.end() ? "" : found->second;
}

std::string SourcePlaces::object(const std::string& name) {
  const auto place = report::parse_place(name);
  if (!place) return {};
  const auto global = symbolizer_.global_at(place->address);
  if (!global) return {};
  const std::uint64_t offset = place->address - global->address;
  return offset == 0 ? global->name : fmt::format("{}+{}", global->name, offset);
}

std::expected<std::span<Event>, InputError> PlacedSource::next() {
  auto block = inner_->next();
  if (block) {
    for (Event& event : *block) event.location = places_.place(event.location);
  }
  return block;
}

void name_places(Trace& trace, SourcePlaces& places) {
  std::unordered_map<LocationId, LocationId> named;
  for (Event& event : trace.events) {
    const LocationId place = places.place(event.location);
    const auto [entry, is_new] = named.try_emplace(place, place);
    if (is_new) {
      const std::string text = places.text(place);
      if (!text.empty()) entry->second = trace.names.intern_location(text);
    }
    event.location = entry->second;
  }
}

}  // namespace omen::cli
