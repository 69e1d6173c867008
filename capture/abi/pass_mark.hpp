/// \file
/// Which objects of a program were compiled with omen's compiler pass: a section of each object says it, and the linked
/// file has the sections of all its objects. The pass knows whether a read's value goes anywhere (docs/placement.md,
/// "Updates"); a GCC or clang of another version has no such pass.
#pragma once

namespace omen::abi {

#define OMEN_PASS_SECTION ".omen.pass"
#define OMEN_NO_PASS_SECTION ".omen.no_pass"

/// Assembly of an object, one byte for each linked module. Retained where the linker drops what nothing uses.
#define OMEN_PASS_MARK(section) \
  "\t.pushsection\t" section ",\"aGR\",@progbits," section ".mark,comdat\n\t.byte\t1\n\t.popsection\n"

inline constexpr const char* kPassMark = OMEN_PASS_MARK(OMEN_PASS_SECTION);
inline constexpr const char* kNoPassMark = OMEN_PASS_MARK(OMEN_NO_PASS_SECTION);

}  // namespace omen::abi
