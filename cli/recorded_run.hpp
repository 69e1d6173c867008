/// \file
/// Runs an instrumented program with recording enabled, and converts the recordings of its processes to traces.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/recording/convert.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// A folder that is removed with its contents at the end, also if a signal ends omen; for that, only one may exist at a
/// time. If omen is killed, the next omen that creates one beside it removes it, since nobody holds its lock any more.
class TemporaryFolder {
 public:
  /// Below `parent`; in the folder for temporary files if that is empty.
  static std::expected<TemporaryFolder, InputError> create(const std::string& parent);
  /// For small contents: without `parent`, and if temporary files cannot be written, in shared memory or the current
  /// folder.
  static std::expected<TemporaryFolder, InputError> create_for_log(const std::string& parent);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;  ///< a descriptor that holds the folder's lock; -1: the file system has no locks
};

struct ProgramEnd {
  int code = 0;    ///< if it exited
  int signal = 0;  ///< if a signal ended it
  int pid = 0;

  /// The code that a shell reports.
  int exit_code() const { return signal != 0 ? 128 + signal : code; }
};

/// A started program. While it runs, signals that ask to end are for the program (cli/end_signals.hpp).
class RunningProgram {
 public:
  /// Variables that are added to omen's environment; one without a value is removed from it.
  using Variable = std::pair<const char*, std::optional<std::string>>;
  using Environment = std::vector<Variable>;

  enum class Streams : std::uint8_t {
    Ours,
    None,            ///< no input; the output is discarded
    OutputIsErrors,  ///< the output goes to our standard error, because our standard output is for a report
  };

  static std::expected<RunningProgram, InputError> start(const std::vector<std::string>& command,
                                                         const Environment& environment,
                                                         Streams streams = Streams::Ours);
  RunningProgram(RunningProgram&& other) noexcept;
  RunningProgram& operator=(RunningProgram&&) = delete;
  RunningProgram(const RunningProgram&) = delete;
  ~RunningProgram();  ///< waits for its end

  int pid() const { return pid_; }
  /// Nothing while it runs.
  std::optional<ProgramEnd> end() { return waited(false); }
  ProgramEnd wait() { return *waited(true); }

 private:
  explicit RunningProgram(int pid) : pid_(pid) {}
  std::optional<ProgramEnd> waited(bool blocking);

  int pid_ = 0;
  std::optional<ProgramEnd> end_;
};

/// Runs `command`, which records into `folder`, and waits for its end.
std::expected<ProgramEnd, InputError> run_program(const std::vector<std::string>& command, const std::string& folder,
                                                  RunningProgram::Streams streams = RunningProgram::Streams::Ours);

/// True if the command's file calls the runtime. A file that is not a program of this kind, such as a script, counts as
/// instrumented.
bool is_instrumented_command(const std::vector<std::string>& command);

struct Recording {
  std::string raw;  ///< the recording of the process
  int pid = 0;
};

/// The recordings in the folder, the first process first.
std::vector<Recording> recordings_in(const std::string& folder, int first_pid);

/// The error if no process recorded anything.
InputError nothing_recorded(const std::vector<std::string>& command);

}  // namespace omen::cli
