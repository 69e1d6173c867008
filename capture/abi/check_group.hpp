/// \file
/// A check of several accesses within 64 bytes that are on different source lines. The compiler pass writes it into the
/// object; the runtime reads it. The first time in an epoch the runtime checks the members one by one, in order, each
/// with its own place in the program; later it checks all of them at once.
///
/// The place of a member is one byte of code that is never executed, and that the debug information assigns to the
/// member's line and function. So readers of traces and reports need not know about groups.
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
  const char* places;  ///< of the first member; those of the next members follow
  uint64_t count;
  const CheckGroupMember* members() const { return reinterpret_cast<const CheckGroupMember*>(this + 1); }
  /// The place as a return address: the byte after the code.
  uintptr_t place(uint64_t member) const { return reinterpret_cast<uintptr_t>(places) + member + 1; }
};
static_assert(sizeof(CheckGroup) == 32 && sizeof(CheckGroupMember) == 16);

}  // namespace omen::abi
