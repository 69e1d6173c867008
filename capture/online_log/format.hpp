/// \file
/// The format of the online log (docs/formats.md, "The online log"), for its writer (the runtime, inside the program)
/// and its reader (omen): version, file names, keywords, and the layout of the control page.
///
/// The runtime includes this file, so it uses only inline parts of the C++ library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace omen::online_log {

/// The one version of the log.
inline constexpr std::uint64_t kVersion = 1;

/// The files of the shared folder: the control page, and a log for each process, with its number as suffix.
inline constexpr char kControlFile[] = "control";
inline constexpr char kLogFile[] = "online.";

/// The first word of a line.
namespace word {
inline constexpr char kBegin[] = "omen-online";
inline constexpr char kProcess[] = "process";
inline constexpr char kArgument[] = "argument";
inline constexpr char kOptions[] = "options";
inline constexpr char kSuppressions[] = "suppressions";
inline constexpr char kModule[] = "module";
inline constexpr char kThread[] = "thread";  ///< also within a line: the thread of an access or a block
inline constexpr char kName[] = "name";
inline constexpr char kRace[] = "race";
inline constexpr char kAccess[] = "access";
inline constexpr char kLock[] = "lock";
inline constexpr char kBlock[] = "block";
inline constexpr char kEnd[] = "end";
inline constexpr char kRepeat[] = "repeat";
inline constexpr char kCounter[] = "counter";
inline constexpr char kMessage[] = "message";
inline constexpr char kIncomplete[] = "incomplete";
inline constexpr char kExit[] = "exit";
}  // namespace word

/// The relation that shows a race: happens-before, or only that of the analysis.
enum class Finding : std::uint8_t { Observed, Predicted };
inline constexpr const char* kFindings[] = {"observed", "predicted"};

/// One of a race's two accesses.
enum class Side : std::uint8_t { Now, Earlier };
inline constexpr const char* kSides[] = {"now", "earlier"};

enum class AccessKind : std::uint8_t { Read, Write, Vptr, Free, AtomicRead, AtomicWrite };
inline constexpr const char* kAccessKinds[] = {"read", "write", "vptr", "free", "atomic-read", "atomic-write"};

/// How a lock is held. Nothing is written for `Write`.
enum class LockMode : std::uint8_t { Read, Write };
inline constexpr const char* kLockModes[] = {"read", "write"};

enum class BlockKind : std::uint8_t { Heap, Stack };
inline constexpr const char* kBlockKinds[] = {"heap", "stack"};

/// The word for a value of one of the enumerations above.
constexpr const char* word_for(Finding finding) {
  return kFindings[static_cast<std::size_t>(finding)];
}
constexpr const char* word_for(Side side) {
  return kSides[static_cast<std::size_t>(side)];
}
constexpr const char* word_for(AccessKind kind) {
  return kAccessKinds[static_cast<std::size_t>(kind)];
}
constexpr const char* word_for(LockMode mode) {
  return kLockModes[static_cast<std::size_t>(mode)];
}
constexpr const char* word_for(BlockKind kind) {
  return kBlockKinds[static_cast<std::size_t>(kind)];
}

inline constexpr char kNoBuildId[] = "-";
inline constexpr char kStack[] = ":";         ///< return addresses follow, innermost first
inline constexpr char kUnknownStack[] = "?";  ///< in place of the addresses

/// Omen's answer to a race that the runtime has found.
enum class Judgement : std::uint8_t {
  NotReported,  ///< suppressed, or a race that was reported before
  Reported,
  End,  ///< reported, and the process must end
};

/// The file `control`, which both sides map: the runtime takes the numbers of races from it, from 1, and reads omen's
/// judgements in it. The page is initially zero.
struct ControlPage {
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::uint64_t kJudged = 256;  ///< a judgement is kept until the one of the race this many later

  std::atomic<std::uint64_t>
      races;  ///< the number of the latest race, or of the latest process end that waits for a judgement
  std::atomic<std::uint64_t> exit_code;  ///< for a process that must end with a code other than its own
  std::uint64_t unused[126];
  std::atomic<std::uint64_t> judged[kJudged];  ///< 4 × race + judgement

  void judge(std::uint64_t race, Judgement judgement) {
    judged[race % kJudged].store(4 * race + static_cast<std::uint64_t>(judgement), std::memory_order_release);
  }
  /// False: the race is not judged yet.
  bool find_judgement(std::uint64_t race, Judgement& judgement) const {
    const std::uint64_t word = judged[race % kJudged].load(std::memory_order_acquire);
    if (word / 4 != race) return false;
    judgement = static_cast<Judgement>(word % 4);
    return true;
  }
};
static_assert(offsetof(ControlPage, judged) == 1024 && sizeof(ControlPage) <= ControlPage::kBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace omen::online_log
