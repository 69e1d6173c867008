/// \file
/// The results of `omen mini` about a run and an exploration, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mini/explore.hpp"
#include "mini/run.hpp"

namespace omen::cli {

/// `p.mini:3:7: T1: division by zero`; for a deadlock one line per thread that has not ended.
std::string describe(const mini::Run& run, const mini::Machine& machine);
nlohmann::ordered_json to_json(const mini::Run& run, const mini::Machine& machine, const std::string& path);

/// At most `most` findings of each kind; 0: all.
std::string describe(const mini::Exploration& found, const mini::Code& code, std::string_view method, std::size_t most);
nlohmann::ordered_json to_json(const mini::Exploration& found, const mini::Code& code, const std::string& path,
                               std::string_view method);

/// A value as the language writes it.
std::string value_text(mini::Scalar type, std::uint64_t value);

}  // namespace omen::cli
