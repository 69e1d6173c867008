#include "report/race_report.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "report/frames.hpp"

namespace omen::report {
namespace {

/// Number of frames in a fingerprint: enough to distinguish the callers of a small helper, few enough that a change far
/// away does not matter.
constexpr std::size_t kFingerprintFrames = 3;

/// A function's name in a form that all compilers agree on: without arguments and result type, which GCC omits for
/// functions without a linkage name. A lambda becomes `{lambda}`: GCC writes `{unnamed}` or `{lambda(int)#1}`, clang
/// `$_0`, each with its own numbering.
std::string common_name(std::string_view function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kOperator = "operator";
  constexpr std::string_view kClangLambda = "$_";
  std::string name;
  int depth = 0;  // nesting depth of template argument lists
  for (std::size_t i = 0; i < function.size();) {
    const std::string_view rest = function.substr(i);
    if (rest.starts_with(kAnonymous)) {
      name += kAnonymous;
      i += kAnonymous.size();
    } else if (rest.starts_with("{unnamed") || rest.starts_with("{lambda")) {
      name += "{lambda}";
      i += std::min(rest.find('}'), rest.size() - 1) + 1;
    } else if (rest.starts_with(kClangLambda)) {
      name += "{lambda}";
      i += std::min(rest.find_first_not_of("0123456789", kClangLambda.size()), rest.size());
    } else if (rest.starts_with(kOperator) && depth == 0) {
      const std::size_t sign = rest.starts_with("operator()") ? kOperator.size() + 2 : 0;
      const std::size_t end = std::min(rest.find('(', sign), rest.size());
      return name.append(rest.substr(0, end));
    } else if (rest.front() == '(' && depth == 0) {
      break;
    } else if (rest.front() == ' ' && depth == 0) {
      name.clear();  // the text so far was the result type
      ++i;
    } else {
      depth += rest.front() == '<' ? 1 : rest.front() == '>' ? -1 : 0;
      name += rest.front();
      ++i;
    }
  }
  return name;
}

/// The first frames of a stack, without addresses and line numbers. Compilers inline the system's functions
/// differently, so these frames are skipped if the program's are known.
std::string frames_text(const Stack& stack) {
  std::string text;
  const auto is_own = [](const Frame& frame) { return frame.has_source() && !is_system(frame); };
  const bool sources = std::ranges::any_of(stack, &Frame::has_source);
  const bool own = std::ranges::any_of(stack, is_own);
  std::size_t taken = 0;
  for (const Frame& frame : stack) {
    if (taken == kFingerprintFrames) break;
    if (sources && !frame.has_source()) continue;  // another machine's library may name it differently
    if (own && !is_own(frame)) continue;
    if (frame.function.empty() && frame.file.empty() && frame.module.empty()) continue;
    text.append("\n").append(common_name(frame.function)).append("\t");
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

void name_process(RunReport& report, const std::vector<std::string>& first_command) {
  const auto name = [&](auto& findings) {
    for (auto& finding : findings) {
      finding.origin.process = report.process;
      if (report.command != first_command) finding.origin.command = report.command;
    }
  };
  name(report.races);
  name(report.deadlocks);
  name(report.unconfirmed);
  if (!report.baseline) return;
  name(report.baseline->known);
  name(report.baseline->known_deadlocks);
}

void add_process(RunReport& first, RunReport other) {
  name_process(other, first.command);
  if (other.baseline) {
    if (!first.baseline) first.baseline.emplace();
    std::ranges::move(other.baseline->known, std::back_inserter(first.baseline->known));
    std::ranges::move(other.baseline->known_deadlocks, std::back_inserter(first.baseline->known_deadlocks));
  }
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
  report.baseline.reset();
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
  if (relation == "value") return "keeping the values of reads";
  if (relation == "control") return "keeping the values that branches depend on";
  if (relation == "relax") return "keeping the branches";
  return relation;
}

bool rests_on_values(const Race& race) {
  return race.found_by == "value" || race.found_by == "control" || race.found_by == "relax" || race.found_by == "paths";
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string fingerprint(const Race& race) {
  std::array<std::string, 2> sides{side(race.accesses[0]), side(race.accesses[1])};
  std::ranges::sort(sides);
  return hashed(fmt::format("{}\n{}\n\n{}", name_in(kRaceKindNames, race.kind), sides[0], sides[1]));
}

/// Hashes where each thread waits and where it acquired the lock that the previous one requests, whichever thread comes
/// first.
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
