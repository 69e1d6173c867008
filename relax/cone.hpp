/// \file
/// The cone of influence of a pair: of each thread the prefix that can matter to whether the pair is a race in a model.
/// A witness exists if and only if one exists within the cone, so the encoding is built from it alone.
///
/// It starts with what the racing threads do before the pair and grows to a fixpoint: what an item needs; the end of a
/// section that is entered; and for a read whose result matters, the writes that it may see. Whose result matters is
/// the model's choice. Under `Computed`: a read on which a guard in the cone depends, or a write of the cone to a cell
/// that such a read looks at. Under the other rules: every read.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "relax/execution.hpp"
#include "relax/model.hpp"

namespace omen::relax {

using ItemPair = std::pair<std::uint32_t, std::uint32_t>;

class Cone {
 public:
  Cone(const Execution& execution, ItemPair pair, const Policy& policy);

  /// The pair is no race, whatever the values: one access needs the other, or something that cannot be executed, or
  /// both stand in sections that exclude each other.
  bool impossible() const { return impossible_; }

  /// Items of a thread that are in the cone: its first so many.
  std::uint32_t limit(std::uint32_t thread) const { return limit_[thread]; }
  bool contains(std::uint32_t item) const {
    return execution_.items[item].position < limit_[execution_.items[item].thread];
  }
  /// Every witness executes it.
  bool must(std::uint32_t item) const { return execution_.items[item].position < must_[execution_.items[item].thread]; }
  bool racing(std::uint32_t thread) const {
    return thread == execution_.items[pair_.first].thread || thread == execution_.items[pair_.second].thread;
  }
  /// What the read returns matters.
  bool relevant(std::uint32_t item) const { return relevant_[item]; }
  std::size_t size() const;

 private:
  void must_execute(std::uint32_t item);
  void include(std::uint32_t item);
  void include_up_to(std::uint32_t thread, std::uint32_t count);
  void visit(std::uint32_t item);
  bool may_be_unknown(std::uint32_t cell) const;
  void visit_guards(const std::vector<Guard>& guards);
  void reads_matter(values::ExprId expr);
  void read_matters(std::uint32_t item);
  void write_matters(std::uint32_t item);
  void cell_matters(std::uint32_t cell);

  const Execution& execution_;
  ItemPair pair_;
  const Policy& policy_;
  bool impossible_ = false;
  std::vector<std::uint32_t> limit_;
  std::vector<std::uint32_t> must_;
  std::vector<bool> relevant_;       ///< by item
  std::vector<bool> cell_matters_;   ///< by cell: under `Computed`
  std::vector<bool> value_seen_;     ///< by ValueId
  std::vector<std::uint32_t> work_;  ///< items in the cone whose consequences are not drawn yet
};

/// A write that a read may see under the model's rule, as far as the two alone say.
bool may_see(const Execution& execution, const Policy& policy, std::uint32_t read, std::uint32_t write);

/// CA: what was accessed before either racing access, in conflict with it, other than by its partner.
std::vector<std::uint32_t> earlier_conflicts(const Execution& execution, ItemPair pair);

}  // namespace omen::relax
