/// \file
/// Return addresses as lines of a log: `frame OFFSET MODULE`.
#pragma once

#include "capture/runtime/schedule/log.hpp"

namespace omen::rt {

/// The path of the program itself.
void program_path(char* path, std::size_t room);

void write_frames(schedule::LogMessage& log, const uptr* places, u32 count);

}  // namespace omen::rt
