/// \file
/// Whether findings of two reports are one: the same fingerprint. Fingerprints have no line numbers, so a function may
/// have several races with one fingerprint; in the same build, lines tell them apart.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

bool is_same(const Race& a, const Race& b);
bool is_same(const Deadlock& a, const Deadlock& b);

/// Null: none of them is the same.
template <class Finding>
const Finding* find_same(const std::vector<Finding>& all, const Finding& finding) {
  for (const Finding& one : all) {
    if (is_same(one, finding)) return &one;
  }
  return nullptr;
}

}  // namespace omen::report
