/// \file
/// Identifies findings of two reports with each other: they are the same if their fingerprints are. Fingerprints
/// contain no line numbers, so one function may have several races with one fingerprint; if both reports are of the
/// same build, the lines distinguish these.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

bool is_same(const Race& a, const Race& b);
bool is_same(const Deadlock& a, const Deadlock& b);

/// The same finding among these; null: there is none.
template <class Finding>
const Finding* find_same(const std::vector<Finding>& all, const Finding& finding) {
  for (const Finding& one : all) {
    if (is_same(one, finding)) return &one;
  }
  return nullptr;
}

}  // namespace omen::report
