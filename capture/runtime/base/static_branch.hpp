/// \file
/// A test of a condition that is decided once, before the process has threads, and is false in nearly every process. In
/// the code it is a five-byte no-op: nothing is loaded, compared or predicted. `take_static_branches` replaces each one
/// by a jump to the other branch. (Linux calls this a static key, or jump label.)
///
/// Each test adds an entry to the section `omen_static_branches`: the distances from the entry to the no-op and to the
/// jump target. The entry is in the group of its function (`?`), so that the linker drops both together, and the
/// section is retained although nothing refers to it (`R`).
#pragma once

#include "capture/runtime/base/platform.hpp"

namespace omen::rt {

/// True after `take_static_branches`.
OMEN_INLINE bool static_branch_is_taken() {
  asm inline goto(
      "1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
      ".pushsection omen_static_branches, \"aR?\", @progbits\n"
      ".balign 4\n"
      ".long 1b - ., %l[taken] - .\n"
      ".popsection"
      :
      :
      :
      : taken);
  return false;
taken:
  return true;
}

/// False: the system does not allow changes of code, and none was made.
bool take_static_branches();

}  // namespace omen::rt
