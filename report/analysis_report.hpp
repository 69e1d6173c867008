/// \file
/// The results of `omen analyze`: one model, from which a writer each makes text and JSON.
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

/// Collects distinct races; every single race only if the caller asks for the full list.
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
  std::function<std::string(LocationId)> location;  ///< the text of a source location
  /// The function at a location's text, and the global variable that a variable is; empty: unknown. Null: the trace has
  /// no recorder's data.
  std::function<std::string(const std::string& place)> function = nullptr;
  std::function<std::string(const std::string& variable)> object = nullptr;
  std::vector<AnalysisResult> results;
};

/// The document of docs/formats.md, "analyze --json". Requires results that stored every race. Streams: the text of
/// millions of races is never in memory as a whole.
std::expected<void, InputError> write_json(const AnalysisReport& report, ByteSink& out);

/// Text for people: a table of the analyses, then each distinct race once, with the analyses that found it. Shows at
/// most `most` races; 0: all.
std::string as_text(const AnalysisReport& report, std::size_t most);

}  // namespace omen::report
