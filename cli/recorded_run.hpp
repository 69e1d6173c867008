/// \file
/// Runs an instrumented program with recording switched on, and turns what it and the processes it forked recorded into
/// traces.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "capture/recording/convert.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// A folder that is removed, with everything in it, at the end.
class TemporaryFolder {
 public:
  /// Below `parent`, or where temporary files belong if that is empty.
  static std::expected<TemporaryFolder, InputError> create(const std::string& parent);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct ProgramEnd {
  int code = 0;    ///< if it ended by itself
  int signal = 0;  ///< if a signal ended it
  int pid = 0;

  /// As a shell says it.
  int exit_code() const { return signal != 0 ? 128 + signal : code; }
};

/// Runs `command` and waits for it. While it runs, an interrupt from the terminal is for the program, not for us.
std::expected<ProgramEnd, InputError> run_program(const std::vector<std::string>& command, const std::string& folder);

struct Recording {
  std::string raw;  ///< the file that the process wrote
  int pid = 0;
};

/// What the processes wrote into the folder, the first process first.
std::vector<Recording> recordings_in(const std::string& folder, int first_pid);

/// What to say if nothing was recorded at all.
InputError nothing_recorded(const std::vector<std::string>& command);

}  // namespace omen::cli
