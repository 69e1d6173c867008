/// \file
/// The states of the process's other threads, from /proc/self/task.
///
/// A thread is *idle* if it has ended, or if the kernel reports that it sleeps (state S) in a call without a timeout. A
/// thread in `nanosleep`, or in a wait whose timeout expires before ours, continues by itself: it is not idle.
///
/// Invariant: the wait ends early only at a moment when no thread could run. One scan of all threads does not show
/// that, because a thread may wake one that was scanned before, and be asleep when it is scanned itself. So it takes
/// two scans that find all threads idle, with none having run between them: the kernel counts how often a thread ran. A
/// thread that was woken and has not run yet has the state R.
#include "capture/runtime/interceptors/other_threads.hpp"

#include <asm/unistd.h>
#include <linux/futex.h>
#include <sys/stat.h>

#include "capture/runtime/detector/detector.hpp"
#include "capture/runtime/detector/message_log.hpp"
#include "capture/runtime/recorder/recorder.hpp"
#include "capture/runtime/schedule/explore/explore.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

namespace omen::rt {
namespace {

constexpr const char* kTasks = "/proc/self/task";
constexpr u64 kMillisecond = 1'000'000;
constexpr u64 kShortestNap = kMillisecond / 10;
constexpr u64 kLongestNap = 10 * kMillisecond;

std::atomic<u32> process{0};
std::atomic<u32> waiting{0};  ///< a thread is in `await_other_threads`
u64 waited = 0;               ///< time of all waits so far; written by the thread in `await_other_threads`

u64 time_of(long clock) {
  u64 time[2] = {};
  system_call(__NR_clock_gettime, clock, reinterpret_cast<long>(time));
  return time[0] * 1000 * kMillisecond + time[1];
}
constexpr long kRealtime = 0;
constexpr long kMonotonic = 1;

/// The text of a file of a thread; empty if it cannot be read, for example because the thread has ended.
class TaskFile {
 public:
  TaskFile(const char* thread, const char* name) {
    char path[64] = {};
    std::size_t used = 0;
    for (const char* part : {kTasks, "/", thread, "/", name}) {
      while (*part != 0 && used + 1 < sizeof path) path[used++] = *part++;
    }
    const long file = system_call(__NR_open, reinterpret_cast<long>(path), 02000000 /* O_CLOEXEC */);
    if (file < 0) return;
    const long length = system_call(__NR_read, file, reinterpret_cast<long>(text_), sizeof text_ - 1);
    system_call(__NR_close, file);
    text_[length > 0 ? length : 0] = 0;
  }
  const char* text() const { return text_; }
  bool is_empty() const { return text_[0] == 0; }

 private:
  char text_[1024] = {};
};

/// The state (`R`, `S`, …) in a `stat` file. It follows the name, which may contain any character.
char state_in(const char* text) {
  const char* after = nullptr;
  for (; *text != 0; ++text) {
    if (*text == ')') after = text;
  }
  return after != nullptr && after[1] == ' ' ? after[2] : 'X';
}

/// The system call that a thread is in, from its `syscall` file: number and arguments. Number -1: none.
struct Call {
  long number = -1;
  u64 arguments[6] = {};

  explicit Call(const char* text) {
    if (*text < '0' || *text > '9') return;
    number = 0;
    for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
    for (u64& argument : arguments) {
      if (!text_starts(text, " 0x")) return;
      for (text += 3; *text != 0 && *text != ' ' && *text != '\n'; ++text) {
        argument = argument * 16 + static_cast<u64>(*text <= '9' ? *text - '0' : *text - 'a' + 10);
      }
    }
  }
  bool has_time(u32 pointer) const { return arguments[pointer] != 0; }
  bool has_milliseconds(u32 number_of) const { return static_cast<int>(arguments[number_of]) >= 0; }
};

/// True if the wait of a futex times out before `nanoseconds` are over. The time is in the memory of a thread that may
/// have continued meanwhile, so the kernel reads it.
bool futex_ends_soon(const Call& call, u64 nanoseconds) {
  if (!call.has_time(3)) return false;
  const u64 operation = call.arguments[1];
  if ((operation & 0x7f) != FUTEX_WAIT_BITSET) return true;
  u64 until[2] = {};
  const u64 into[2] = {reinterpret_cast<u64>(until), sizeof until};
  const u64 from[2] = {call.arguments[3], sizeof until};
  const long read = system_call(__NR_process_vm_readv, static_cast<long>(process_id()), reinterpret_cast<long>(into), 1,
                                reinterpret_cast<long>(from), 1, 0);
  if (read != static_cast<long>(sizeof until)) return true;
  const u64 now = time_of((operation & FUTEX_CLOCK_REALTIME) != 0 ? kRealtime : kMonotonic);
  return until[0] <= (now + nanoseconds) / (1000 * kMillisecond);
}

/// True if the call that a thread sleeps in ends by itself.
bool ends_by_itself(const Call& call, u64 nanoseconds) {
  switch (call.number) {
    case __NR_nanosleep:
    case __NR_clock_nanosleep:
    case __NR_restart_syscall:  // one of these was interrupted
      return true;
    case __NR_futex:
      return futex_ends_soon(call, nanoseconds);
    case __NR_poll:
      return call.has_milliseconds(2);
    case __NR_epoll_wait:
    case __NR_epoll_pwait:
      return call.has_milliseconds(3);
    case __NR_ppoll:
    case __NR_rt_sigtimedwait:
      return call.has_time(2);
    case __NR_semtimedop:
    case 441:  // epoll_pwait2
      return call.has_time(3);
    case __NR_select:
    case __NR_pselect6:
    case __NR_io_getevents:
      return call.has_time(4);
    default:
      return false;
  }
}

bool is_idle(const char* thread, u64 nanoseconds) {
  const TaskFile stat(thread, "stat");
  switch (stat.is_empty() ? 'X' : state_in(stat.text())) {
    case 'X':  // ended
    case 'Z':
    case 'T':  // stopped
    case 't':
      return true;
    case 'S': {
      const TaskFile call(thread, "syscall");
      return !call.is_empty() && !ends_by_itself(Call(call.text()), nanoseconds);
    }
    default:
      return false;
  }
}

/// One scan of all other threads.
struct Look {
  bool all_idle = true;
  u64 runs = 0;  ///< a digest of how often each has run

  explicit Look(u64 nanoseconds) {
    const long folder = system_call(__NR_open, reinterpret_cast<long>(kTasks), 02200000 /* O_DIRECTORY | O_CLOEXEC */);
    if (folder < 0) return;
    const u32 own = system_thread_id();
    alignas(8) char entries[4096];
    while (all_idle) {
      const long bytes = system_call(__NR_getdents64, folder, reinterpret_cast<long>(entries), sizeof entries);
      if (bytes <= 0) break;
      for (long at = 0; at < bytes && all_idle;) {
        const char* const entry = entries + at;
        u16 length = 0;
        copy_bytes(&length, entry + 16, sizeof length);  // struct linux_dirent64
        at += length;
        const char* const name = entry + 19;
        if (name[0] == '.' || is_number(name, own)) continue;
        digest(TaskFile(name, "schedstat").text());
        all_idle = is_idle(name, nanoseconds);
      }
    }
    system_call(__NR_close, folder);
  }

 private:
  static bool is_number(const char* text, u32 number) {
    u32 value = 0;
    for (; *text != 0; ++text) value = value * 10 + static_cast<u32>(*text - '0');
    return value == number;
  }
  void digest(const char* text) {
    for (; *text != 0; ++text) runs = (runs ^ static_cast<u8>(*text)) * 0x100000001B3ULL;
  }
};

u64 most_nanoseconds() {
  return detect::number_option("atexit_sleep_ms", 1000) * kMillisecond;
}

}  // namespace

u64 thread_count() {
  struct stat status = {};
  const long failed = system_call(__NR_stat, reinterpret_cast<long>(kTasks), reinterpret_cast<long>(&status));
  return failed != 0 || status.st_nlink < 3 ? 1 : status.st_nlink - 2;
}

u64 monotonic_nanoseconds() {
  return time_of(kMonotonic);
}

void own_this_process() {
  process.store(process_id(), std::memory_order_relaxed);
  waiting.store(0, std::memory_order_relaxed);
  waited = 0;
}

bool is_own_process() {
  return process.load(std::memory_order_relaxed) == process_id();
}

void await_other_threads() {
  const ThreadState* const thread = current_thread;
  if (thread == nullptr || thread->busy != 0 || thread->in_handler != 0) return;
  if (!recorder.recording() && !detect::detector.on() && !schedule::on()) return;
  if (!is_own_process()) return;
  // A strategy has its own count of threads: the kernel still reports a thread for a while after its join.
  ThreadState* const explored = schedule::on() ? explore::explored_thread() : nullptr;
  if (explored != nullptr && explore::await_others(explored, 0)) return;
  if (thread_count() == 1) return;
  if (schedule::on()) schedule::await_end();
  if (waiting.exchange(1, std::memory_order_acquire) != 0) return;
  const u64 most = most_nanoseconds();
  const u64 begin = monotonic_nanoseconds();
  const u64 until = begin + (most > waited ? most - waited : 0);
  bool was_idle = false;
  u64 runs = 0;
  u64 nap = kShortestNap;
  for (u64 now = begin; now < until && thread_count() > 1; now = monotonic_nanoseconds()) {
    const Look look(until - now);
    if (look.all_idle && was_idle && look.runs == runs) break;
    was_idle = look.all_idle;
    runs = look.runs;
    if (was_idle) continue;  // second scan at once
    const u64 left = until - now;
    const u64 time[2] = {0, nap < left ? nap : left};
    system_call(__NR_nanosleep, reinterpret_cast<long>(time), 0);
    nap = nap * 2 < kLongestNap ? nap * 2 : kLongestNap;
  }
  waited += monotonic_nanoseconds() - begin;
  waiting.store(0, std::memory_order_release);
}

}  // namespace omen::rt
