/// \file
/// The plan of a replay, read from the file that `omen replay` wrote: threads, places, steps, and the two accesses
/// of the race. The format is in docs/formats.md, "The plan of a replay".
#pragma once

#include "capture/runtime/base/platform.hpp"
#include "capture/runtime/schedule/order.hpp"

namespace omen::rt::schedule {

/// A return address, as module and offset.
struct PlannedPlace {
  u32 module;
  u64 offset;
};

enum class MemoryKind : u8 {
  Any,     ///< only the code location is known
  Global,  ///< a module and an offset
  Heap,    ///< the n-th block that a thread allocates at a place, and an offset
  Stack,   ///< below the top of a thread's stack
};

struct PlannedMemory {
  MemoryKind kind = MemoryKind::Any;
  u32 owner = 0;   ///< the module, or the thread
  u32 place = 0;   ///< of the allocation
  u32 nth = 0;     ///< from 0
  u64 offset = 0;  ///< of the first byte
  u64 bytes = 0;
};

/// One of the two accesses.
struct Target {
  u32 thread = 0;
  u32 place = 0;
  bool at_point = false;  ///< it is a scheduling point, not a plain access
  bool passes = false;    ///< it is not held: it executes first, whichever order is chosen
  PlannedMemory memory;
};

/// The location of a deadlocked thread's request.
struct PlannedWait {
  u32 thread;
  u32 place;
};

struct Plan {
  struct Thread {
    u32 creator;
    u32 nth;  ///< of the threads that its creator creates, from 0
    Route route;
  };

  const char* log = nullptr;       ///< a path
  u32 first = 0;                   ///< which of the two accesses executes first
  bool hold = false;               ///< a debugger decides when they execute
  u32 patience = 10;               ///< seconds without a step after which the replay is abandoned
  const char** modules = nullptr;  ///< paths; the first is the program itself
  u32 module_count = 0;
  PlannedPlace* places = nullptr;  ///< by number; 0 is none
  u32 place_count = 0;
  Thread* threads = nullptr;
  u32 thread_count = 0;
  u32* owners = nullptr;  ///< by turn: the thread
  u32 steps = 0;
  Target targets[2];             ///< for a race
  PlannedWait* waits = nullptr;  ///< for a deadlock, which has no targets
  u32 wait_count = 0;

  /// False: the file cannot be read, or is not a plan.
  bool read(const char* path);
};

}  // namespace omen::rt::schedule
