#include "cli/source_places.hpp"

#include <fmt/format.h>

#include <utility>

namespace omen::cli {
namespace {

std::string text_of(const std::vector<symbolize::Frame>& frames) {
  for (const symbolize::Frame& frame : frames) {
    if (!frame.has_source()) continue;
    std::string text = fmt::format("{}:{}", frame.file, frame.line);
    if (frame.column != 0) text += fmt::format(":{}", frame.column);
    return text;
  }
  if (frames.empty()) return {};
  return frames.front().module.empty() ? fmt::format("{:#x}", frames.front().offset)
                                       : fmt::format("{}+{:#x}", frames.front().module, frames.front().offset);
}

}  // namespace

std::expected<std::unique_ptr<SourcePlaces>, InputError> SourcePlaces::of(const std::string& path) {
  if (path == "-") return nullptr;  // a pipe is read once
  auto info = read_capture_info(path);
  if (!info) return std::unexpected(std::move(info.error()));
  if (!*info || (*info)->stacks.empty()) return nullptr;
  return std::make_unique<SourcePlaces>(std::move(**info));
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
  if (is_new) entry->second = text_of(symbolizer_.frames(pc));
  return entry->second;
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
