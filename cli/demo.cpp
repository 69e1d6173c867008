/// \file
/// `omen demo`: the whole way on the shipped trace of examples/bank: happens-before finds nothing, the predictive
/// relations do.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/registry.hpp"
#include "cli/command.hpp"
#include "embedded/bank_trace.hpp"
#include "trace/trace.hpp"

namespace omen::cli {
namespace {

struct Race {
  EventIndex earlier = kNoEvent;
  EventIndex later = kNoEvent;
};

class CollectRaces final : public RaceSink {
 public:
  void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
    for (const PriorAccess& prior : priors) races.push_back({prior.site.event, access.site.event});
  }
  std::vector<Race> races;
};

std::vector<Race> races_of(std::string_view analysis, const Trace& trace) {
  CollectRaces found;
  find_analysis(analysis)->make(found, {})->run(trace.events);
  return found.races;
}

/// "w(total)"
std::string operation(const Event& event, const Names& names) {
  const std::string text = to_text(event, names);
  const std::size_t begin = text.find('|') + 1;
  return text.substr(begin, text.rfind('|') - begin);
}

void print_side(const Trace& trace, EventIndex i, const char* before) {
  const Event& event = trace[i];
  fmt::print("  {:<4}{} of '{}' by {} at {} (event {})\n", before, is_write(event.op) ? "write" : "read",
             trace.names.of(event.variable()), trace.names.of(event.thread), trace.names.text(event.location),
             index(i));
}

/// The events of both threads from the first access to the second, a column per thread.
void print_between(const Trace& trace, Race race) {
  const ThreadId left = trace[race.earlier].thread;
  const ThreadId right = trace[race.later].thread;
  fmt::print("  {:>5}  {:<22}{}\n", "event", trace.names.of(left), trace.names.of(right));
  for (std::size_t i = index(race.earlier); i <= index(race.later); ++i) {
    const Event& event = trace.events[i];
    if ((event.thread != left && event.thread != right) || event.op == Op::Begin || event.op == Op::End) continue;
    const bool racy = i == index(race.earlier) || i == index(race.later);
    const std::string what = operation(event, trace.names);
    fmt::print("  {:>5}  {:<22}{:<22}{}{}\n", i, event.thread == left ? what : "", event.thread == right ? what : "",
               trace.names.text(event.location), racy ? "   <--" : "");
  }
}

void print_relation(const char* relation, std::string_view analysis, const Trace& trace) {
  const std::size_t races = races_of(analysis, trace).size();
  fmt::print("  {:<28}{:<8}{}\n", relation, analysis,
             races == 0 ? "no race" : fmt::format("{} race{}", races, races == 1 ? "" : "s"));
}

std::expected<int, InputError> run() {
  const auto trace = load(read_std(std::string(embedded::bank_trace), "examples/bank/bank.std"));
  if (!trace) return std::unexpected(trace.error());

  fmt::print(
      "A bank. A teller makes two deposits, an auditor compares the accounts with the total.\n"
      "The program is examples/bank/bank.cpp; the trace of one run, examples/bank/bank.std:\n"
      "{} events, {} threads, {} locks, {} variables.\n\n",
      trace->size(), trace->threads(), trace->names.of(OperandKind::Lock).size(),
      trace->names.of(OperandKind::Variable).size());

  fmt::print("Conflicting accesses that nothing orders:\n");
  print_relation("happens-before", "fto-hb", *trace);
  print_relation("weak-causally-precedes", "st-wcp", *trace);
  print_relation("doesn't-commute", "st-dc", *trace);
  print_relation("weak-doesn't-commute", "st-wdc", *trace);

  const auto predicted = races_of("st-wdc", *trace);
  OMEN_CHECK(predicted.size() == 1 && races_of("fto-hb", *trace).empty());  // what the text below is about
  const Race race = predicted.front();
  fmt::print("\nThe predicted race:\n");
  print_side(*trace, race.earlier, "");
  print_side(*trace, race.later, "and");

  fmt::print("\nWhat happened between the two:\n");
  print_between(*trace, race);
  fmt::print(
      "\nHappens-before orders them because the teller gave log_lock back before the auditor took it. But the two\n"
      "sections on log_lock touch different things. The auditor could as well have had the lock first, and then its\n"
      "read of 'total' meets the teller's write. The other relations order sections only where they conflict, as\n"
      "those on 'accounts' do.\n"
      "\nNext: ./omen analyze examples/bank/bank.std --analysis all\n");
  return kExitNothingFound;
}

const Command command{"demo", "Find a race that happens-before misses, in a shipped trace",
                      [](CLI::App&) -> Action { return [] { return run(); }; }};

}  // namespace
}  // namespace omen::cli
