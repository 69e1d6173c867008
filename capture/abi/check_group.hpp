/// \file
/// A check of several accesses within 64 bytes that are on different source lines, as the compiler pass writes it into
/// an object and the runtime reads it. The first time in an epoch the runtime looks at the members one by one, in their
/// order, each with a place in the program of its own; later, at all of them at once.
///
/// The place of a member is one byte of code that nobody runs, which the debug information says to be of the member's
/// line, in the member's function. So whatever reads a trace or a report needs to know nothing of groups.
#pragma once

#include <cstdint>

namespace omen::abi {

struct CheckGroupMember {
  uint64_t mask;  ///< bit i: the byte `base + i`
  uint64_t is_write;
};

struct CheckGroup {
  uint64_t read;  ///< the masks of all members that read
  uint64_t written;
  const char* places;  ///< of the first member; the next ones' follow it
  uint64_t count;
  const CheckGroupMember* members() const { return reinterpret_cast<const CheckGroupMember*>(this + 1); }
  /// As a return address: the place that is behind the code.
  uintptr_t place(uint64_t member) const { return reinterpret_cast<uintptr_t>(places) + member + 1; }
};
static_assert(sizeof(CheckGroup) == 32 && sizeof(CheckGroupMember) == 16);

}  // namespace omen::abi
