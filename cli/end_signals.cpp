#include "cli/end_signals.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <iterator>

namespace omen::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
constexpr std::time_t kSameRequest = 1;  ///< seconds

// Read by the handler. Written while the signals are blocked, or have their old actions.
struct sigaction before[std::size(kSignals)];
char folder_to_remove[4096];
volatile std::sig_atomic_t running_program = 0;
volatile std::sig_atomic_t obeys_stop = 0;
// Written by the handler, during which the others of these signals are blocked.
volatile std::sig_atomic_t requested = 0;
timespec latest_request = {};  ///< the latest request that omen obeyed or the program received

/// Async-signal-safe. The folder has no subfolders.
void remove_folder_now(const char* path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char entries[4096];
  while (true) {
    const long bytes = syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      unlinkat(folder, entry->d_name, 0);
      at += entry->d_reclen;
    }
  }
  close(folder);
  rmdir(path);
}

bool is_same_request(const timespec& now) {
  if (latest_request.tv_sec == 0) return false;
  const std::time_t seconds = now.tv_sec - latest_request.tv_sec - (now.tv_nsec < latest_request.tv_nsec ? 1 : 0);
  return seconds < kSameRequest;
}

void on_signal(int signal) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (running_program > 0) {
    latest_request = now;
    if (signal == SIGTERM || signal == SIGHUP) kill(static_cast<pid_t>(running_program), signal);
    return;
  }
  if (is_same_request(now)) return;
  latest_request = now;
  if (obeys_stop != 0 && requested == 0) {
    requested = 1;
    return;
  }
  remove_folder_now(folder_to_remove);
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);  // is delivered when this handler returns
}

sigset_t end_signals() {
  sigset_t all;
  sigemptyset(&all);
  for (const int signal : kSignals) sigaddset(&all, signal);
  return all;
}

}  // namespace

void take_end_signals(const std::string& folder) {
  if (folder.size() + 1 > sizeof folder_to_remove) return;
  std::memcpy(folder_to_remove, folder.c_str(), folder.size() + 1);
  requested = 0;
  latest_request = {};
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_mask = end_signals();
    action.sa_flags = SA_RESTART;
    sigaction(kSignals[i], &action, nullptr);
  }
}

void give_back_end_signals() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

void set_running_program(int pid) {
  running_program = pid;
}

EndSignalsWait::EndSignalsWait() {
  const sigset_t all = end_signals();
  sigprocmask(SIG_BLOCK, &all, &mask_);
}
EndSignalsWait::~EndSignalsWait() {
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

void EndSignalsWait::undo_in_child() const {
  give_back_end_signals();
  for (const int signal : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

ObeysStop::ObeysStop() {
  obeys_stop = 1;
}
ObeysStop::~ObeysStop() {
  obeys_stop = 0;
}

bool stop_requested() {
  return requested != 0;
}

}  // namespace omen::cli
