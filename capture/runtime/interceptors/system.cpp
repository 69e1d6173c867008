/// \file
/// Queries of the system, processes, threads and signals that fill structures of the caller.
#include <dlfcn.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "capture/runtime/foreign/glib_hooks.hpp"
#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/polling.hpp"
#include "capture/runtime/interceptors/touches.hpp"
#include "capture/runtime/interceptors/turns.hpp"

using namespace omen::rt;

namespace {

/// The size of a set of `descriptors` bits, in whole words.
std::size_t set_bytes(int descriptors) {
  return descriptors <= 0 ? 0 : (static_cast<std::size_t>(descriptors) + 63) / 64 * 8;
}
/// `poll` reads the requested events, and writes the returned ones.
void polls(const pollfd* files, std::size_t count, bool after, uptr pc) {
  if (files == nullptr || recording_thread() == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (after) {
      writes(&files[i].revents, sizeof files[i].revents, pc);
    } else {
      reads(&files[i], offsetof(pollfd, revents), pc);
    }
  }
}
void polled(const pollfd* files, std::size_t count, int result, uptr pc) {
  polled_by_main_loop(pc);
  if (result >= 0) polls(files, count, true, pc);
  if (result == 0) WatchedDescriptors(files, count).are_empty(pc);
}
/// In a replayed run, descriptors are polled in the schedule's turn.
OMEN_NOINLINE void await_poll_scheduled(uptr pc) {
  if (schedule::replays()) await_turn(nullptr, pc);
}
OMEN_INLINE void await_poll(uptr pc) {
  if (schedule::on()) await_poll_scheduled(pc);
}
/// The word of a signal set that contains this signal.
const void* word_of(const sigset_t* set, int signal) {
  return signal < 1 || signal > 64 ? nullptr : &set->__val[(signal - 1) / 64];
}
constexpr std::size_t kKernelSet = 8;  ///< the kernel's size of a `sigset_t`

}  // namespace

#define DONE if (result == 0)
#define OUT(to) DONE WROTE(to, sizeof *to)
#define SETS_READ                 \
  READ(reading, set_bytes(files)) \
  READ(writing, set_bytes(files)) READ(failing, set_bytes(files)) READ(time, sizeof *time)
#define SETS_WRITTEN                                                                                   \
  if (result >= 0) {                                                                                   \
    WROTE(reading, set_bytes(files)) WROTE(writing, set_bytes(files)) WROTE(failing, set_bytes(files)) \
  }

// clang-format off
// The system and its limits.
OMEN_CALL(int, uname, (utsname* to), (to), , if (result >= 0) WROTE(to, sizeof *to))
OMEN_STATE_CALL(int, gethostname, (char* to, std::size_t room), (to, room), , DONE WROTE(to, omen::formats::text_bytes(to, room)))
OMEN_STATE_CALL(int, getdomainname, (char* to, std::size_t room), (to, room), , DONE WROTE(to, omen::formats::text_bytes(to, room)))
OMEN_STATE_CALL(int, __gethostname_chk, (char* to, std::size_t room, std::size_t limit), (to, room, limit), , DONE WROTE(to, omen::formats::text_bytes(to, room)))
OMEN_STATE_CALL(int, __getdomainname_chk, (char* to, std::size_t room, std::size_t limit), (to, room, limit), , DONE WROTE(to, omen::formats::text_bytes(to, room)))
OMEN_STATE_CALL(int, sysinfo, (struct sysinfo* to), (to), , OUT(to))
OMEN_CALL(int, getrusage, (int who, rusage* to), (who, to), , OUT(to))
OMEN_STATE_CALL(int, getrlimit, (int what, rlimit* to), (what, to), , OUT(to))
OMEN_STATE_CALL(int, getrlimit64, (int what, rlimit64* to), (what, to), , OUT(to))
OMEN_STATE_CALL(int, setrlimit, (int what, const rlimit* from), (what, from), READ(from, sizeof *from), )
OMEN_STATE_CALL(int, setrlimit64, (int what, const rlimit64* from), (what, from), READ(from, sizeof *from), )
OMEN_STATE_CALL(int, prlimit, (int process, int what, const rlimit* from, rlimit* to), (process, what, from, to), READ(from, sizeof *from), OUT(to))
OMEN_STATE_CALL(int, prlimit64, (int process, int what, const rlimit64* from, rlimit64* to), (process, what, from, to), READ(from, sizeof *from), OUT(to))
OMEN_STATE_CALL(int, getgroups, (int count, gid_t* to), (count, to), , if (count > 0 && result > 0) WROTE(to, static_cast<std::size_t>(result) * sizeof *to))
OMEN_STATE_CALL(int, __getgroups_chk, (int count, gid_t* to, std::size_t limit), (count, to, limit), , if (count > 0 && result > 0) WROTE(to, static_cast<std::size_t>(result) * sizeof *to))
OMEN_STATE_CALL(int, getresuid, (uid_t* a, uid_t* b, uid_t* c), (a, b, c), , DONE { WROTE(a, sizeof *a) WROTE(b, sizeof *b) WROTE(c, sizeof *c) })
OMEN_STATE_CALL(int, getresgid, (gid_t* a, gid_t* b, gid_t* c), (a, b, c), , DONE { WROTE(a, sizeof *a) WROTE(b, sizeof *b) WROTE(c, sizeof *c) })
OMEN_CALL(int, getcpu, (unsigned* processor, unsigned* node), (processor, node), , DONE { WROTE(processor, sizeof *processor) WROTE(node, sizeof *node) })
OMEN_STATE_CALL(int, getloadavg, (double* to, int count), (to, count), , if (result > 0) WROTE(to, static_cast<std::size_t>(result) * sizeof *to))
OMEN_STATE_CALL(int, mincore, (void* memory, std::size_t bytes, unsigned char* to), (memory, bytes, to), , DONE WROTE(to, (bytes + 4095) / 4096))
OMEN_STATE_CALL(int, sched_getaffinity, (int process, std::size_t bytes, cpu_set_t* to), (process, bytes, to), , DONE WROTE(to, bytes))
OMEN_STATE_CALL(int, sched_setaffinity, (int process, std::size_t bytes, const cpu_set_t* from), (process, bytes, from), READ(from, bytes), )
OMEN_STATE_CALL(int, sched_getparam, (int process, sched_param* to), (process, to), , OUT(to))
OMEN_STATE_CALL(int, sched_setparam, (int process, const sched_param* from), (process, from), READ(from, sizeof *from), )
OMEN_STATE_CALL(int, sched_setscheduler, (int process, int policy, const sched_param* from), (process, policy, from), READ(from, sizeof *from), )
OMEN_STATE_CALL(int, sched_rr_get_interval, (int process, timespec* to), (process, to), , OUT(to))
OMEN_CALL(std::size_t, confstr, (int name, char* to, std::size_t room), (name, to, room), , if (room != 0 && result != 0) WROTE(to, result < room ? result : room))
OMEN_CALL(std::size_t, __confstr_chk, (int name, char* to, std::size_t room, std::size_t limit), (name, to, room, limit), , if (room != 0 && result != 0) WROTE(to, result < room ? result : room))
OMEN_STATE_CALL(int, tcgetattr, (int file, termios* to), (file, to), , OUT(to))
OMEN_STATE_CALL(int, tcsetattr, (int file, int when, const termios* from), (file, when, from), READ(from, sizeof *from), )
OMEN_CALL(int, backtrace, (void** to, int room), (to, room), , if (result > 0) WROTE(to, static_cast<std::size_t>(result) * sizeof *to))
OMEN_CALL(int, dladdr, (const void* address, Dl_info* to), (address, to), , if (result != 0) WROTE(to, sizeof *to))

// Processes.
OMEN_STATE_CALL(int, wait, (int* status), (status), , if (result > 0) WROTE(status, sizeof *status))
OMEN_STATE_CALL(int, waitpid, (int process, int* status, int options), (process, status, options), , if (result > 0) WROTE(status, sizeof *status))
OMEN_STATE_CALL(int, wait3, (int* status, int options, rusage* usage), (status, options, usage), , if (result > 0) { WROTE(status, sizeof *status) WROTE(usage, sizeof *usage) })
OMEN_STATE_CALL(int, wait4, (int process, int* status, int options, rusage* usage), (process, status, options, usage), , if (result > 0) { WROTE(status, sizeof *status) WROTE(usage, sizeof *usage) })
OMEN_STATE_CALL(int, waitid, (int kind, unsigned process, siginfo_t* to, int options), (kind, process, to, options), , OUT(to))
OMEN_STATE_CALL(int, system, (const char* command), (command), TEXT(command), )

// Signals.
OMEN_CALL(int, sigemptyset, (sigset_t* to), (to), , OUT(to))
OMEN_CALL(int, sigfillset, (sigset_t* to), (to), , OUT(to))
OMEN_CALL(int, sigaddset, (sigset_t* set, int signal), (set, signal), , DONE WROTE(word_of(set, signal), kKernelSet))
OMEN_CALL(int, sigdelset, (sigset_t* set, int signal), (set, signal), , DONE WROTE(word_of(set, signal), kKernelSet))
OMEN_CALL(int, sigismember, (const sigset_t* set, int signal), (set, signal), READ(word_of(set, signal), kKernelSet), )
OMEN_STATE_CALL(int, sigpending, (sigset_t* to), (to), , DONE WROTE(to, kKernelSet))
OMEN_CALL(int, sigprocmask, (int how, const sigset_t* from, sigset_t* before), (how, from, before), READ(from, kKernelSet), DONE WROTE(before, kKernelSet))
OMEN_CALL(int, pthread_sigmask, (int how, const sigset_t* from, sigset_t* before), (how, from, before), READ(from, kKernelSet), DONE WROTE(before, kKernelSet))
OMEN_CALL(int, sigaltstack, (const stack_t* from, stack_t* before), (from, before), READ(from, sizeof *from), DONE WROTE(before, sizeof *before))

// Waiting for descriptors.
#define POLLING(type, name, parameters, time, call, before, after)                          \
  OMEN_INTERCEPT(type, name, parameters) {                                                  \
    [[maybe_unused]] const omen::rt::uptr pc = OMEN_CALLER;                                 \
    before;                                                                                 \
    type const result = poll_in_scheduler(time, pc, [=](bool blocks) { return OMEN_REAL(name) call; }); \
    after;                                                                                  \
    return result;                                                                          \
  }
static const timespec kNoTime = {0, 0};
POLLING(int, poll, (pollfd* files, unsigned long count, int time), milliseconds(time), (files, count, blocks ? time : 0), await_poll(pc); polls(files, count, false, pc), polled(files, count, result, pc))
POLLING(int, ppoll, (pollfd* files, unsigned long count, const timespec* time, const sigset_t* mask), nanoseconds_of(time), (files, count, blocks ? time : &kNoTime, mask), await_poll(pc); polls(files, count, false, pc); READ(time, sizeof *time) READ(mask, kKernelSet), polled(files, count, result, pc))
POLLING(int, __poll_chk, (pollfd* files, unsigned long count, int time, std::size_t room), milliseconds(time), (files, count, blocks ? time : 0, room), await_poll(pc); polls(files, count, false, pc), polled(files, count, result, pc))
POLLING(int, __ppoll_chk, (pollfd* files, unsigned long count, const timespec* time, const sigset_t* mask, std::size_t room), nanoseconds_of(time), (files, count, blocks ? time : &kNoTime, mask, room), await_poll(pc); polls(files, count, false, pc); READ(time, sizeof *time) READ(mask, kKernelSet), polled(files, count, result, pc))
OMEN_CALL(int, select, (int files, fd_set* reading, fd_set* writing, fd_set* failing, timeval* time), (files, reading, writing, failing, time), await_poll(pc); const WatchedDescriptors watched(reading, files); SETS_READ, if (result == 0) watched.are_empty(pc); SETS_WRITTEN if (result >= 0) WROTE(time, sizeof *time))
OMEN_CALL(int, pselect, (int files, fd_set* reading, fd_set* writing, fd_set* failing, const timespec* time, const sigset_t* mask), (files, reading, writing, failing, time, mask), await_poll(pc); const WatchedDescriptors watched(reading, files); SETS_READ READ(mask, kKernelSet), if (result == 0) watched.are_empty(pc); SETS_WRITTEN)

// Addresses and options of sockets.
OMEN_STATE_CALL(int, bind, (int file, const void* address, unsigned length), (file, address, length), READ(address, length), )
OMEN_STATE_CALL(int, getsockname, (int file, void* to, unsigned* length), (file, to, length), READ(length, sizeof *length) const unsigned room = length == nullptr ? 0 : *length, DONE { WROTE(to, *length < room ? *length : room) WROTE(length, sizeof *length) })
OMEN_STATE_CALL(int, getpeername, (int file, void* to, unsigned* length), (file, to, length), READ(length, sizeof *length) const unsigned room = length == nullptr ? 0 : *length, DONE { WROTE(to, *length < room ? *length : room) WROTE(length, sizeof *length) })
OMEN_STATE_CALL(int, getsockopt, (int file, int level, int name, void* to, unsigned* length), (file, level, name, to, length), READ(length, sizeof *length), DONE { WROTE(to, *length) WROTE(length, sizeof *length) })
OMEN_STATE_CALL(int, setsockopt, (int file, int level, int name, const void* from, unsigned length), (file, level, name, from, length), READ(from, length), )

// Threads and their attributes.
#define ATTRIBUTES(name, type) OMEN_CALL(int, name, (const void* from, type* to), (from, to), , OUT(to))
ATTRIBUTES(pthread_attr_getdetachstate, int)
ATTRIBUTES(pthread_attr_getguardsize, std::size_t)
ATTRIBUTES(pthread_attr_getinheritsched, int)
ATTRIBUTES(pthread_attr_getschedparam, sched_param)
ATTRIBUTES(pthread_attr_getschedpolicy, int)
ATTRIBUTES(pthread_attr_getscope, int)
ATTRIBUTES(pthread_attr_getstacksize, std::size_t)
ATTRIBUTES(pthread_mutexattr_getprioceiling, int)
ATTRIBUTES(pthread_mutexattr_getprotocol, int)
ATTRIBUTES(pthread_mutexattr_getpshared, int)
ATTRIBUTES(pthread_mutexattr_getrobust, int)
ATTRIBUTES(pthread_mutexattr_gettype, int)
ATTRIBUTES(pthread_rwlockattr_getkind_np, int)
ATTRIBUTES(pthread_rwlockattr_getpshared, int)
ATTRIBUTES(pthread_condattr_getclock, int)
ATTRIBUTES(pthread_condattr_getpshared, int)
ATTRIBUTES(pthread_barrierattr_getpshared, int)
OMEN_CALL(int, pthread_attr_getstack, (const void* from, void** low, std::size_t* bytes), (from, low, bytes), , DONE { WROTE(low, sizeof *low) WROTE(bytes, sizeof *bytes) })
OMEN_CALL(int, pthread_getattr_np, (unsigned long thread, pthread_attr_t* to), (thread, to), , OUT(to))
OMEN_STATE_CALL(int, pthread_getname_np, (unsigned long thread, char* to, std::size_t room), (thread, to, room), , DONE WROTE(to, text_length(to) + 1))
OMEN_STATE_CALL(int, pthread_getschedparam, (unsigned long thread, int* policy, sched_param* to), (thread, policy, to), , DONE { WROTE(policy, sizeof *policy) WROTE(to, sizeof *to) })
OMEN_STATE_CALL(int, pthread_setschedparam, (unsigned long thread, int policy, const sched_param* from), (thread, policy, from), READ(from, sizeof *from), )
OMEN_STATE_CALL(int, pthread_getaffinity_np, (unsigned long thread, std::size_t bytes, cpu_set_t* to), (thread, bytes, to), , DONE WROTE(to, bytes))
OMEN_STATE_CALL(int, pthread_setaffinity_np, (unsigned long thread, std::size_t bytes, const cpu_set_t* from), (thread, bytes, from), READ(from, bytes), )
OMEN_CALL(int, pthread_setcancelstate, (int state, int* before), (state, before), , DONE WROTE(before, sizeof *before))
OMEN_CALL(int, pthread_setcanceltype, (int type, int* before), (type, before), , DONE WROTE(before, sizeof *before))
// clang-format on
