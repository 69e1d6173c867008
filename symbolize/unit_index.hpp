/// \file
/// DWARF 2 to 5: the functions that contain an address, including inlined ones, and their lines.
///
/// libdw finds a compilation unit by `.debug_aranges`, which clang does not write, so this class collects the units'
/// own ranges. It collects a unit's functions at the first address in it. Damaged information yields fewer frames;
/// every walk is bounded.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolize/frame.hpp"

namespace omen::symbolize {

class UnitIndex {
 public:
  /// `debug` must outlive the index.
  explicit UnitIndex(Dwarf* debug);

  /// Innermost first. Sets function, source position and `inlined`.
  std::vector<Frame> frames(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  ///< the first address after
    std::size_t what = 0;    ///< a unit, or a function of a unit
  };
  struct Unit {
    Dwarf_Die lines{};      ///< the unit that the line table belongs to
    Dwarf_Die functions{};  ///< the same, or its other half in a file of its own (-gsplit-dwarf)
    bool walked = false;
    std::vector<Dwarf_Die> found;
    std::vector<Range> ranges;  ///< of `found`, by address
  };

  static void add_ranges(Dwarf_Die& die, std::size_t what, std::vector<Range>& ranges);
  static const Range* find(const std::vector<Range>& ranges, std::uint64_t address);
  void collect(Unit& unit, Dwarf_Die& parent, int depth, std::size_t& steps) const;
  static void collect_inlined(Dwarf_Die& parent, std::uint64_t address, std::vector<Dwarf_Die>& chain);
  const std::string& name(Dwarf_Die& die);

  std::vector<Unit> units_;
  std::vector<Range> ranges_;                           ///< of units, by address
  std::unordered_map<const void*, std::string> names_;  ///< of functions, by their entry in memory
};

}  // namespace omen::symbolize
