/// \file
/// The output of `omen relax`: text with schedules as columns and differing values, and JSON.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "relax/predict.hpp"

namespace omen::cli {

struct RelaxTextOptions {
  std::uint64_t most = 20;  ///< of candidates; 0: all
  bool excluded = false;    ///< also impossible ones
};

/// Prints to standard output.
void print(const relax::Subject& subject, const relax::Settings& settings, const std::vector<relax::Verdict>& verdicts,
           const RelaxTextOptions& options);

/// Writes to a file; `-` is standard output. `input` is the input's path in the document.
std::expected<void, InputError> write_json(const std::string& path, const std::string& input,
                                           const relax::Subject& subject, const relax::Settings& settings,
                                           const std::vector<relax::Verdict>& verdicts);

}  // namespace omen::cli
