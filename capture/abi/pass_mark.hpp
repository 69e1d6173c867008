/// \file
/// Marks objects that were compiled with omen's compiler pass by a section, which the linked file inherits from all of
/// its objects. The pass knows whether a read's value is used (docs/placement.md, "Updates"); for other versions of GCC
/// and clang there is no pass.
#pragma once

namespace omen::abi {

#define OMEN_PASS_SECTION ".omen.pass"
#define OMEN_NO_PASS_SECTION ".omen.no_pass"

/// Assembly for an object: one byte in each linked module, retained although nothing refers to it.
#define OMEN_PASS_MARK(section) \
  "\t.pushsection\t" section ",\"aGR\",@progbits," section ".mark,comdat\n\t.byte\t1\n\t.popsection\n"

inline constexpr const char* kPassMark = OMEN_PASS_MARK(OMEN_PASS_SECTION);
inline constexpr const char* kNoPassMark = OMEN_PASS_MARK(OMEN_NO_PASS_SECTION);

}  // namespace omen::abi
