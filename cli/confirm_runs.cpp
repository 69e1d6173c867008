#include "cli/confirm_runs.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "cli/preload.hpp"
#include "cli/recorded_run.hpp"

namespace omen::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// The location of the access in the runtime's notation; empty: unknown.
std::string place_of(const report::Access& access) {
  if (access.stack.empty() || access.stack.front().module.empty()) return "";
  const report::Frame& frame = access.stack.front();
  const std::string name(report::base_name(frame.module));
  return name.find(':') == std::string::npos ? fmt::format("{}@{}", frame.offset, name) : "";
}

/// True if two threads met in some process of this run.
bool have_met(const std::string& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    if (line == "met") return true;
  }
  return false;
}

/// False if the program could not be started.
bool run_once(const std::vector<std::string>& command, const std::string& places, const std::string& log,
              std::chrono::milliseconds longest) {
  auto program = RunningProgram::start(command,
                                       {{"OMEN_CONFIRM", fmt::format("log={}:{}", log, places)},
                                        {"OMEN_RECORD", std::nullopt},
                                        {"OMEN_ONLINE", std::nullopt},
                                        {"OMEN_EXPLORE", std::nullopt},
                                        {"OMEN_REPLAY", std::nullopt},
                                        preload_variable()},
                                       RunningProgram::Streams::None);
  if (!program) return false;
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, program->pid(), 0));
  const auto deadline = Clock::now() + longest;
  while (!program->end()) {
    if (Clock::now() > deadline) {
      kill(program->pid(), SIGKILL);
      program->wait();
      break;
    }
    pollfd ends = {descriptor, POLLIN, 0};
    poll(&ends, 1, 100);
  }
  if (descriptor >= 0) close(descriptor);
  return true;
}

}  // namespace

report::Demonstration demonstrate(const report::Race& race, const std::vector<std::string>& command, std::uint32_t runs,
                                  std::chrono::milliseconds longest) {
  report::Demonstration result;
  const std::string first = place_of(race.accesses[0]);
  const std::string second = place_of(race.accesses[1]);
  if (first.empty() || second.empty()) return result;
  const std::string places = fmt::format("first={}:second={}", first, second);
  while (result.runs < runs && !result.met) {
    const auto folder = TemporaryFolder::create("");
    if (!folder) return result;
    const std::string log = folder->path() + "/confirm";
    if (!run_once(command, places, log, longest)) return result;
    ++result.runs;
    result.met = have_met(log);
  }
  return result;
}

}  // namespace omen::cli
