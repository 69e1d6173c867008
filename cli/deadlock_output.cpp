#include "cli/deadlock_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "report/json_text.hpp"
#include "trace/quote.hpp"
#include "vindicate/witness_columns.hpp"

namespace omen::cli {
namespace {

using vindicate::DeadlockMember;
using vindicate::DeadlockOutcome;
using vindicate::Deadlocks;
using vindicate::DeadlockVerdict;
using vindicate::EventNo;
using vindicate::kNone;

std::string at(const vindicate::TraceIndex& index, EventNo e) {
  const std::string location = index.trace().names.text(index.event(e).location);
  return fmt::format("{}{} (event {})", location.empty() ? "" : " at ", on_one_line(location), e);
}

void print_members(const vindicate::TraceIndex& index, const DeadlockVerdict& verdict, std::string_view head) {
  const Names& names = index.trace().names;
  const std::size_t n = verdict.members.size();
  for (std::size_t i = 0; i < n; ++i) {
    const DeadlockMember& member = verdict.members[i];
    fmt::print("{}{} {}{}\n", i == 0 ? fmt::format("{}: ", head) : "  and ",
               on_one_line(names.of(index.event(member.request).thread)),
               waiting_words(index, member, verdict.members[(i + 1) % n]), at(index, member.request));
    if (member.holds_since == kNone) continue;
    fmt::print("    it holds {}, taken{}\n", quoted(names.of(index.event(member.holds_since).lock())),
               at(index, member.holds_since));
  }
}

std::string_view model_of(const vindicate::Confirmer& confirmer, const DeadlockVerdict& verdict) {
  if (verdict.outcome != DeadlockOutcome::Deadlock) return confirmer.index().has_updates() ? "data" : "lw";
  return confirmer.model_of(verdict.under_ca, verdict.witness, verdict.members.size());
}

void print(const vindicate::Confirmer& confirmer, const DeadlockVerdict& verdict) {
  const vindicate::TraceIndex& index = confirmer.index();
  print_members(index, verdict, name(verdict.outcome));
  if (verdict.cycles > 1) fmt::print("  one of {} cycles at these places\n", verdict.cycles);
  switch (verdict.outcome) {
    case DeadlockOutcome::Deadlock:
      fmt::print(
          "  witness ({} events, by {}, model {}):\n{}\n", verdict.witness.size(), name(verdict.method),
          model_of(confirmer, verdict),
          witness_columns(index, verdict.witness, {.goals = verdict.members.size(), .mark = "waits", .most = 40}));
      return;
    case DeadlockOutcome::NoDeadlock:
      fmt::print("  excluded under {} in the whole trace, by {}\n\n", model_of(confirmer, verdict),
                 name(verdict.method));
      return;
    case DeadlockOutcome::Unknown:
      fmt::print("  out of budget: {}\n\n", verdict.ran_out);
      return;
  }
}

std::string_view kind_name(vindicate::WaitKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"lock", "join", "barrier", "fork"};
  return kNames[static_cast<std::size_t>(kind)];
}

void append(std::string& text, const vindicate::Confirmer& confirmer, const DeadlockVerdict& verdict) {
  const vindicate::TraceIndex& index = confirmer.index();
  const Names& names = index.trace().names;
  const auto out = std::back_inserter(text);
  const auto quote = [](const std::string& word) { return report::json_string(word); };
  std::vector<EventNo> requests;
  for (const DeadlockMember& member : verdict.members) requests.push_back(member.request);
  fmt::format_to(out, "{{\"verdict\": \"{}\", \"requests\": [{}]", name(verdict.outcome), fmt::join(requests, ", "));
  if (verdict.outcome == DeadlockOutcome::Unknown) {
    fmt::format_to(out, ", \"ran_out\": \"{}\"", verdict.ran_out);
  } else {
    fmt::format_to(out, ", \"model\": \"{}\", \"method\": \"{}\"", model_of(confirmer, verdict), name(verdict.method));
  }
  text += ", \"threads\": [";
  for (std::size_t i = 0; i < verdict.members.size(); ++i) {
    const DeadlockMember& member = verdict.members[i];
    const Event& request = index.event(member.request);
    fmt::format_to(out, "{}{{\"thread\": {}, \"waits\": \"{}\", \"location\": {}", i == 0 ? "" : ", ",
                   quote(names.of(request.thread)), kind_name(member.kind), quote(names.text(request.location)));
    if (member.kind == vindicate::WaitKind::Lock)
      fmt::format_to(out, ", \"wants\": {}", quote(names.of(request.lock())));
    if (member.holds_since != kNone) {
      const Event& taken = index.event(member.holds_since);
      fmt::format_to(out, ", \"holds\": {}, \"taken\": {}, \"taken_at\": {}", quote(names.of(taken.lock())),
                     member.holds_since, quote(names.text(taken.location)));
    }
    text += "}";
  }
  fmt::format_to(out, "], \"circles\": {}", verdict.cycles);
  if (verdict.outcome == DeadlockOutcome::Deadlock) {
    fmt::format_to(out, ", \"witness\": [{}]", fmt::join(verdict.witness, ", "));
  }
  text += "}";
}

}  // namespace

void print(const vindicate::Confirmer& confirmer, const Deadlocks& deadlocks, const TextOptions& options) {
  std::array<std::size_t, 3> count{};
  std::uint64_t shown = 0;
  for (const DeadlockVerdict& verdict : deadlocks.found) {
    ++count[static_cast<std::size_t>(verdict.outcome)];
    if (verdict.outcome == DeadlockOutcome::NoDeadlock && !options.unconfirmed) continue;
    if (options.most != 0 && shown++ >= options.most) continue;
    print(confirmer, verdict);
  }
  if (!deadlocks.all_cycles) fmt::print("deadlocks: not all cycles of waiting threads were looked at\n");
  if (deadlocks.found.empty()) return;
  const std::size_t all = deadlocks.found.size();
  fmt::print("{} cycle{} of waiting threads: {} deadlock{}, {} excluded, {} unknown\n", all, all == 1 ? "" : "s",
             count[0], count[0] == 1 ? "" : "s", count[1], count[2]);
}

std::string deadlocks_json(const vindicate::Confirmer& confirmer, const Deadlocks& deadlocks) {
  std::string text = "[";
  for (std::size_t i = 0; i < deadlocks.found.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    append(text, confirmer, deadlocks.found[i]);
  }
  return text + (deadlocks.found.empty() ? "]" : "\n  ]");
}

std::optional<std::size_t> excluded_first_race(const std::vector<vindicate::CandidateGroup>& groups,
                                               const std::vector<Result>& results) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].pairs.empty()) continue;
    if (!first || groups[i].pairs.front().second < groups[*first].pairs.front().second) first = i;
  }
  if (!first || results[*first].verdict.outcome != vindicate::Outcome::NoRace) return std::nullopt;
  return first;
}

std::optional<std::size_t> deadlock_behind(const vindicate::Confirmer& confirmer, vindicate::Pair pair,
                                           Deadlocks& deadlocks) {
  const auto comes_before = [&](const DeadlockVerdict& verdict) {
    return verdict.outcome == DeadlockOutcome::Deadlock &&
           std::ranges::all_of(verdict.members, [&](const DeadlockMember& one) { return one.request < pair.second; });
  };
  const auto found = std::ranges::find_if(deadlocks.found, comes_before);
  if (found != deadlocks.found.end()) return static_cast<std::size_t>(found - deadlocks.found.begin());
  Deadlocks all = predict_deadlocks(confirmer, {.kinds = vindicate::WaitGraph::Kinds::All, .end = pair.second});
  const auto behind = std::ranges::find_if(all.found, comes_before);
  if (behind == all.found.end()) return std::nullopt;
  deadlocks.found.push_back(std::move(*behind));
  return deadlocks.found.size() - 1;
}

}  // namespace omen::cli
