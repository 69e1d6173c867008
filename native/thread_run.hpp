/// \file
/// Runs one thread of a recorded program again, on LLVM IR, along the way that it went.
///
/// The recording gives the results of loads, of calls into code that is not known, and of what is not modelled; all
/// else is computed, concretely and as an expression over what the thread has read. Results that are recorded although
/// they can be computed are compared, so a mistake here is found and never becomes an answer.
/// What is not modelled is fixed: floats, assembly, what code without values is given, addresses. Before a call of such
/// code everything that the thread has written is fixed too, since the code may read it; functions that are known to
/// read nothing of the program's are left out.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "native/program.hpp"
#include "native/recording.hpp"
#include "trace/values/value_trace.hpp"

namespace llvm {
class Instruction;
}

namespace omen::native {

/// What an event of the recording is to the interpreter.
enum class Role : std::uint8_t {
  Unknown,  ///< of code that is not interpreted
  Read,     ///< `value` is what was read, `recorded`
  Write,    ///< `expr` was written, and was `recorded`
  Rmw,      ///< both; `stored` was written
};

struct Note {
  Role role = Role::Unknown;
  values::Width width = 0;  ///< of what was read or written; 0: no value can say it
  values::ExprId expr = values::kNoExpr;
  values::ValueId value = values::kNoValue;
  std::uint64_t recorded = 0;
  std::uint64_t stored = 0;
  LocationId location{};
  std::size_t locals_begin = 0;  ///< in `Run::locals`: what the thread did by itself just before it
  std::size_t locals_end = 0;
};

struct Counters {
  std::uint64_t instructions = 0;
  std::uint64_t branches = 0;  ///< on what was read
  std::uint64_t fixes = 0;
  std::uint64_t unknown_calls = 0;
  std::uint64_t turned = 0;    ///< branches from which paths were looked for
  std::uint64_t unturned = 0;  ///< branches for which, or for some of whose ways, the bounds had no room
  std::uint64_t paths = 0;
};

/// A way that a thread may go from the other side of a branch, before the builder has seen it: its accesses are to the
/// variables of the recording, also to those that are no cells.
struct FoundPath {
  std::size_t local = 0;  ///< in `Run::locals`: the branch
  values::Path path;
};

/// Where a thread's own begins, and how it ended.
struct ThreadExtent {
  std::size_t first_local = 0;
  std::size_t first_value = 0;
  bool ends_plainly = false;  ///< nothing came behind its only function but its end
};

/// What all threads' runs write to.
struct Run {
  values::ValueTrace trace;           ///< expressions and locations
  std::vector<Note> notes;            ///< by event
  std::vector<std::uint32_t> origin;  ///< of each event of `trace`: the recorded event that it is, or comes before
  std::vector<values::ValueEvent> locals;
  std::vector<ThreadExtent> threads;  ///< by ThreadId
  /// The lock at an address, as calls of pthread_mutex_lock and its like have it; nothing: they do not agree.
  std::map<std::uint64_t, std::optional<std::uint32_t>> locks;
  std::vector<FoundPath> paths;                                     ///< in the order of their locals
  std::unordered_map<const llvm::Instruction*, LocationId> places;  ///< of those that were executed
  Counters counters;
};

/// An error in words if the recording does not fit the program, or has what the interpreter does not know.
std::expected<void, std::string> run_thread(const Program& program, const Recording& recording, ThreadId thread,
                                            Run& run);

}  // namespace omen::native
