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

/// The first frames of a stack, without addresses and line numbers.
std::string frames_text(const Stack& stack) {
  std::string text;
  const bool sources = std::ranges::any_of(stack, &Frame::has_source);
  std::size_t taken = 0;
  for (const Frame& frame : stack) {
    if (taken == kFingerprintFrames) break;
    if (sources && !frame.has_source()) continue;  // a library's function, which may have another name elsewhere
    if (frame.function.empty() && frame.file.empty() && frame.module.empty()) continue;
    text.append("\n").append(frame.function).append("\t");
    text.append(frame.has_source() ? base_name(frame.file) : base_name(frame.module));
    ++taken;
  }
  return text;
}

std::string side(const Access& access) {
  return std::string(name_in(kAccessKindNames, access.kind)) + frames_text(access.stack);
}

std::string hashed(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

const Thread* find_thread(const std::vector<Thread>& threads, std::uint32_t id) {
  const auto found = std::ranges::find(threads, id, &Thread::id);
  return found == threads.end() ? nullptr : &*found;
}

}  // namespace

const Thread* Race::thread(std::uint32_t id) const {
  return find_thread(threads, id);
}

const Thread* Deadlock::thread(std::uint32_t id) const {
  return find_thread(threads, id);
}

const Frame* Race::place(const Stack& stack) {
  const auto found = std::ranges::find_if(stack, &Frame::has_source);
  if (found != stack.end()) return &*found;
  return stack.empty() ? nullptr : &stack.front();
}

void add_process(RunReport& first, RunReport other) {
  std::ranges::move(other.races, std::back_inserter(first.races));
  std::ranges::move(other.deadlocks, std::back_inserter(first.deadlocks));
  std::ranges::move(other.unconfirmed, std::back_inserter(first.unconfirmed));
  first.excluded += other.excluded;
  first.unknown += other.unknown;
}

void clear_races(RunReport& report) {
  report.races.clear();
  report.deadlocks.clear();
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
  if (relation == "lw") return "reordering critical sections";
  return relation;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string fingerprint(const Race& race) {
  std::array<std::string, 2> sides{side(race.accesses[0]), side(race.accesses[1])};
  std::ranges::sort(sides);
  return hashed(fmt::format("{}\n{}\n\n{}", name_in(kRaceKindNames, race.kind), sides[0], sides[1]));
}

/// Where each thread waits and where it took what the one before it wants; which thread comes first does not matter.
std::string fingerprint(const Deadlock& deadlock) {
  std::vector<std::string> parts;
  for (const WaitingThread& one : deadlock.waiting) {
    parts.push_back(fmt::format("{}{}\n{}", name_in(kWaitsForNames, one.waits), frames_text(one.stack),
                                one.holds ? frames_text(one.holds->acquired) : ""));
  }
  std::ranges::rotate(parts, std::ranges::min_element(parts));
  return hashed("deadlock\n" + fmt::format("{}", fmt::join(parts, "\n\n")));
}

}  // namespace omen::report
