/// \file
/// The ELF note of a program that says where omen was when omen-cc linked it: how the driver writes it and the runtime
/// finds it. Its content is a path with a zero at its end.
#pragma once

#include <cstdint>

namespace omen {

inline constexpr char kNoteOwner[] = "Omen";
inline constexpr std::uint32_t kToolNote = 2;
inline constexpr char kToolNoteSection[] = ".note.omen.tool";

}  // namespace omen
