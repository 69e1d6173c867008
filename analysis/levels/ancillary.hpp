/// \file
/// SmartTrack's ancillary metadata A^r_x and A^w_x: sections that accessed x, may still order later accesses, and are not
/// named by x's epochs any more. Rare, so it is kept beside the variables and not in them.
///
/// One list per variable serves both maps: A^r_x is the whole list, A^w_x the entries that wrote.
#pragma once

#include <unordered_map>
#include <vector>

#include "analysis/levels/section_table.hpp"

namespace omen {

struct AncillarySection {
  Section* section = nullptr;
  bool wrote = false;
};

class Ancillary {
 public:
  using Entries = std::vector<AncillarySection>;

  bool has(VariableId x) const { return index(x) < has_.size() && has_[index(x)]; }
  Entries& of(VariableId x) { return variables_.find(x)->second; }

  /// Adds a section, or its having written to an entry that is there.
  static void add(Entries& entries, Section* section, bool wrote) {
    for (AncillarySection& entry : entries) {
      if (entry.section == section) {
        entry.wrote |= wrote;
        return;
      }
    }
    entries.push_back({section, wrote});
  }
  void add(VariableId x, Section* section, bool wrote) {
    flag(x, true);
    add(variables_[x], section, wrote);
  }

  /// x's entries become `entries`, which is left with the old ones' memory.
  void replace(VariableId x, Entries& entries) {
    if (entries.empty()) {
      if (has(x)) forget(x);
      return;
    }
    flag(x, true);
    std::swap(variables_[x], entries);
  }

  void forget(VariableId x) {
    if (!has(x)) return;
    variables_.erase(x);
    flag(x, false);
  }

  template <class Visit>
  void for_each_section(Visit visit) const {
    for (const auto& [x, entries] : variables_) {
      for (const AncillarySection& entry : entries) visit(entry.section);
    }
  }

 private:
  void flag(VariableId x, bool value) {
    if (index(x) >= has_.size()) has_.resize(index(x) + 1);
    has_[index(x)] = value;
  }

  std::vector<bool> has_;  ///< one bit a variable, so that the common case does not look into the map
  std::unordered_map<VariableId, Entries> variables_;
};

}  // namespace omen
