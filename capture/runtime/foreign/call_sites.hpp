/// \file
/// Finds instructions that refer to an entry of a linkage table, and redirects those that only call.
#pragma once

#include "capture/runtime/foreign/known_modules.hpp"

namespace omen::rt {

/// An entry of a linkage table.
struct Slot {
  uptr* entry;
  uptr value;    ///< the new target of its calls
  bool called;   ///< an instruction calls through it, and does nothing else with it
  bool is_data;  ///< some instruction takes the address
};

/// Sets `called` and `is_data` of each slot.
void find_uses(const LoadedModule& module, Slot* slots, u32 count);

/// For entries that are both: leaves them unchanged, and redirects the calling instructions to entries of our own. No
/// page is ever both writable and executable: changed pages are replaced as a whole. False: some could not be changed.
bool divert_call_sites(const LoadedModule& module, const Slot* slots, u32 count);

}  // namespace omen::rt
