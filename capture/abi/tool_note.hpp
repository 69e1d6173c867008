/// \file
/// The ELF note in a program that names the omen beside the omen-cc that linked it. The driver writes the note; the
/// runtime reads it. Its content is a zero-terminated path.
#pragma once

#include <cstdint>

namespace omen {

inline constexpr char kNoteOwner[] = "Omen";
inline constexpr std::uint32_t kToolNote = 2;
inline constexpr char kToolNoteSection[] = ".note.omen.tool";

}  // namespace omen
