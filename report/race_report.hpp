/// \file
/// The report of `omen run`: one model, from which a writer each makes text, JSON and SARIF. It refers to nothing
/// outside of itself, so a report that was written as JSON can be read back and written in another form.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/exploration.hpp"
#include "report/finding_kinds.hpp"
#include "report/replay_plan.hpp"
#include "symbolize/frame.hpp"

namespace omen::report {

using symbolize::Frame;
using Stack = std::vector<Frame>;  ///< innermost first

enum class AccessKind : std::uint8_t { Read, Write, Free };
inline constexpr std::array<std::string_view, 3> kAccessKindNames{"read", "write", "free"};

enum class LocationKind : std::uint8_t { Unknown, Global, Heap, OnStack };
inline constexpr std::array<std::string_view, 4> kLocationKindNames{"unknown", "global", "heap", "stack"};

template <class Enum, std::size_t N>
constexpr std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

/// A thread that a race mentions.
struct Thread {
  std::uint32_t id = 0;
  std::string label;  ///< "main", "T1": its name in the report
  std::string name;   ///< set by the program; may be empty
  std::uint64_t system_id = 0;
  bool main = false;
  bool finished = false;
  std::optional<std::uint32_t> creator;  ///< an id
  Stack creation;

  bool operator==(const Thread&) const = default;
};

/// A lock that is held at an access.
struct HeldLock {
  std::string label;  ///< "M3"
  std::string name;   ///< of the global variable, if the lock is one
  std::uint64_t address = 0;
  bool shared = false;  ///< held in shared mode
  Stack acquired;

  bool operator==(const HeldLock&) const = default;
};

/// The memory of the race.
struct Variable {
  LocationKind kind = LocationKind::Unknown;
  std::string name;           ///< of a global; otherwise the name in the trace
  std::uint64_t address = 0;  ///< the beginning of the global or block; of unknown memory the accessed address
  std::uint64_t size = 0;     ///< of the global or block; 0: unknown
  std::string module;         ///< of a global
  std::uint64_t offset = 0;   ///< from the module's load bias
  std::optional<std::uint32_t> thread;  ///< the thread that allocated the block, or that owns the stack
  Stack allocated;

  bool operator==(const Variable&) const = default;
};

struct Access {
  std::uint64_t event = 0;  ///< position in the trace
  AccessKind kind = AccessKind::Read;
  bool atomic = false;
  std::uint64_t size = 0;
  std::uint64_t address = 0;
  std::uint32_t thread = 0;  ///< an id
  Stack stack;
  std::vector<HeldLock> locks;

  bool operator==(const Access&) const = default;
};

enum class StepKind : std::uint8_t { Run, Sync, Access, LeftOut };
inline constexpr std::array<std::string_view, 4> kStepKindNames{"run", "sync", "access", "left-out"};

/// A line of a short schedule: a run of a thread's accesses, a synchronisation, one of the two racing accesses, or a
/// gap.
struct ScheduleStep {
  StepKind kind = StepKind::Run;
  std::optional<std::uint32_t> thread;  ///< none: a gap
  std::string text;                     ///< "locks M0 'guard'"; for a run also its places
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::uint64_t first = 0;  ///< positions in the witness, from 0
  std::uint64_t last = 0;
  std::optional<std::array<std::uint64_t, 2>> recorded;  ///< first and last event in the recorded run
  std::vector<std::string> holds;                        ///< labels of the locks that the thread holds during it
  std::vector<std::string> keeps;                        ///< … and after it

  bool operator==(const ScheduleStep&) const = default;
};

/// The result of running the program under the race's plan.
struct Replays {
  std::uint32_t runs = 0;  ///< 0: there is no plan
  std::uint32_t reached = 0;
  std::string diverged;  ///< why the last run that failed left the order; without a plan: why there is none

  bool operator==(const Replays&) const = default;
};

/// The result of running the program with threads that wait for each other at the two places.
struct Demonstration {
  std::uint32_t runs = 0;
  bool met = false;  ///< in the last run two threads were before the accesses at the same time

  bool operator==(const Demonstration&) const = default;
};

/// Reads at one location that return another value in the race's schedule than in the recorded run.
struct ChangedRead {
  std::uint64_t event = 0;   ///< the first of them, as a position in the trace
  std::uint32_t thread = 0;  ///< an id
  std::string variable;      ///< "'total'", or its address
  Frame place;
  std::optional<std::uint64_t>
      recorded;                      ///< the value that the first of them returned; none: the run recorded no values
  std::optional<std::uint64_t> now;  ///< its value in the schedule
  std::uint64_t count = 1;           ///< number of reads

  bool operator==(const ChangedRead&) const = default;
};

/// A branch that the race's schedule turns. Its other direction leads to an access that the recorded run did not reach.
struct TurnedBranch {
  std::uint32_t thread = 0;  ///< an id
  Frame place;
  bool taken = false;  ///< its condition held in the recorded run

  bool operator==(const TurnedBranch&) const = default;
};

/// The process and the runs in which a finding was made, if a report is about several.
struct Origin {
  std::uint64_t process = 0;         ///< 0: the report's own
  std::vector<std::string> command;  ///< of that process; empty: the report's own
  std::uint64_t runs = 1;            ///< number of runs that showed it, of `RunReport::runs`

  bool operator==(const Origin&) const = default;
};

struct Race {
  RaceKind kind = RaceKind::DataRace;
  std::string found_by;    ///< a relation: "hb", "wcp", "dc", "wdc"; or, if every relation orders the pair, the model
  bool observed = false;   ///< happens-before shows it in this run; otherwise it is predicted
  bool confirmed = false;  ///< the checker has accepted a witness, or a run reached it
  bool online = false;     ///< found by the online detector, which looks for no witness
  bool excluded = false;   ///< in `RunReport::unconfirmed`: proved to be no race; otherwise undecided
  std::uint64_t decided = 0;  ///< in `RunReport::unconfirmed`: how many of the pairs are excluded
  std::string why;            ///< in `RunReport::unconfirmed`: why it is excluded, or which budget was exhausted
  std::string method;         ///< the step that confirmed it
  std::string model;  ///< the strictest model of its witness: "ca", "lw", "data", "value", "control", "relax", "paths"
  std::uint64_t count = 1;  ///< number of pairs of accesses with this race's positions
  std::string fingerprint;  ///< equal in every run
  Variable variable;
  std::array<Access, 2> accesses;  ///< the later one first, as in ThreadSanitizer
  std::vector<Thread> threads;     ///< every thread that this race mentions
  std::uint64_t witness_size = 0;
  std::vector<std::uint32_t> witness;      ///< events, the pair last; empty if it is too long, or there is none
  std::vector<ScheduleStep> schedule;      ///< the witness, shortened
  std::vector<ChangedRead> changed_reads;  ///< by the witness
  std::optional<TurnedBranch> turned;      ///< by the witness
  std::vector<ScheduleStep>
      hidden_by;  ///< of a predicted race: the synchronisation that ordered the two in the recorded run
  std::optional<ReplayPlan> replay;            ///< the plan by which another run shows it
  std::string no_replay;                       ///< why there is no plan, if one was looked for
  std::optional<Replays> replays;              ///< none: not tried
  std::optional<Demonstration> demonstration;  ///< none: not tried
  std::optional<Shown> shown;                  ///< the run of an exploration that showed it
  Origin origin;

  bool operator==(const Race&) const = default;

  std::string_view headline() const { return words_of(kind).headline; }
  const Thread* thread(std::uint32_t id) const;
  /// The first frame with a source position, else the first frame; null for an empty stack.
  static const Frame* place(const Stack& stack);
};

/// What a thread of a deadlock waits for.
enum class WaitsFor : std::uint8_t { Lock, End, Barrier, Creation };
inline constexpr std::array<std::string_view, 4> kWaitsForNames{"lock", "end", "barrier", "creation"};

struct WaitingThread {
  std::uint64_t event = 0;   ///< its request: the position in the trace of the event that it cannot execute
  std::uint32_t thread = 0;  ///< an id
  WaitsFor waits = WaitsFor::Lock;
  std::optional<HeldLock> wants;  ///< the lock that it requests, if it waits for one; without `acquired`
  std::optional<HeldLock> holds;  ///< the lock that the previous thread of the cycle requests
  Stack stack;                    ///< where it waits

  bool operator==(const WaitingThread&) const = default;
};

/// A predicted deadlock, whose witness the checker has accepted.
struct Deadlock {
  std::string method;                  ///< the step that found it
  std::string model;                   ///< "ca", "lw"
  std::uint64_t count = 1;             ///< number of cycles at these positions
  std::string fingerprint;             ///< equal in every run
  std::vector<WaitingThread> waiting;  ///< each waits for the next, the last for the first
  std::vector<Thread> threads;         ///< every thread that it mentions
  std::uint64_t witness_size = 0;
  std::vector<std::uint32_t> witness;  ///< events, the requests last; empty if it is too long
  std::vector<ScheduleStep> schedule;
  std::optional<ReplayPlan> replay;
  std::string no_replay;
  std::optional<Replays> replays;
  Origin origin;

  bool operator==(const Deadlock&) const = default;

  const Thread* thread(std::uint32_t id) const;
};

/// How a program ended.
struct ExitStatus {
  int code = 0;
  std::string signal;  ///< "SIGSEGV"; empty: it exited with `code`

  bool operator==(const ExitStatus&) const = default;
};

/// The comparison of this report with a baseline.
struct AgainstBaseline {
  std::vector<Race> known;  ///< found again; removed from the report's own lists
  std::vector<Race> gone;   ///< in the baseline, but not found
  std::vector<Deadlock> known_deadlocks;
  std::vector<Deadlock> gone_deadlocks;

  bool operator==(const AgainstBaseline&) const = default;
};

/// The result of asking one model that rests on values, after the earlier models.
struct ValueModel {
  std::string name;  ///< "value", "control", "relax", "paths"
  std::uint64_t budget = 0;
  std::uint64_t candidates = 0;  ///< number of pairs of source positions
  std::uint64_t races = 0;       ///< races that no earlier model finds
  std::uint64_t undecided = 0;   ///< candidates that exceeded the budget

  bool operator==(const ValueModel&) const = default;
};

/// The models of the run's witnesses.
struct Models {
  std::string witnesses;  ///< the model of witnesses of predicted races: "lw" or "data"; empty: none were looked for
  std::vector<std::string> without_pass;  ///< files with code that was compiled without omen's compiler pass
  std::vector<ValueModel> values;         ///< in the order of the questions

  bool operator==(const Models&) const = default;
};

struct RunReport {
  std::vector<std::string> command;
  std::uint64_t process = 0;
  ExitStatus exit;
  std::uint64_t threads = 0;
  std::uint64_t events = 0;
  std::uint64_t synchronisations = 0;
  bool complete = true;  ///< everything was recorded
  std::vector<std::string> notes;
  Models models;
  std::vector<std::pair<std::string, std::uint64_t>> counters;  ///< of the online detector
  std::vector<Race> races;
  std::vector<Deadlock> deadlocks;
  std::uint64_t excluded = 0;     ///< predicted pairs of source positions that are proved to be no race
  std::uint64_t unknown = 0;      ///< predicted pairs of source positions that are undecided
  std::vector<Race> unconfirmed;  ///< the pairs of both kinds; may be left out
  std::uint64_t runs = 1;         ///< number of runs of the program that the report combines
  std::optional<AgainstBaseline> baseline;
  std::vector<Failure> failures;  ///< failures that schedules of an exploration led to
  std::optional<Exploration> exploration;

  bool operator==(const RunReport&) const = default;
};

/// Marks the findings of a process other than the report's first with that process.
void name_process(RunReport& report, const std::vector<std::string>& first_command);
/// Adds the findings of another process of the same run to those of the first.
void add_process(RunReport& first, RunReport other);
/// Removes all findings.
void clear_races(RunReport& report);

/// "SIGSEGV" for 11; "signal 99" for one without a name.
std::string signal_name(int number);

/// "hb" → "happens-before".
std::string_view relation_name(std::string_view relation);

/// True if the race's schedule changes values that the program's branches and addresses are computed from. It is a race
/// only if a run of the program, led by the schedule, reaches it.
bool rests_on_values(const Race& race);

/// The part after the last slash.
std::string_view base_name(std::string_view path);

std::string fingerprint(const Deadlock& deadlock);
/// Equal in every run of the same code: hashes functions, file names and kinds of access, but no addresses and no line
/// numbers. The order of the accesses does not matter.
std::string fingerprint(const Race& race);

}  // namespace omen::report
