#include "report/exploration.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "report/frames.hpp"
#include "report/race_report.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

constexpr std::string_view kTool = "OmenRaceDetector";
constexpr std::string_view kRule = "==================\n";
constexpr std::size_t kToldFrames = 3;

std::string who(const FailedThread& thread) {
  return thread.id == 0 ? "main thread" : "thread " + thread.label;
}

std::string_view object_words(std::string_view kind) {
  if (kind == "lock") return "a lock";
  if (kind == "condition") return "a condition variable";
  if (kind == "futex") return "a futex";
  if (kind == "semaphore") return "a semaphore";
  if (kind == "once") return "a once-routine of another thread";
  if (kind == "barrier") return "a barrier";
  if (kind == "thread") return "the end of a thread";
  if (kind == "time") return "a time";
  if (kind == "input") return "input";
  return "the end of the program";
}

std::string thread_text(const Failure& failure, const FailedThread& thread) {
  std::string text = "  " + who(thread);
  text[2] = static_cast<char>(text[2] - 'a' + 'A');
  if (thread.waits_for == "spins") {
    text += " runs without making progress";
  } else if (!thread.waits_for.empty()) {
    text += fmt::format(" waits for {}", object_words(thread.waits_for));
    if (thread.object != 0 && thread.waits_for != "thread") text += fmt::format(" at {:#x}", thread.object);
    const auto holds = [&](const FailedThread& other) { return other.id == thread.held_by; };
    if (thread.held_by == thread.id) {
      text += ", which it holds itself";
    } else if (const auto holder = std::ranges::find_if(failure.threads, holds); holder != failure.threads.end()) {
      text += fmt::format(", which {} holds", who(*holder));
    }
  }
  text += ":\n";
  if (thread.stack.empty()) text += "    [no stack is known]\n";
  for (std::size_t i = 0; i < thread.stack.size(); ++i) {
    const Frame& frame = thread.stack[i];
    fmt::format_to(std::back_inserter(text), "    #{} {}", i,
                   frame.function.empty() ? "<null>" : on_one_line(frame.function));
    if (frame.has_source()) {
      fmt::format_to(std::back_inserter(text), " {}:{}", on_one_line(frame.file), frame.line);
      if (frame.column != 0) text += fmt::format(":{}", frame.column);
    }
    if (!frame.module.empty()) {
      fmt::format_to(std::back_inserter(text), " ({}+{:#x})", on_one_line(base_name(frame.module)), frame.offset);
    }
    text += "\n";
  }
  return text + "\n";
}

/// Quotes a word for a shell's command line.
std::string word(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("/-._+=:,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

std::string fingerprint(const Failure& failure) {
  std::vector<std::string> sides;
  for (const FailedThread& thread : failure.threads) {
    std::string side = thread.waits_for + "\n";
    std::size_t told = 0;
    for (const Frame& frame : thread.stack) {
      if (told == kToldFrames) break;
      if (frame.function.empty()) continue;
      side += fmt::format("{} {}\n", frame.function, base_name(frame.file));
      ++told;
    }
    sides.push_back(std::move(side));
  }
  std::ranges::sort(sides);
  std::string text = fmt::format("{}\n{}\n", name_in(kFailureKindNames, failure.kind), failure.what);
  for (const std::string& side : sides) text += "\n" + side;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string failure_text(const Failure& failure, const RunReport& report) {
  std::string text(kRule);
  const std::string_view headline = name_in(kFailureHeadlines, failure.kind);
  text += fmt::format("WARNING: {}: {}", kTool, headline);
  if (report.process != 0) text += fmt::format(" (pid={})", report.process);
  text += "\n";
  if (!failure.what.empty()) text += fmt::format("  {}\n", on_one_line(failure.what));
  for (const FailedThread& thread : failure.threads) text += thread_text(failure, thread);
  if (failure.threads.empty()) text += "\n";
  if (failure.shown && report.exploration) {
    text += "  " + shown_text(*failure.shown, *report.exploration, report.command) + "\n";
  }
  text += fmt::format("SUMMARY: {}: {}", kTool, headline);
  // Prefers a thread that takes part in the failure over one that only waits for another thread to end.
  const Frame* place = nullptr;
  for (const bool takes_part : {true, false}) {
    for (const FailedThread& thread : failure.threads) {
      if ((thread.waits_for != "thread") != takes_part) continue;
      if (place == nullptr || !place->has_source()) place = own_place(thread.stack);
    }
  }
  if (place != nullptr && place->has_source()) {
    text += fmt::format(" {}:{} in {}", on_one_line(place->file), place->line, on_one_line(place->function));
  }
  return text + "\n" + std::string(kRule);
}

std::string shown_text(const Shown& shown, const Exploration& exploration, const std::vector<std::string>& command) {
  std::string text = fmt::format("Shown by run {} (seed {}); again: omen explore --strategy {}", shown.run, shown.seed,
                                 exploration.strategy);
  if (exploration.strategy == "pct") text += fmt::format(" --depth {} --steps {}", exploration.depth, shown.steps);
  text += fmt::format(" --seed {} --runs 1 --", shown.seed);
  for (const std::string& argument : command) text += " " + word(argument);
  return text + "\n";
}

std::string exploration_text(const Exploration& exploration, std::size_t races, std::size_t failures) {
  std::string text =
      fmt::format("{}: {}, {} in {} ({}, seed {}), {}, {}\n", kTool, counted(races, "race", "races"),
                  counted(failures, "failure", "failures"), counted(exploration.runs, "run", "runs"),
                  exploration.strategy, exploration.seed, counted(exploration.schedules, "schedule", "schedules"),
                  counted(exploration.points, "scheduling point", "scheduling points"));
  if (exploration.released != 0) {
    text += fmt::format("note: {} went on freely after too many scheduling points or threads\n",
                        counted(exploration.released, "run", "runs"));
  }
  return text;
}

}  // namespace omen::report
