/// \file
/// Every race passes a judge before it is reported. Witnesses of `ca` and `lw` go to the independent checker; witnesses
/// on value traces are executed concretely; those of programs are executed once more by the program's own interpreter.
/// A race that does not re-execute is our own bug: it is dumped, and the process ends with code 70.
#pragma once

#include <memory>

#include "checker/checker.hpp"
#include "relax/model.hpp"
#include "relax/subject.hpp"
#include "relax/verdict.hpp"

namespace omen::relax {

class Judge {
 public:
  Judge(const Subject& subject, Model model);

  /// Fills in what the accesses read and wrote. May be called from several threads at once.
  void confirm(Verdict& race) const;

 private:
  void check(const Verdict& race) const;
  [[noreturn]] void refuse(const Verdict& race, const std::string& why) const;

  const Subject& subject_;
  Model model_;
  std::unique_ptr<values::Projection> projection_;  ///< of a value trace, for the checker
  std::vector<std::uint32_t> projected_;            ///< of each of its events: the index in the projection
  std::unique_ptr<checker::Checker> checker_;
};

}  // namespace omen::relax
