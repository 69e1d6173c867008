#include "native/recording.hpp"

#include <charconv>
#include <string_view>

#include "capture/recording/recorded_run.hpp"

namespace omen::native {
namespace {

/// `0xADDRESS:BYTES`, `0xADDRESS:BYTES@THREAD`, `0xADDRESS`; nothing else is memory.
Place place_of(std::string_view name) {
  Place place;
  if (!name.starts_with("0x")) return place;
  const char* const end = name.data() + name.size();
  auto [at, error] = std::from_chars(name.data() + 2, end, place.address, 16);
  if (error != std::errc{}) return {};
  if (at == end) return place;
  if (*at != ':') return {};
  const auto bytes = std::from_chars(at + 1, end, place.bytes);
  if (bytes.ec != std::errc{}) return {};
  place.view = bytes.ptr != end && *bytes.ptr == '@';
  return place;
}

std::vector<Place> places_of(const NameTable& names) {
  std::vector<Place> places;
  for (std::uint32_t id = 0; id < names.size(); ++id) places.push_back(place_of(names[id]));
  return places;
}

}  // namespace

std::expected<Recording, InputError> load_recording(const std::string& raw) {
  auto run = recording::RecordedRun::open(raw);
  if (!run) return std::unexpected(std::move(run.error()));
  Recording result;
  std::vector<recording::RecordedRun::Value> values;
  const auto passed = run->events_and_values(
      [&](std::span<Event> block) -> std::expected<void, InputError> {
        result.trace.events.insert(result.trace.events.end(), block.begin(), block.end());
        return {};
      },
      [&](const recording::RecordedRun::Value& value) { values.push_back(value); });
  if (!passed) return std::unexpected(passed.error());
  if (!run->complete()) {
    return std::unexpected(InputError{raw, "", "expected the whole run; recording stopped before the program's end"});
  }
  result.info = run->info();
  result.trace.names = run->take_all_names();
  result.threads.resize(result.trace.threads());
  std::uint64_t event = 0;
  const auto events_before = [&](std::uint64_t end) {
    for (; event < end; ++event) {
      result.threads[index(result.trace.events[event].thread)].push_back({.is_event = true, .bits = event});
    }
  };
  for (const auto& value : values) {
    events_before(value.event);
    result.threads[value.thread].push_back({.kind = static_cast<abi::ValueKind>(value.kind), .bits = value.bits});
  }
  events_before(result.trace.size());
  result.variables = places_of(result.trace.names.of(OperandKind::Variable));
  result.atomics = places_of(result.trace.names.of(OperandKind::Atomic));
  return result;
}

}  // namespace omen::native
