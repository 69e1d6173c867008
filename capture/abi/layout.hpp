/// \file
/// The runtime's memory that instrumented code reads and writes inline, without a call. The compiler pass generates
/// code for this layout; the runtime asserts that its types match it. A change of the layout, or of a field's meaning,
/// needs a new version (version.hpp).
#pragma once

#include <cstdint>

namespace omen::abi {

/// A *line* is the shadow of 64 bytes. `__omen_lines` has a word for each region of memory: the offset to add to an
/// address to get its line, or 0 if the region has no lines.
inline constexpr const char* kLinesSymbol = "__omen_lines";
inline constexpr uint64_t kLineSize = 64;
inline constexpr unsigned kRegionShift = 27;
inline constexpr uint64_t kRegions = uint64_t{1} << 21;
/// In a line: the epoch of the last write, followed by the mask of its bytes; the same for the last read.
inline constexpr uint64_t kLineWritten = 0;
inline constexpr uint64_t kLineRead = 16;
inline constexpr uint64_t kBytesBehindEpoch = 8;
/// Thread-local: the thread's epoch in the encoding of lines.
inline constexpr const char* kNowSymbol = "__omen_now";

/// Thread-local: a pointer to the thread's shadow call stack. It begins with a pointer to the top frame and one to the
/// last frame slot.
inline constexpr const char* kStackSymbol = "__omen_stack";
inline constexpr uint64_t kStackTop = 0;
inline constexpr uint64_t kStackLast = 8;
/// A frame: the return address of the function, the machine's stack pointer, the interned node.
inline constexpr uint64_t kFrameSize = 128;
inline constexpr uint64_t kFramePc = 0;
inline constexpr uint64_t kFrameStack = 8;
inline constexpr uint64_t kFrameNode = 16;

}  // namespace omen::abi
