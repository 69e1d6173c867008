#include "symbolize/unit_index.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "symbolize/demangle.hpp"

namespace omen::symbolize {
namespace {

// Bounds that only damaged information reaches.
constexpr int kDeepest = 128;
constexpr std::size_t kMostSteps = std::size_t{1} << 24;
constexpr std::size_t kMostRanges = std::size_t{1} << 24;

/// Code that the linker dropped is described at address 0.
constexpr std::uint64_t kLowestCode = 16;

std::uint32_t number(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, attribute, &found) == nullptr || dwarf_formudata(&found, &value) != 0) return 0;
  return static_cast<std::uint32_t>(std::min<Dwarf_Word>(value, UINT32_MAX));
}

const char* text(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  return dwarf_formstring(dwarf_attr_integrate(&die, attribute, &found));
}

/// The entry that stands in the function's namespace or class: an inlined or separate body refers to it.
Dwarf_Die declaration(Dwarf_Die die) {
  for (int i = 0; i < kDeepest; ++i) {
    Dwarf_Attribute found;
    Dwarf_Die other;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &found) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &found) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&found, &other) == nullptr) break;
    die = other;
  }
  return die;
}

/// `space::type::f`, for functions without a linkage name.
std::string qualified(Dwarf_Die& die) {
  const char* own = text(die, DW_AT_name);
  std::string name = own == nullptr ? "" : own;
  if (name.empty()) return name;
  Dwarf_Die start = declaration(die);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&start, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  for (int i = 1; i < count; ++i) {
    Dwarf_Die& scope = scopes[i];
    switch (dwarf_tag(&scope)) {
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_subprogram: {
        const char* outer = text(scope, DW_AT_name);
        const bool space = dwarf_tag(&scope) == DW_TAG_namespace;
        const char* const unnamed = name.starts_with("operator()") ? "{lambda}" : "{unnamed}";
        name.insert(0, "::").insert(0, outer != nullptr ? outer : space ? "(anonymous namespace)" : unnamed);
        break;
      }
      default:
        break;
    }
  }
  return name;
}

/// A name from the unit's table of files, whole. libdw leaves names relative where GCC was given a relative one: they
/// are below the folder in which the unit was compiled. A relative folder, as distributions write it, leads nowhere.
std::string whole_path(const char* name, Dwarf_Die& unit) {
  if (name == nullptr) return {};
  std::filesystem::path path(name);
  const char* const folder = path.is_absolute() ? nullptr : text(unit, DW_AT_comp_dir);
  if (folder != nullptr && *folder == '/') path = folder / path;
  return path.lexically_normal().string();
}

}  // namespace

UnitIndex::UnitIndex(Dwarf* debug) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  Dwarf_Die other;
  std::uint8_t kind = 0;
  while (dwarf_get_units(debug, unit, &unit, nullptr, &kind, &die, &other) == 0) {
    if (kind != DW_UT_compile && kind != DW_UT_skeleton && kind != DW_UT_partial) continue;
    if (units_.size() >= kMostRanges || ranges_.size() >= kMostRanges) break;
    Unit one;
    one.lines = die;
    one.functions = kind == DW_UT_skeleton && other.addr != nullptr ? other : die;
    add_ranges(die, units_.size(), ranges_);
    units_.push_back(std::move(one));
  }
  std::ranges::sort(ranges_, {}, &Range::low);
}

void UnitIndex::add_ranges(Dwarf_Die& die, std::size_t what, std::vector<Range>& ranges) {
  Dwarf_Addr base = 0;
  Dwarf_Addr low = 0;
  Dwarf_Addr high = 0;
  std::ptrdiff_t at = 0;
  while (ranges.size() < kMostRanges && (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0) {
    if (low >= kLowestCode && low < high) ranges.push_back({low, high, what});
  }
}

const UnitIndex::Range* UnitIndex::find(const std::vector<Range>& ranges, std::uint64_t address) {
  // Ranges of units, and of functions, do not overlap; of those within others the last to begin is innermost.
  constexpr int kOverlapping = 16;
  auto after = std::ranges::upper_bound(ranges, address, {}, &Range::low);
  for (int tries = 0; after != ranges.begin() && tries < kOverlapping; ++tries) {
    --after;
    if (address < after->high) return &*after;
  }
  return nullptr;
}

void UnitIndex::collect(Unit& unit, Dwarf_Die& parent, int depth, std::size_t& steps) const {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&parent, &child) != 0) return;
  do {
    if (++steps > kMostSteps) return;
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        add_ranges(child, unit.found.size(), unit.ranges);
        unit.found.push_back(child);
        [[fallthrough]];
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_lexical_block:
        collect(unit, child, depth + 1, steps);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void UnitIndex::collect_inlined(Dwarf_Die& parent, std::uint64_t address, std::vector<Dwarf_Die>& chain) {
  Dwarf_Die level = parent;
  Dwarf_Die child;
  std::size_t steps = 0;
  for (int depth = 0; depth < kDeepest && dwarf_child(&level, &child) == 0; ++depth) {
    bool deeper = false;
    do {
      if (++steps > kMostSteps) return;
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
      if (dwarf_haspc(&child, address) != 1) continue;
      if (tag == DW_TAG_inlined_subroutine) chain.push_back(child);
      level = child;
      deeper = true;
      break;
    } while (dwarf_siblingof(&child, &child) == 0);
    if (!deeper) return;
  }
}

const std::string& UnitIndex::name(Dwarf_Die& die) {
  const auto [entry, is_new] = names_.try_emplace(die.addr);
  if (!is_new) return entry->second;
  const char* linkage = text(die, DW_AT_linkage_name);
  if (linkage == nullptr) linkage = text(die, DW_AT_MIPS_linkage_name);
  entry->second = linkage != nullptr ? demangled(linkage) : qualified(die);
  return entry->second;
}

std::vector<Frame> UnitIndex::frames(std::uint64_t address) {
  std::vector<Frame> frames;
  const Range* range = find(ranges_, address);
  if (range == nullptr) return frames;
  Unit& unit = units_[range->what];
  if (!unit.walked) {
    unit.walked = true;
    std::size_t steps = 0;
    collect(unit, unit.functions, 0, steps);
    std::ranges::sort(unit.ranges, {}, &Range::low);
  }
  std::vector<Dwarf_Die> chain;  // the function, then what is inlined into it, outermost first
  if (const Range* function = find(unit.ranges, address); function != nullptr) {
    chain.push_back(unit.found[function->what]);
    collect_inlined(unit.found[function->what], address, chain);
  }

  Frame place;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit.lines, address); line != nullptr) {
    int value = 0;
    place.file = whole_path(dwarf_linesrc(line, nullptr, nullptr), unit.lines);
    if (dwarf_lineno(line, &value) == 0 && value > 0) place.line = static_cast<std::uint32_t>(value);
    if (dwarf_linecol(line, &value) == 0 && value > 0) place.column = static_cast<std::uint32_t>(value);
  }
  if (chain.empty()) {
    if (place.has_source()) frames.push_back(place);
    return frames;
  }
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  if (dwarf_getsrcfiles(&unit.functions, &files, &file_count) != 0) files = nullptr;
  for (std::size_t i = chain.size(); i-- > 0;) {
    Dwarf_Die& die = chain[i];
    place.function = name(die);
    place.inlined = i > 0;
    frames.push_back(place);
    if (i == 0) break;
    const std::uint32_t file = number(die, DW_AT_call_file);
    const bool known = files != nullptr && file < file_count;
    place.file = known ? whole_path(dwarf_filesrc(files, file, nullptr, nullptr), unit.lines) : "";
    place.line = number(die, DW_AT_call_line);
    place.column = number(die, DW_AT_call_column);
  }
  return frames;
}

}  // namespace omen::symbolize
