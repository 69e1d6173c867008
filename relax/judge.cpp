#include "relax/judge.hpp"

#include <fmt/format.h>

namespace omen::relax {

Judge::Judge(const Subject& subject, Model model) : subject_(subject), model_(model) {
  if (policy(model).reads != ReadRule::Writer) return;
  if (subject.plain != nullptr) {
    checker_ = std::make_unique<checker::Checker>(*subject.plain);
    return;
  }
  projection_ = std::make_unique<values::Projection>(values::project(*subject.values));
  projected_.resize(subject.size(), kNone);
  for (std::uint32_t i = 0; i < projection_->event.size(); ++i) projected_[projection_->event[i]] = i;
  checker_ = std::make_unique<checker::Checker>(projection_->trace);
}

void Judge::confirm(Verdict& race) const {
  if (checker_) check(race);
  if (subject_.values == nullptr) return;
  auto replayed = replay(*subject_.values, race.turned.turn(), race.schedule, race.first, race.second);
  if (!replayed) refuse(race, replayed.error());
  race.accesses = std::move(replayed->accesses);
  const ReadRule rule = policy(model_).reads;
  if (rule == ReadRule::Writer || rule == ReadRule::Recorded) {
    for (const Observed& access : race.accesses) {
      if (access.value != subject_.values->events[access.event].recorded) {
        refuse(race, fmt::format("event {} has the value {}", access.event, access.value));
      }
    }
  }
  if (subject_.reexecutor == nullptr) return;
  const auto ran = subject_.reexecutor->run(replayed->witness, *subject_.values);
  if (!ran) refuse(race, "the program: " + ran.error());
}

void Judge::check(const Verdict& race) const {
  std::vector<std::uint32_t> witness;
  const auto add = [&](std::uint32_t event) { witness.push_back(projection_ ? projected_[event] : event); };
  for (const std::uint32_t event : race.schedule) add(event);
  add(race.first);
  add(race.second);
  if (const auto accepted = checker_->accepts(witness); !accepted) refuse(race, accepted.error().reason);
}

void Judge::refuse(const Verdict& race, const std::string& why) const {
  std::string dump =
      fmt::format("a race under {} does not re-execute: {}\n  pair {} {}, turned branch {}, schedule:", name(model_),
                  why, race.first, race.second, race.turned.branch);
  for (const std::uint32_t event : race.schedule) {
    dump += fmt::format("\n  {} ", event);
    dump += subject_.plain != nullptr
                ? to_text(subject_.plain->events[event], subject_.plain->names)
                : to_text(event_at(*subject_.values, race.turned.turn(), event), *subject_.values);
  }
  internal_error(__FILE__, __LINE__, dump);
}

}  // namespace omen::relax
