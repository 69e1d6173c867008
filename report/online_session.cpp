#include "report/online_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <unordered_set>

#include "analysis/registry.hpp"
#include "report/race_text.hpp"
#include "report/uninstrumented.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

InputError log_error(std::uint64_t process, std::string message) {
  return {fmt::format("{}{}", online_log::kLogFile, process), "", std::move(message)};
}

}  // namespace

TextStyle OnlineSession::style_of(const RunOptions& options) const {
  if (outside_.style) return outside_.style(options);
  return {.strip_path_prefix = options.strip_path_prefix, .summary = options.print_summary};
}

std::expected<void, InputError> OnlineSession::begin(std::uint64_t process, const online::Begin& message) {
  const AnalysisInfo* const analysis = find_analysis(message.analysis);
  if (analysis == nullptr) {
    return std::unexpected(log_error(process, fmt::format("there is no analysis {}", quoted(message.analysis))));
  }
  auto image = std::make_unique<Image>(process, std::string(analysis->relation), outside_.is_running);
  auto options = outside_.options_of("");
  if (!options) return std::unexpected(std::move(options.error()));
  image->options = std::move(*options);
  current_[process] = image.get();
  images_.push_back(std::move(image));
  return {};
}

void OnlineSession::set_aside(Image& image, std::uint64_t number, Race race) {
  const auto [entry, is_new] = image.known_before_at.try_emplace(OnlineProcess::key(race), image.known_before.size());
  numbers_[number] = {&image.known_before, entry->second, race.count};
  if (is_new) {
    image.known_before.push_back(std::move(race));
    return;
  }
  Race& known = image.known_before[entry->second];
  const std::uint64_t count = known.count + race.count;
  if (race.observed && !known.observed) known = std::move(race);
  known.count = count;
}

std::expected<bool, InputError> OnlineSession::report(Image& image, std::uint64_t number, Race race) {
  const auto [entry, is_new] = image.known.try_emplace(OnlineProcess::key(race), image.races.size());
  numbers_[number] = {&image.races, entry->second, race.count};
  if (is_new) {
    RunReport head;
    head.process = image.process.id();
    if (&image != images_.front().get()) {
      auto facts = image.process.facts();
      if (facts.command != images_.front()->process.facts().command) race.origin.command = std::move(facts.command);
    }
    const std::string text = race_text(race, head, style_of(image.options));
    image.races.push_back(std::move(race));
    if (auto ok = outside_.print(text, image.options, head.process); !ok) return std::unexpected(std::move(ok.error()));
    return true;
  }
  Race& shown = image.races[entry->second];
  const std::uint64_t count = shown.count + race.count;
  const bool now_observed = race.observed && !shown.observed;
  if (now_observed) shown = std::move(race);
  shown.count = count;
  if (now_observed) {
    const std::string text = finding_text(shown, style_of(image.options));
    if (auto ok = outside_.print(text, image.options, image.process.id()); !ok) {
      return std::unexpected(std::move(ok.error()));
    }
  }
  return false;
}

bool OnlineSession::is_of_uninstrumented(const Race& race) {
  RunReport one;
  one.races.push_back(race);
  return remove_uninstrumented(one) != 0;
}

std::expected<void, InputError> OnlineSession::race(Image& image, const online::Race& message) {
  auto judgement = online::Judgement::NotReported;
  if (image.options.report_bugs && !image.halted) {
    Race race = image.process.race(message);
    if (image.options.ignore_noninstrumented_modules && is_of_uninstrumented(race)) {
      outside_.judge(message.number, judgement);
      return {};
    }
    if (suppressions_.covers(race)) {
      numbers_[message.number] = {&suppressed_, suppressed_.size(), race.count};
      suppressed_.push_back(std::move(race));
    } else if (outside_.is_known && outside_.is_known(race)) {
      set_aside(image, message.number, std::move(race));
    } else {
      const auto is_new = report(image, message.number, std::move(race));
      if (!is_new) return std::unexpected(is_new.error());
      if (*is_new) judgement = image.options.halt_on_error ? online::Judgement::End : online::Judgement::Reported;
    }
  }
  image.halted |= judgement == online::Judgement::End;
  outside_.judge(message.number, judgement);
  return {};
}

void OnlineSession::repeat(const online::Repeat& message) {
  const auto found = numbers_.find(message.number);
  if (found == numbers_.end() || message.count < found->second.count) return;
  Counted& counted = found->second;
  (*counted.races)[counted.at].count += message.count - counted.count;
  counted.count = message.count;
}

std::expected<void, InputError> OnlineSession::take(std::uint64_t process, const online::Message& message) {
  if (const auto* const begins = std::get_if<online::Begin>(&message)) return begin(process, *begins);
  const auto found = current_.find(process);
  if (found == current_.end()) return std::unexpected(log_error(process, "expected a beginning first"));
  Image& image = *found->second;
  return std::visit(
      [&]<class M>(const M& one) -> std::expected<void, InputError> {
        if constexpr (std::is_same_v<M, online::Race>) {
          return race(image, one);
        } else if constexpr (std::is_same_v<M, online::Repeat>) {
          repeat(one);
        } else if constexpr (!std::is_same_v<M, online::Begin>) {
          image.process.take(one);
        }
        if constexpr (std::is_same_v<M, online::Note>) {
          return outside_.print(fmt::format("OmenRaceDetector: {}\n", on_one_line(one.text)), image.options,
                                image.process.id());
        }
        if constexpr (std::is_same_v<M, online::OwnSuppressions>) {
          if (images_.size() > 1) return {};  // forked processes define the same ones
          return suppressions_.add_text(one.text, "__tsan_default_suppressions");
        }
        if constexpr (std::is_same_v<M, online::Options>) {
          auto options = outside_.options_of(one.text);
          if (!options) return std::unexpected(std::move(options.error()));
          image.options = std::move(*options);
        }
        return {};
      },
      message);
}

std::vector<OnlineSession::Ran> OnlineSession::all(std::uint64_t first) const {
  std::vector<Ran> result;
  for (const bool of_first : {true, false}) {
    for (const auto& image : images_) {
      if ((image->process.id() == first) != of_first) continue;
      result.push_back({image->process.facts(), image->known_before, image->options, image->process.modules()});
      result.back().report.races = image->races;
    }
  }
  return result;
}

std::size_t OnlineSession::count_suppressed() {
  for (const Race& race : suppressed_) suppressions_.match(race);
  return suppressed_.size();
}

RunReport with_record(RunReport online, RunReport recorded) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < online.races.size(); ++i) known.emplace(OnlineProcess::key(online.races[i]), i);
  for (Race& race : recorded.races) {
    const auto found = known.find(OnlineProcess::key(race));
    if (found == known.end()) {
      online.races.push_back(std::move(race));
      continue;
    }
    Race& shown = online.races[found->second];
    race.online = true;
    if (shown.observed) {
      race.observed = true;
      race.found_by = shown.found_by;
    }
    race.count = std::max(race.count, shown.count);
    shown = std::move(race);
  }
  // The record proves that this prediction of the online detector is no race.
  std::unordered_map<std::string, Race*> excluded;
  for (Race& race : recorded.unconfirmed) {
    if (race.excluded) excluded.emplace(OnlineProcess::key(race), &race);
  }
  std::erase_if(online.races, [&](const Race& race) {
    if (!race.online || race.observed || race.confirmed) return false;
    const auto found = excluded.find(OnlineProcess::key(race));
    if (found == excluded.end()) return false;
    found->second->online = true;
    return true;
  });
  // An undecided prediction is reported as predicted, so it is not counted as unknown as well.
  std::unordered_set<std::string> reported;
  for (const Race& race : online.races) reported.insert(OnlineProcess::key(race));
  recorded.unknown -= std::erase_if(recorded.unconfirmed, [&](const Race& race) {
    return !race.excluded && reported.contains(OnlineProcess::key(race));
  });
  recorded.races = std::move(online.races);
  recorded.counters = std::move(online.counters);
  for (std::string& note : online.notes) {
    if (std::ranges::find(recorded.notes, note) == recorded.notes.end()) recorded.notes.push_back(std::move(note));
  }
  return recorded;
}

}  // namespace omen::report
