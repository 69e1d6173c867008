/// \file
/// Instructions that refer to an entry of a linkage table: which they are, and how those that only call are led
/// elsewhere.
#pragma once

#include "capture/runtime/foreign/known_modules.hpp"

namespace omen::rt {

/// An entry of a linkage table.
struct Slot {
  uptr* entry;
  uptr value;    ///< where its calls are to lead
  bool called;   ///< by an instruction that does nothing else with it
  bool is_data;  ///< some instruction takes the address
};

/// Says of each whether it is called, and whether it is data.
void find_uses(const LoadedModule& module, Slot* slots, u32 count);

/// Of entries that are both: leaves them as they are, and leads the instructions that call over entries of our own. No
/// page is ever both writable and executable: those that change are replaced as a whole. False: some could not be
/// changed.
bool divert_call_sites(const LoadedModule& module, const Slot* slots, u32 count);

}  // namespace omen::rt
