/// \file
/// Runs an instrumented program with recording switched on, and turns what it and the processes it forked recorded into
/// traces.
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

/// A folder that is removed, with everything in it, at the end, also if a signal ends us. There is one at a time. If
/// omen is killed, the next omen that makes one beside it removes it: nobody holds its lock any more.
class TemporaryFolder {
 public:
  /// Below `parent`, or where temporary files belong if that is empty.
  static std::expected<TemporaryFolder, InputError> create(const std::string& parent);
  /// For what takes little room: without `parent`, and where temporary files cannot be written, in memory or here.
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
  int code = 0;    ///< if it ended by itself
  int signal = 0;  ///< if a signal ended it
  int pid = 0;

  /// As a shell says it.
  int exit_code() const { return signal != 0 ? 128 + signal : code; }
};

/// A program that was started. While it runs, signals that ask to end are for the program (cli/end_signals.hpp).
class RunningProgram {
 public:
  /// Variables on top of our environment; a null one is taken out of it.
  using Variable = std::pair<const char*, std::optional<std::string>>;
  using Environment = std::vector<Variable>;

  enum class Streams : std::uint8_t {
    Ours,
    None,            ///< it has no input, and its output goes nowhere
    OutputIsErrors,  ///< what it prints goes to our standard error: our standard output is for a report
  };

  static std::expected<RunningProgram, InputError> start(const std::vector<std::string>& command,
                                                         const Environment& environment,
                                                         Streams streams = Streams::Ours);
  RunningProgram(RunningProgram&& other) noexcept;
  RunningProgram& operator=(RunningProgram&&) = delete;
  RunningProgram(const RunningProgram&) = delete;
  ~RunningProgram();  ///< waits

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

/// Runs `command`, which records into `folder`, and waits for it.
std::expected<ProgramEnd, InputError> run_program(const std::vector<std::string>& command, const std::string& folder,
                                                  RunningProgram::Streams streams = RunningProgram::Streams::Ours);

/// Whether the command's file calls the runtime. What is no program of that kind, a script for example, counts as such.
bool is_instrumented_command(const std::vector<std::string>& command);

struct Recording {
  std::string raw;  ///< the file that the process wrote
  int pid = 0;
};

/// What the processes wrote into the folder, the first process first.
std::vector<Recording> recordings_in(const std::string& folder, int first_pid);

/// What to say if nothing was recorded at all.
InputError nothing_recorded(const std::vector<std::string>& command);

}  // namespace omen::cli
