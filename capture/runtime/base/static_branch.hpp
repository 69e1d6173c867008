/// \file
/// A test of a condition that is settled once, before the process has threads, and that nearly no process meets. In the
/// code it is five bytes of no operation: nothing is loaded, compared or predicted. `take_static_branches` replaces
/// each by a jump to the other way. (Linux calls this a static key, or jump label.)
///
/// Each test leaves an entry in the section `omen_static_branches`: the distances from the entry to the bytes and to
/// the way of the condition. The entry is in the group of its function (`?`), so that the linker drops both together,
/// and the section is kept although nothing names it (`R`).
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

/// False: the system does not let code be changed, and nothing was.
bool take_static_branches();

}  // namespace omen::rt
