/// \file
/// What `omen relax` says: as text, with schedules as columns and the values that differ, and as JSON.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "relax/predict.hpp"

namespace omen::cli {

struct RelaxTextOptions {
  std::uint64_t most = 20;  ///< candidates; 0: all
  bool excluded = false;    ///< those too that are impossible
};

/// To standard output.
void print(const relax::Subject& subject, const relax::Settings& settings, const std::vector<relax::Verdict>& verdicts,
           const RelaxTextOptions& options);

/// To a file; `-` is standard output. `input` is the path that the document names.
std::expected<void, InputError> write_json(const std::string& path, const std::string& input,
                                           const relax::Subject& subject, const relax::Settings& settings,
                                           const std::vector<relax::Verdict>& verdicts);

}  // namespace omen::cli
