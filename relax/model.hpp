/// \file
/// The ladder of feasibility models (docs/relaxation.md), and of each what it asks: a policy, read by the one encoding.
///
/// Each model says when a reordered prefix of a recorded execution is still an execution of the program. Each admits
/// all that the one before it admits, and each is sound. From `Value` on, they need a trace with values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace omen::relax {

enum class Model : std::uint8_t { Ca, Lw, Value, Control, Relax, Paths };
inline constexpr std::size_t kModelCount = 6;
inline constexpr std::array kModels{Model::Ca, Model::Lw, Model::Value, Model::Control, Model::Relax, Model::Paths};

/// What a read that is executed before the race has to see.
enum class ReadRule : std::uint8_t {
  Writer,    ///< its recorded last writer
  Recorded,  ///< its recorded value, whoever wrote it
  Guarded,   ///< its recorded value, if a later branch or fixed value of its thread is executed
  Computed,  ///< whatever was written last; what is computed from it leads every branch the recorded way
};

/// One row of the ladder.
struct Policy {
  std::string_view name;
  ReadRule reads;
  bool keeps_conflicts;  ///< conflicting accesses keep their order, and none is executed without its earlier partners
  bool needs_values;
  bool turns_branches;
};

inline constexpr std::array<Policy, kModelCount> kPolicies{{
    {"ca", ReadRule::Writer, true, false, false},
    {"lw", ReadRule::Writer, false, false, false},
    {"value", ReadRule::Recorded, false, true, false},
    {"control", ReadRule::Guarded, false, true, false},
    {"relax", ReadRule::Computed, false, true, false},
    {"paths", ReadRule::Computed, false, true, true},
}};

constexpr const Policy& policy(Model model) {
  return kPolicies[static_cast<std::size_t>(model)];
}
constexpr std::string_view name(Model model) {
  return policy(model).name;
}
constexpr std::optional<Model> parse_model(std::string_view name) {
  for (const Model model : kModels) {
    if (policy(model).name == name) return model;
  }
  return std::nullopt;
}

}  // namespace omen::relax
