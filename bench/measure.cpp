#include "bench/measure.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <expected>

#include "analysis/registry.hpp"
#include "bench/child.hpp"
#include "trace/formats/format.hpp"
#include "trace/validated_source.hpp"

namespace omen::bench {
namespace {

class CountRaces final : public RaceSink {
 public:
  void race(const RacyAccess& /*access*/, std::span<const PriorAccess> /*priors*/) override { ++count; }
  std::uint64_t count = 0;
};

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Calls `visit` with each block of the source; returns the number of events.
template <class Visit>
std::expected<std::uint64_t, InputError> drain(EventSource& source, Visit visit) {
  std::uint64_t events = 0;
  while (true) {
    const auto block = source.next();
    if (!block) return std::unexpected(block.error());
    if (block->empty()) return events;
    events += block->size();
    visit(*block);
  }
}

/// Executes the pass, in the child.
std::expected<Measurement, InputError> run_pass(const std::string& pass, const std::string& trace) {
  const double start = processor_seconds();
  auto source = open_trace(trace);
  if (!source) return std::unexpected(std::move(source.error()));
  if (pass != kRead) source = std::make_unique<ValidatedSource>(std::move(*source));

  Measurement result;
  std::expected<std::uint64_t, InputError> events;
  if (pass == kRead || pass == kReadChecked) {
    events = drain(**source, [](std::span<const Event>) {});
  } else {
    CountRaces races;
    const auto analysis = find_analysis(pass)->make(races, {});
    events = drain(**source, [&](std::span<const Event> block) { analysis->run(block); });
    result.races = races.count;
  }
  if (!events) return std::unexpected(std::move(events.error()));
  result.events = *events;
  result.seconds = processor_seconds() - start;
  return result;
}

}  // namespace

std::optional<Measurement> measure(const std::string& pass, const std::string& trace) {
  Measurement result;
  const auto usage = in_child(&result, sizeof result, [&] {
    auto measured = run_pass(pass, trace);
    if (!measured) {
      fmt::print(stderr, "omen-bench: {}\n", measured.error().text());
      return false;
    }
    result = *measured;
    return true;
  });
  if (!usage) return std::nullopt;
  result.peak_mib = static_cast<double>(usage->ru_maxrss) / 1024.0;
  return result;
}

}  // namespace omen::bench
