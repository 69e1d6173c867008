#include "cli/first_look.hpp"

namespace omen::cli {

std::expected<void, std::string> FirstLook::take(std::span<Event> events, const Names& names) {
  for (Event& event : events) {
    if (auto well_formed = rules_.check(event, names); !well_formed) [[unlikely]]
      return well_formed;
  }
  if (!sink_.found) analysis_->run(events);
  for (const Event& event : events) {
    if (!beyond_relations_ || sink_.found) break;
    pairs_.take(event, next_++, [&](vindicate::Pair) { sink_.found = true; });
  }
  return {};
}

}  // namespace omen::cli
