/// \file
/// What executed reads must see, and what guards ask of them: the part of the encoding in which the models differ.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "relax/expression_encoder.hpp"
#include "relax/model.hpp"
#include "relax/order_terms.hpp"

namespace omen::relax {

class ReadRules {
 public:
  ReadRules(OrderTerms& terms, const Policy& policy, bool artificial_branches);
  ReadRules(const ReadRules&) = delete;
  ReadRules& operator=(const ReadRules&) = delete;

  /// If it is executed, the read sees what its rule allows.
  void read(std::uint32_t i);
  /// If `condition`, the guards let their thread pass.
  void guards(const std::vector<Guard>& all, const z3::expr& condition);

 private:
  void chooses(std::uint32_t i, const z3::expr& condition);
  void has_value(std::uint32_t i, std::uint32_t writer, const z3::expr& chosen);
  z3::expr concrete(std::uint32_t read);
  std::uint32_t last_read(std::uint32_t thread, std::uint32_t count) const;
  z3::expr all_concrete(std::uint32_t read);
  void guard_concretely(const Guard& guard, const z3::expr& condition);
  z3::expr value(std::uint32_t read);
  z3::expr written(std::uint32_t writer, std::uint32_t read);
  z3::expr term_of(values::ValueId id);

  const Execution& execution() const { return terms_.execution; }

  OrderTerms& terms_;
  const Policy& policy_;
  bool artificial_branches_;
  std::vector<std::optional<z3::expr>> concrete_;  ///< of reads: `all_concrete`
  std::optional<ExpressionEncoder> bits_;          ///< for traces with values
};

}  // namespace omen::relax
