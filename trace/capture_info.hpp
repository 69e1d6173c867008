/// \file
/// The data of a recorder besides the events: stacks, modules, threads and heap blocks, from which a report derives
/// source positions. Stored in optional sections of a `.omen` file (docs/formats.md).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "trace/error.hpp"
#include "trace/ids.hpp"
#include "trace/point_kind.hpp"

namespace omen {

/// A call stack is a node and its parents. The location of a recorded event is the number of a node (`kNumericLocation
/// | node`); node 0 is the empty stack, and means unknown.
struct StackNode {
  std::uint32_t parent = 0;  ///< always a smaller number
  std::uint64_t pc = 0;      ///< a return address in the running program: the call itself precedes it
};

struct Module {
  std::uint64_t begin = 0;  ///< first and last mapped address, in the running program
  std::uint64_t end = 0;
  std::uint64_t bias = 0;  ///< subtracted from an address to get the file's own
  std::string path;
  std::string build_id;  ///< hexadecimal, empty if there is none
};

/// The thread's position in the table is its `ThreadId`.
struct ThreadInfo {
  std::string name;                  ///< as the program set it; may be empty
  std::optional<ThreadId> creator;   ///< none: the main thread, or one whose creation was not seen
  std::uint32_t creation_stack = 0;  ///< a node
  std::uint64_t system_id = 0;
};

/// Memory that the program allocated. The newest block that covers an address at some event describes it.
struct HeapBlock {
  std::uint64_t event = 0;  ///< the block exists from this event on; blocks are sorted by it
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  ThreadId thread{};
  std::uint32_t stack = 0;  ///< a node
};

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< the first address after
};

/// The range of a thread's stack. A later thread may have the same range.
struct ThreadStack {
  ThreadId thread{};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< the first address after
};

/// A scheduling point of the recorded run, for which the trace has `events` events from `event` on; some of them may
/// belong to other threads. The points of all threads are in no particular order.
struct SchedulingPoint {
  std::uint64_t event = 0;
  std::uint32_t events = 0;
  ThreadId thread{};
  PointKind kind = PointKind::None;
};

/// How the recorded process ended, if omen waited for it.
struct ProcessEnd {
  std::uint32_t code = 0;
  std::uint32_t signal = 0;  ///< 0: it exited with `code`
};

/// The variables of a recorded trace are named `0xADDRESS:BYTES`, followed by `@THREAD` if they represent that thread's
/// atomic accesses to memory that is also accessed plainly. Locks and atomics are named `0xADDRESS`. Atomics that
/// represent failed attempts are named `0xADDRESS held by THREAD` and `0xADDRESS taken by THREAD`.
struct CaptureInfo {
  std::vector<std::string> command;  ///< the program and its arguments
  std::uint64_t process = 0;
  std::string options;       ///< the program's own (`__tsan_default_options`)
  std::string suppressions;  ///< the program's own (`__tsan_default_suppressions`)
  std::optional<ProcessEnd> end;
  bool complete = true;                ///< recording did not stop before the program
  std::uint64_t synchronisations = 0;  ///< of the recorded run; 0: unknown
  std::vector<StackNode> stacks;
  std::vector<Module> modules;
  std::vector<ThreadInfo> threads;
  std::vector<HeapBlock> blocks;
  std::vector<ThreadStack> thread_stacks;
  std::uint64_t first_frame = 0;  ///< the first thread's stack pointer when main was called; 0: unknown
  std::vector<SchedulingPoint> points;
  std::vector<AddressRange> benign;        ///< the program declares races here as benign
  std::vector<std::uint32_t> vptr_writes;  ///< nodes at which a constructor or destructor sets an object's class
  std::vector<std::string> notes;          ///< messages of the recorder: "recording stopped at …, the disk is full"
};

/// Reads the data from the file at `path`; nothing for a text trace, or a trace without a recorder's data.
std::expected<std::optional<CaptureInfo>, InputError> read_capture_info(const std::string& path);

}  // namespace omen
