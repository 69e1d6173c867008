#include "capture/recording/refusals.hpp"

#include <algorithm>

namespace omen::recording {

void Refusals::section_begins(const Start& start) {
  Lock& state = locks_[start.lock];
  Section& section = state.open.emplace_back(start.thread, start.number, start.shared);
  for (auto& [waiting, attempt] : latest_) {
    if (attempt.lock != start.lock || waiting == start.thread || attempt.where != Where::Waiting) continue;
    begins_[start.number].push_back({waiting, attempt.node});
    section.refuses = true;
    attempt.where = Where::BehindStart;
    attempt.at = start.number;
  }
  for (const std::uint64_t attempt : state.unexplained) {
    if (start.before == 0 || start.before > attempt || start.after_wait) continue;
    early_holders_[attempt] = start.thread;
    section.refuses = true;
  }
  state.unexplained.clear();
  if (!start.by_attempt) return;
  const auto own = latest_.find(start.thread);
  if (own != latest_.end() && own->second.lock == start.lock) {
    take_back(start.thread, own->second);
    latest_.erase(own);
  }
}

void Refusals::goes_on(std::uint32_t thread) {
  if (latest_.empty()) return;
  const auto attempt = latest_.find(thread);
  if (attempt == latest_.end()) return;
  if (attempt->second.where == Where::Waiting) {
    locks_[attempt->second.lock].unexplained.push_back(attempt->second.number);
  }
  latest_.erase(attempt);
}

void Refusals::section_ends(std::uint32_t thread, std::uint64_t lock, std::uint64_t number) {
  Lock& state = locks_[lock];
  const auto section = std::ranges::find(state.open, thread, &Section::thread);
  if (section == state.open.end()) return;
  if (section->refuses) ends_[number];
  state.last = Ended{*section, number};
  state.open.erase(section);
}

void Refusals::attempt(std::uint32_t thread, std::uint64_t lock, std::uint64_t number, std::uint64_t before,
                       bool shared, std::uint32_t node) {
  Lock& state = locks_[lock];
  // A thread that holds the lock refuses its own attempt, wherever the attempt is in the order of the run.
  if (std::ranges::find(state.open, thread, &Section::thread) != state.open.end()) return;
  // A writer refuses a reader; another reader does so only while a writer waits for it.
  auto refuser = std::ranges::find_if(state.open, [&](const Section& section) { return !shared || !section.shared; });
  if (refuser == state.open.end()) refuser = state.open.begin();
  Attempt& latest = latest_[thread] = {lock, number, node, Where::Here, number};
  if (refuser != state.open.end()) {
    begins_[refuser->began];
    refuser->refuses = true;
    holders_[number] = refuser->thread;
  } else if (!state.last || state.last->section.thread == thread) {
    latest.where = Where::Waiting;
  } else if (before < state.last->ended) {
    begins_[state.last->section.began];
    ends_[state.last->ended].push_back({thread, node});
    latest.where = Where::BeforeEnd;
    latest.at = state.last->ended;
  } else {
    begins_[state.last->section.began];
    holders_[number] = state.last->section.thread;
  }
}

void Refusals::take_back(std::uint32_t thread, const Attempt& attempt) {
  const auto remove = [&](std::vector<MovedAttempt>& moved) {
    std::erase_if(moved,
                  [&](const MovedAttempt& other) { return other.thread == thread && other.node == attempt.node; });
  };
  if (attempt.where == Where::Here) holders_.erase(attempt.number);
  if (attempt.where == Where::BeforeEnd) remove(ends_[attempt.at]);
  if (attempt.where == Where::BehindStart) remove(begins_[attempt.at]);
}

}  // namespace omen::recording
