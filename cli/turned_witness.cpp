#include "cli/turned_witness.hpp"

#include "relax/replay.hpp"

namespace omen::cli {
namespace {

bool is_synchronisation(values::Act act) {
  return !values::is_local(act) && !values::is_access(act) && act != values::Act::Fence;
}

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<std::uint32_t> DepartingOrder::whole() const {
  std::vector<std::uint32_t> all = before;
  append(all, after);
  return all;
}

DepartingOrder departing_order(const values::ValueTrace& trace, const relax::Verdict& race) {
  const relax::Turn turn = race.turned.turn();
  const ThreadId thread = trace.events[race.turned.branch].thread;
  // Splits the schedule: events up to the turning thread's last recorded synchronisation, together with other threads'
  // later events; the turning thread's own events after that; the path.
  std::size_t last = 0;
  for (std::size_t i = 0; i < race.schedule.size(); ++i) {
    if (race.schedule[i] >= trace.size()) continue;
    const values::ValueEvent& e = trace.events[race.schedule[i]];
    if (e.thread == thread && is_synchronisation(e.act)) last = i + 1;
  }
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> rest;
  std::vector<std::uint32_t> own;
  std::vector<std::uint32_t> path;
  for (std::size_t i = 0; i < race.schedule.size(); ++i) {
    const std::uint32_t event = race.schedule[i];
    if (event >= trace.size()) {
      path.push_back(event);
    } else if (i >= last && trace.events[event].thread == thread) {
      own.push_back(event);
    } else {
      (i < last ? first : rest).push_back(event);
    }
  }
  const auto holds = [&](const DepartingOrder& order) {
    std::vector<std::uint32_t> schedule = order.before;
    append(schedule, path);
    append(schedule, order.after);
    return relax::replay(trace, turn, schedule, race.first, race.second).has_value();
  };
  DepartingOrder late{.before = first, .after = {}, .why_not = {}};
  append(late.before, rest);
  append(late.before, own);
  if (holds(late)) return late;
  DepartingOrder early{.before = first, .after = rest, .why_not = {}};
  append(early.before, own);
  if (holds(early)) return early;
  return {.before = race.schedule.empty() ? std::vector<std::uint32_t>{} : late.before,
          .after = {},
          .why_not = "the thread that turns would have to stop on its way to the access"};
}

}  // namespace omen::cli
