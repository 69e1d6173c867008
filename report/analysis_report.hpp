/// \file
/// What `omen analyze` has to say, before it is text or JSON. One model, a writer per form.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/distinct_races.hpp"
#include "analysis/race_list.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/names.hpp"

namespace omen::report {

/// Feeds both sinks; the full list only where somebody wants it.
class CollectedRaces final : public RaceSink {
 public:
  explicit CollectedRaces(bool every) : every_(every) {}

  void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
    if (!first) first = {access, priors.front()};
    distinct.race(access, priors);
    if (every_) list.race(access, priors);
  }

  struct First {
    RacyAccess access;
    PriorAccess prior;
  };
  std::optional<First> first;
  DistinctRaces distinct;
  RaceList list;

 private:
  bool every_;
};

struct AnalysisResult {
  std::string name;
  const CollectedRaces* races = nullptr;
  double seconds = 0;
};

struct AnalysisReport {
  std::string path;
  std::uint64_t events = 0;
  const Names* names = nullptr;
  std::function<std::string(LocationId)> location;  ///< what to call a place
  /// The function that such a place is in, and the global variable that a variable is; empty: not known. Null: nobody
  /// knows any.
  std::function<std::string(const std::string& place)> function = nullptr;
  std::function<std::string(const std::string& variable)> object = nullptr;
  std::vector<AnalysisResult> results;
};

/// The document of docs/formats.md, "analyze --json". Needs results that kept every race. Written as it is made: a
/// trace with millions of races does not need memory for their text.
std::expected<void, InputError> write_json(const AnalysisReport& report, ByteSink& out);

/// For people: a table of the analyses, then each distinct race once, with which analyses found it. At most `most`
/// races; 0: all.
std::string as_text(const AnalysisReport& report, std::size_t most);

}  // namespace omen::report
