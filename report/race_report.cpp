#include "report/race_report.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>

namespace omen::report {
namespace {

/// How far down a stack the fingerprint looks. Enough to tell the callers of a small helper apart, few enough that a
/// change far away does not matter.
constexpr std::size_t kFingerprintFrames = 3;

std::string side(const Access& access) {
  std::string text(name_in(kAccessKindNames, access.kind));
  const bool sources = std::ranges::any_of(access.stack, &Frame::has_source);
  std::size_t taken = 0;
  for (const Frame& frame : access.stack) {
    if (taken == kFingerprintFrames) break;
    if (sources && !frame.has_source()) continue;  // a library's function, which may have another name elsewhere
    if (frame.function.empty() && frame.file.empty() && frame.module.empty()) continue;
    text.append("\n").append(frame.function).append("\t");
    text.append(frame.has_source() ? base_name(frame.file) : base_name(frame.module));
    ++taken;
  }
  return text;
}

}  // namespace

const Thread* Race::thread(std::uint32_t id) const {
  const auto found = std::ranges::find(threads, id, &Thread::id);
  return found == threads.end() ? nullptr : &*found;
}

const Frame* Race::place(const Stack& stack) {
  const auto found = std::ranges::find_if(stack, &Frame::has_source);
  if (found != stack.end()) return &*found;
  return stack.empty() ? nullptr : &stack.front();
}

void add_process(RunReport& first, RunReport other) {
  std::ranges::move(other.races, std::back_inserter(first.races));
  std::ranges::move(other.unconfirmed, std::back_inserter(first.unconfirmed));
  first.excluded += other.excluded;
  first.unknown += other.unknown;
}

void clear_races(RunReport& report) {
  report.races.clear();
  report.unconfirmed.clear();
  report.excluded = 0;
  report.unknown = 0;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

std::string_view relation_name(std::string_view relation) {
  if (relation == "hb") return "happens-before";
  if (relation == "wcp") return "weak-causally-precedes";
  if (relation == "dc") return "doesn't-commute";
  if (relation == "wdc") return "weak-doesn't-commute";
  return relation;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string fingerprint(const Race& race) {
  std::array<std::string, 2> sides{side(race.accesses[0]), side(race.accesses[1])};
  std::ranges::sort(sides);
  const std::string text = fmt::format("{}\n{}\n\n{}", name_in(kRaceKindNames, race.kind), sides[0], sides[1]);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace omen::report
