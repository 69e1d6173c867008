/// \file
/// What `omen run` has to say, before it is text, JSON or SARIF: one model, a writer per form. It refers to nothing
/// outside of itself, so that a report that was written as JSON can be read back and written in another form.
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

/// A thread that a race speaks of.
struct Thread {
  std::uint32_t id = 0;
  std::string label;  ///< "main", "T1": what the rest of the report calls it
  std::string name;   ///< as the program set it; may be empty
  std::uint64_t system_id = 0;
  bool main = false;
  bool finished = false;
  std::optional<std::uint32_t> creator;  ///< an id
  Stack creation;

  bool operator==(const Thread&) const = default;
};

/// A lock at the time of an access.
struct HeldLock {
  std::string label;  ///< "M3"
  std::string name;   ///< of the global variable, if it is one
  std::uint64_t address = 0;
  bool shared = false;  ///< the reader's side
  Stack acquired;

  bool operator==(const HeldLock&) const = default;
};

/// The memory that the race is about.
struct Variable {
  LocationKind kind = LocationKind::Unknown;
  std::string name;           ///< of a global; else what the trace calls it
  std::uint64_t address = 0;  ///< where the global, or the block, begins; unknown memory: where the access was
  std::uint64_t size = 0;     ///< of all of it; 0: not known
  std::string module;         ///< of a global
  std::uint64_t offset = 0;   ///< in the module
  std::optional<std::uint32_t> thread;  ///< that allocated the block, or whose stack it is
  Stack allocated;

  bool operator==(const Variable&) const = default;
};

struct Access {
  std::uint64_t event = 0;  ///< its position in the trace
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

/// A line of a short schedule: a stretch of a thread's accesses, a synchronisation, one of the two racing accesses, or
/// what is left out.
struct ScheduleStep {
  StepKind kind = StepKind::Run;
  std::optional<std::uint32_t> thread;  ///< none: something is left out here
  std::string text;                     ///< "locks M0 'guard'"; of a run with its places
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::uint64_t first = 0;  ///< positions in the witness, from 0
  std::uint64_t last = 0;
  std::optional<std::array<std::uint64_t, 2>> recorded;  ///< its first and last event in the recorded run
  std::vector<std::string> holds;                        ///< labels of the locks that its thread holds in it
  std::vector<std::string> keeps;                        ///< … and after it

  bool operator==(const ScheduleStep&) const = default;
};

/// What came of running the program again under the race's plan.
struct Replays {
  std::uint32_t runs = 0;  ///< 0: there is no plan
  std::uint32_t reached = 0;
  std::string diverged;  ///< why the last run that did not reach the accesses did not; why there is no plan

  bool operator==(const Replays&) const = default;
};

/// What came of running the program again with threads that wait for each other at the two places.
struct Demonstration {
  std::uint32_t runs = 0;
  bool met = false;  ///< in the last of them two threads stood in front of the accesses at the same time

  bool operator==(const Demonstration&) const = default;
};

/// Reads at one place that return something else in the race's schedule than in the recorded run.
struct ChangedRead {
  std::uint64_t event = 0;   ///< the first of them: its position in the trace
  std::uint32_t thread = 0;  ///< an id
  std::string variable;      ///< "'total'", or its address
  Frame place;
  std::optional<std::uint64_t> recorded;  ///< what the first of them returned; none: the run recorded no values
  std::optional<std::uint64_t> now;       ///< what it returns in the schedule
  std::uint64_t count = 1;                ///< of reads

  bool operator==(const ChangedRead&) const = default;
};

/// A branch of the recorded run that goes the other way in a race's schedule, and leads to an access that the run did
/// not come to.
struct TurnedBranch {
  std::uint32_t thread = 0;  ///< an id
  Frame place;
  bool taken = false;  ///< whether its condition held in the run

  bool operator==(const TurnedBranch&) const = default;
};

/// In which of the processes and runs that a report is about something was found.
struct Origin {
  std::uint64_t process = 0;         ///< 0: the report's own
  std::vector<std::string> command;  ///< of that process; empty: the report's own
  std::uint64_t runs = 1;            ///< that showed it, of `RunReport::runs`

  bool operator==(const Origin&) const = default;
};

struct Race {
  RaceKind kind = RaceKind::DataRace;
  std::string found_by;       ///< "hb", "wcp", "dc", "wdc"; else the model: every relation orders it
  bool observed = false;      ///< happens-before shows it in this very run; else it is predicted
  bool confirmed = false;     ///< there is a witness that the checker has accepted
  bool online = false;        ///< found while the program ran, where no witness is looked for
  bool excluded = false;      ///< in `RunReport::unconfirmed`: it is proved to be no race; else nobody knows
  std::uint64_t decided = 0;  ///< there: how many of the pairs are known to be no race
  std::string why;            ///< there: why it is none, or what the budget was too small for
  std::string method;         ///< how it was confirmed
  std::string model;          ///< in which its witness is one: "ca", "lw", "data", "value", "control", "relax", "paths"
  std::uint64_t count = 1;    ///< pairs of accesses that are this race
  std::string fingerprint;    ///< the same in every run
  Variable variable;
  std::array<Access, 2> accesses;  ///< the later one first, as ThreadSanitizer has it
  std::vector<Thread> threads;     ///< all that this race mentions
  std::uint64_t witness_size = 0;
  std::vector<std::uint32_t> witness;          ///< events, the pair last; empty if too long to keep, or unconfirmed
  std::vector<ScheduleStep> schedule;          ///< the witness, cut to what matters
  std::vector<ChangedRead> changed_reads;      ///< by the witness
  std::optional<TurnedBranch> turned;          ///< by the witness
  std::vector<ScheduleStep> hidden_by;         ///< of a predicted race: what ordered the two in the recorded run
  std::optional<ReplayPlan> replay;            ///< how another run shows it
  std::string no_replay;                       ///< why there is no such plan, where one was looked for
  std::optional<Replays> replays;              ///< none: nobody tried
  std::optional<Demonstration> demonstration;  ///< none: nobody tried
  std::optional<Shown> shown;                  ///< which run of an exploration showed it
  Origin origin;

  bool operator==(const Race&) const = default;

  std::string_view headline() const { return words_of(kind).headline; }
  const Thread* thread(std::uint32_t id) const;
  /// The first frame of an access with a source position, else its first frame; null for an empty stack.
  static const Frame* place(const Stack& stack);
};

/// What a thread of a deadlock waits for.
enum class WaitsFor : std::uint8_t { Lock, End, Barrier, Creation };
inline constexpr std::array<std::string_view, 4> kWaitsForNames{"lock", "end", "barrier", "creation"};

struct WaitingThread {
  std::uint64_t event = 0;   ///< its request: the position in the trace of what it cannot do
  std::uint32_t thread = 0;  ///< an id
  WaitsFor waits = WaitsFor::Lock;
  std::optional<HeldLock> wants;  ///< the lock, if it waits for one; without `acquired`
  std::optional<HeldLock> holds;  ///< the lock that the thread before it in the cycle wants
  Stack stack;                    ///< where it waits

  bool operator==(const WaitingThread&) const = default;
};

/// A predicted deadlock, with the witness that the checker has accepted.
struct Deadlock {
  std::string method;                  ///< how it was found
  std::string model;                   ///< "ca", "lw"
  std::uint64_t count = 1;             ///< cycles at these places
  std::string fingerprint;             ///< the same in every run
  std::vector<WaitingThread> waiting;  ///< each waits for the next, the last for the first
  std::vector<Thread> threads;         ///< all that it mentions
  std::uint64_t witness_size = 0;
  std::vector<std::uint32_t> witness;  ///< events, the requests last; empty if too long to keep
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

/// What an earlier report has to do with this one.
struct AgainstBaseline {
  std::vector<Race> known;  ///< found again: they are not among the report's own
  std::vector<Race> gone;   ///< of the earlier report, and not found
  std::vector<Deadlock> known_deadlocks;
  std::vector<Deadlock> gone_deadlocks;

  bool operator==(const AgainstBaseline&) const = default;
};

/// What a model that rests on values was asked after the others, and what came of it.
struct ValueModel {
  std::string name;  ///< "value", "control", "relax", "paths"
  std::uint64_t budget = 0;
  std::uint64_t candidates = 0;  ///< pairs of places
  std::uint64_t races = 0;       ///< those that the earlier models do not find
  std::uint64_t undecided = 0;   ///< out of budget

  bool operator==(const ValueModel&) const = default;
};

/// What schedules of the run were allowed to change.
struct Models {
  std::string witnesses;                  ///< of predicted races: "lw" or "data"; empty: none were looked for
  std::vector<std::string> without_pass;  ///< files with code that was compiled without omen's compiler pass
  std::vector<ValueModel> values;         ///< in the order in which they were asked

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
  std::vector<std::pair<std::string, std::uint64_t>> counters;  ///< of a detector that ran in the program
  std::vector<Race> races;
  std::vector<Deadlock> deadlocks;
  std::uint64_t excluded = 0;     ///< predicted pairs of places that are proved to be no race
  std::uint64_t unknown = 0;      ///< predicted pairs of places of which nobody knows
  std::vector<Race> unconfirmed;  ///< those two kinds; may be left out
  std::uint64_t runs = 1;         ///< of the program, that are one report
  std::optional<AgainstBaseline> baseline;
  std::vector<Failure> failures;  ///< that the schedules of an exploration led to
  std::optional<Exploration> exploration;

  bool operator==(const RunReport&) const = default;
};

/// The findings of another process than the report's first say which it was.
void name_process(RunReport& report, const std::vector<std::string>& first_command);
/// The races of another process of the same run go to those of the first.
void add_process(RunReport& first, RunReport other);
/// Nothing was found, or nothing is to be said of it.
void clear_races(RunReport& report);

/// "SIGSEGV" for 11; "signal 99" for one without a name.
std::string signal_name(int number);

/// "hb" → "happens-before".
std::string_view relation_name(std::string_view relation);

/// Its schedule changes what the program's own branches and addresses are computed from: it is a race only if the
/// program, led by the schedule, comes to it.
bool rests_on_values(const Race& race);

/// The part after the last slash.
std::string_view base_name(std::string_view path);

std::string fingerprint(const Deadlock& deadlock);
/// The same in every run of the same code: functions, names of files and kinds of access, no addresses and no line
/// numbers. Which of the accesses came first does not matter.
std::string fingerprint(const Race& race);

}  // namespace omen::report
