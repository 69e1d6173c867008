#include "cli/stuck_program.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace omen::cli {
namespace {

/// Reads `/proc/PID/task/TID/syscall`: true for a futex operation whose fourth argument, the timeout, is null.
bool sleeps_without_limit(const std::string& folder) {
  std::ifstream file(folder + "/syscall");
  std::string word;
  if (!(file >> word) || word != std::to_string(SYS_futex)) return false;
  for (int argument = 0; argument < 4; ++argument) {
    if (!(file >> word)) return false;
  }
  return word == "0x0";
}

/// The thread's context switches, as text; empty if they cannot be read.
std::string switches(const std::string& folder) {
  std::ifstream file(folder + "/status");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.find("ctxt_switches") != std::string::npos) text += line + ";";
  }
  return text;
}

}  // namespace

/// Returns an empty string if some thread can continue.
std::string StuckWatch::look() const {
  const std::string tasks = "/proc/" + std::to_string(process_) + "/task";
  std::vector<int> threads = threads_;
  if (threads.empty()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(tasks, error)) {
      const std::string name = entry.path().filename().string();
      int id = 0;
      std::from_chars(name.data(), name.data() + name.size(), id);
      threads.push_back(id);
    }
    std::ranges::sort(threads);
  }
  std::string seen;
  for (const int thread : threads) {
    const std::string folder = tasks + "/" + std::to_string(thread);
    const std::string ran = switches(folder);
    if (ran.empty() || !sleeps_without_limit(folder)) return "";
    seen += std::to_string(thread) + ":" + ran;
  }
  return seen;
}

bool StuckWatch::is_stuck() {
  std::string now = look();
  same_ = !now.empty() && now == last_ ? same_ + 1 : 0;
  last_ = std::move(now);
  return same_ >= kLooks;
}

}  // namespace omen::cli
