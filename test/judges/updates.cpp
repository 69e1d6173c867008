#include "test/judges/updates.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "test/judges/random.hpp"
#include "trace/error.hpp"
#include "trace/well_formed.hpp"

namespace omen::judges {

Trace with_updates(Trace trace, std::uint64_t seed) {
  Random random(seed);
  const std::size_t share = random.between(20, 90);
  std::size_t more = trace.size() / 2;
  // The event of the trace after which a read is inserted. It follows the thread's last event, so that other threads'
  // events may be between the two halves of an update.
  std::map<std::size_t, std::vector<Event>> behind;
  std::vector<std::optional<std::size_t>> latest(trace.threads());
  std::vector<Event> events = std::move(trace.events);
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& event = events[i];
    std::optional<std::size_t>& before = latest[index(event.thread)];
    const bool marked = can_be_update(event.op) && random.percent(share);
    if (marked && event.op != Op::Write) event.update = random.percent(event.op == Op::Read ? 40 : 80);
    if (marked && event.op == Op::Write) {
      const Event* const last = before ? &events[*before] : nullptr;
      const bool has_read = last != nullptr && last->op == Op::Read && last->operand == event.operand && last->update;
      if (has_read) {
        event.update = true;
      } else if (more > 0 && i > 0 && random.percent(90)) {
        Event read = event;
        read.op = Op::Read;
        read.update = true;
        const bool apart = before && random.percent(40);
        behind[apart ? *before : i - 1].push_back(read);
        event.update = true;
        --more;
      } else {
        event.update = random.percent(5);
      }
    }
    before = i;
  }
  Trace result{{}, std::move(trace.names)};
  WellFormedness rules;
  const auto add = [&](Event event) {
    event.nested = false;
    if (auto legal = rules.check(event, result.names); !legal) internal_error(__FILE__, __LINE__, legal.error());
    result.events.push_back(event);
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    add(events[i]);
    for (const Event& read : behind[i]) add(read);
  }
  return result;
}

}  // namespace omen::judges
