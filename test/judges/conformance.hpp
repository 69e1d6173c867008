/// \file
/// The labelled traces of test/conformance: small random ones, and the executions of Vindicator's figures. Their labels
/// come from other implementations of the definitions.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/judges/relation_oracle.hpp"

namespace omen::judges {

struct LabelledTrace {
  std::string name;  ///< "trace 17" or "vind_Figure1.std"
  Trace trace;
  std::map<Relation, Verdicts> races;  ///< of Hb, Wcp, Dc and Wdc
  std::vector<Pair> ca;                ///< predictable pairs, sorted as the judges sort them
  std::vector<Pair> lw;
};

/// Reads traces.jsonl. Throws std::runtime_error with the problem and its position.
std::vector<LabelledTrace> load_conformance_traces(const std::filesystem::path& jsonl);

/// Reads expected.json and the .std files next to it.
std::vector<LabelledTrace> load_figures(const std::filesystem::path& folder);

}  // namespace omen::judges
