/// \file
/// Counts the accesses of a recorded trace by source position.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/source_places.hpp"
#include "trace/event.hpp"

namespace omen::cli {

class PlaceCounts {
 public:
  explicit PlaceCounts(SourcePlaces& places) : places_(places), accesses_(places.info().stacks.size(), 0) {}

  void add(std::span<const Event> events);

  std::string as_text();
  void add_to(nlohmann::ordered_json& json);

 private:
  static constexpr std::size_t kShown = 10;

  /// Source positions and their numbers of accesses, the largest number first.
  std::vector<std::pair<std::string, std::uint64_t>> by_place();

  SourcePlaces& places_;
  std::vector<std::uint64_t> accesses_;  ///< by stack node
};

}  // namespace omen::cli
