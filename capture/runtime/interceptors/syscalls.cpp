/// \file
/// `sanitizer/linux_syscall_hooks.h`: hooks that programs call around their own system calls. The kernel's reads are
/// reported before the call, its writes after it, as accesses of the calling thread; descriptors imply order as in
/// interceptors/descriptors.cpp.
///
/// Every hook has six integer arguments here, `a` to `f`: the calling convention passes pointers and numbers alike, and
/// unused arguments are ignored. Hooks without any effect are defined too, for programs that link to them. Calls that
/// block need no special handling: a signal that arrives meanwhile finds the thread outside the runtime.
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <utime.h>

#include "capture/runtime/interceptors/descriptors.hpp"
#include "capture/runtime/interceptors/process_hooks.hpp"
#include "capture/runtime/recorder/recorder.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

constexpr long kAll = 0x7fffffffffffffffL;

void access(long memory, long bytes, bool write, uptr pc) {
  if (memory == 0 || bytes <= 0) return;
  if (ThreadState* const thread = recording_thread()) {
    recorder.range(thread, static_cast<uptr>(memory), static_cast<u64>(bytes), write, pc);
  }
}

/// The pieces of a scattered buffer, up to `bytes` in total.
void access_pieces(long pieces, long count, long bytes, bool write, uptr pc) {
  if (pieces == 0 || bytes <= 0) return;
  access(pieces, count * static_cast<long>(sizeof(iovec)), false, pc);
  const auto* const piece = reinterpret_cast<const iovec*>(pieces);
  for (long i = 0; i < count && bytes > 0; ++i) {
    const long length = static_cast<long>(piece[i].iov_len);
    access(reinterpret_cast<long>(piece[i].iov_base), length < bytes ? length : bytes, write, pc);
    bytes -= length;
  }
}

void access_message(long message, long bytes, bool write, uptr pc) {
  if (message == 0) return;
  const auto* const header = reinterpret_cast<const msghdr*>(message);
  access(message, sizeof *header, false, pc);
  access(reinterpret_cast<long>(header->msg_name), static_cast<long>(header->msg_namelen), write, pc);
  access(reinterpret_cast<long>(header->msg_control), static_cast<long>(header->msg_controllen), write, pc);
  access_pieces(reinterpret_cast<long>(header->msg_iov), static_cast<long>(header->msg_iovlen), bytes, write, pc);
}

void access_messages(long messages, long count, bool write, uptr pc) {
  const auto* const message = reinterpret_cast<const mmsghdr*>(messages);
  for (long i = 0; messages != 0 && i < count; ++i) {
    access_message(reinterpret_cast<long>(&message[i].msg_hdr), write ? message[i].msg_len : kAll, write, pc);
  }
}

/// An address that the kernel stores; its length is beside it.
void access_address(long address, long length, uptr pc) {
  if (length == 0) return;
  access(length, sizeof(socklen_t), true, pc);
  access(address, *reinterpret_cast<const socklen_t*>(length), true, pc);
}

// Asynchronous input and output: the submission of a request is ordered before its result. The number that the program
// gave it identifies the request.
void requests_submitted(long count, long requests, uptr pc) {
  ThreadState* const thread = recording_thread();
  for (long i = 0; thread != nullptr && requests != 0 && i < count; ++i) {
    const iocb& request = *reinterpret_cast<const iocb* const*>(requests)[i];
    const auto memory = static_cast<long>(request.aio_buf);
    const auto length = static_cast<long>(request.aio_nbytes);
    switch (request.aio_lio_opcode) {
      case IOCB_CMD_PREAD:
      case IOCB_CMD_PWRITE:
        access(memory, length, request.aio_lio_opcode == IOCB_CMD_PREAD, pc);
        break;
      case IOCB_CMD_PREADV:
      case IOCB_CMD_PWRITEV:
        access_pieces(memory, length, kAll, request.aio_lio_opcode == IOCB_CMD_PREADV, pc);
        break;
      default:
        break;
    }
    recorder.synchronise(thread, RawOp::SyncRelease, request.aio_data, 0, pc);
  }
}
void request_done(const io_event* event, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || event == nullptr) return;
  recorder.synchronise(thread, RawOp::SyncAcquire, event->data, 0, pc);
  access(reinterpret_cast<long>(event), sizeof *event, true, pc);
}
void requests_done(long result, long events, uptr pc) {
  for (long i = 0; i < result; ++i) request_done(reinterpret_cast<const io_event*>(events) + i, pc);
}

long length_of(long text) {
  return text == 0 ? 0 : static_cast<long>(text_length(reinterpret_cast<const char*>(text))) + 1;
}
long set_bytes(long descriptors) {
  return (descriptors + 63) / 64 * 8;
}
/// The sizes of kernel structures that the C library's headers do not define under this name.
constexpr long kAction = 32;
constexpr long kSignalInfo = 128;
constexpr long kAlternateStack = 24;
/// Arguments are signed, and so are results computed from them.
template <class T>
constexpr long kSize = sizeof(T);

}  // namespace

// The effects of a hook. R: the kernel reads; W: it writes, if the call succeeded; T: it reads a text.
#define R(memory, bytes) access(memory, static_cast<long>(bytes), false, pc);
#define W(memory, bytes) \
  if (result >= 0) access(memory, static_cast<long>(bytes), true, pc);
#define T(text) access(text, length_of(text), false, pc);
#define RELEASES(file) descriptor_releases(static_cast<int>(file), pc);
#define ACQUIRES(file) \
  if (result >= 0) descriptor_acquires(static_cast<int>(file), pc);
#define CREATES(file) \
  if (result >= 0) descriptor_created(static_cast<int>(file), pc);

/// A call: its effects before and after.
#define OMEN_CALL(name, before, after)                                                                         \
  extern "C" __attribute__((visibility("default"))) void __sanitizer_syscall_pre_impl_##name(                  \
      [[maybe_unused]] long a, [[maybe_unused]] long b, [[maybe_unused]] long c, [[maybe_unused]] long d,      \
      [[maybe_unused]] long e, [[maybe_unused]] long f) {                                                      \
    [[maybe_unused]] const uptr pc = reinterpret_cast<uptr>(__builtin_return_address(0));                      \
    before                                                                                                     \
  }                                                                                                            \
  extern "C" __attribute__((visibility("default"))) void __sanitizer_syscall_post_impl_##name(                 \
      [[maybe_unused]] long result, [[maybe_unused]] long a, [[maybe_unused]] long b, [[maybe_unused]] long c, \
      [[maybe_unused]] long d, [[maybe_unused]] long e, [[maybe_unused]] long f) {                             \
    [[maybe_unused]] const uptr pc = reinterpret_cast<uptr>(__builtin_return_address(0));                      \
    after                                                                                                      \
  }
#define OMEN_SILENT_CALL(name) OMEN_CALL(name, , )

// clang-format off
// Reading and writing.
OMEN_CALL(read, , ACQUIRES(a) W(b, result))
OMEN_CALL(pread64, , ACQUIRES(a) W(b, result))
OMEN_CALL(readv, , ACQUIRES(a) access_pieces(b, c, result, true, pc);)
OMEN_CALL(preadv, , ACQUIRES(a) access_pieces(b, c, result, true, pc);)
OMEN_CALL(recv, , ACQUIRES(a) W(b, result))
OMEN_CALL(recvfrom, , ACQUIRES(a) W(b, result) if (result >= 0) access_address(e, f, pc);)
OMEN_CALL(recvmsg, , ACQUIRES(a) if (result >= 0) access_message(b, result, true, pc);)
OMEN_CALL(recvmmsg, R(e, sizeof(timespec)), ACQUIRES(a) access_messages(b, result, true, pc);)
OMEN_CALL(write, R(b, c) RELEASES(a), )
OMEN_CALL(pwrite64, R(b, c) RELEASES(a), )
OMEN_CALL(writev, access_pieces(b, c, kAll, false, pc); RELEASES(a), )
OMEN_CALL(pwritev, access_pieces(b, c, kAll, false, pc); RELEASES(a), )
OMEN_CALL(send, R(b, c) RELEASES(a), )
OMEN_CALL(sendto, R(b, c) R(e, f) RELEASES(a), )
OMEN_CALL(sendmsg, access_message(b, kAll, false, pc); RELEASES(a), )
OMEN_CALL(sendmmsg, access_messages(b, c, false, pc); RELEASES(a), )
OMEN_CALL(sendfile, R(c, sizeof(off_t)) RELEASES(a), ACQUIRES(b) W(c, sizeof(off_t)))
OMEN_CALL(sendfile64, R(c, sizeof(off_t)) RELEASES(a), ACQUIRES(b) W(c, sizeof(off_t)))
OMEN_CALL(splice, R(b, sizeof(off_t)) R(d, sizeof(off_t)) RELEASES(c), ACQUIRES(a) W(b, sizeof(off_t)) W(d, sizeof(off_t)))
OMEN_CALL(tee, RELEASES(b), ACQUIRES(a))
OMEN_CALL(vmsplice, access_pieces(b, c, kAll, false, pc); RELEASES(a), )
OMEN_CALL(process_vm_readv, , access_pieces(b, c, result, true, pc);)
OMEN_CALL(process_vm_writev, access_pieces(b, c, kAll, false, pc);, )
OMEN_CALL(io_setup, , W(b, sizeof(aio_context_t)))
OMEN_CALL(io_submit, requests_submitted(b, c, pc);, )
OMEN_CALL(io_getevents, R(e, sizeof(timespec)), requests_done(result, d, pc);)
OMEN_CALL(io_cancel, , if (result == 0) request_done(reinterpret_cast<const io_event*>(c), pc);)
OMEN_CALL(getdents, , W(b, result))
OMEN_CALL(getdents64, , W(b, result))
OMEN_CALL(readlink, T(a), W(b, result))
OMEN_CALL(readlinkat, T(b), W(c, result))
OMEN_CALL(getcwd, , W(a, result))
OMEN_CALL(llseek, , W(d, sizeof(loff_t)))

// Descriptors.
OMEN_CALL(open, T(a), CREATES(result))
OMEN_CALL(openat, T(b), CREATES(result))
OMEN_CALL(creat, T(a), CREATES(result))
OMEN_CALL(close, descriptor_closes(static_cast<int>(a), pc);, )
OMEN_CALL(dup, , CREATES(result))
OMEN_CALL(dup2, , if (result >= 0 && a != b) descriptor_replaced(static_cast<int>(b), pc);)
OMEN_CALL(dup3, , if (result >= 0) descriptor_replaced(static_cast<int>(b), pc);)
OMEN_CALL(pipe, , W(a, 2 * kSize<int>) if (result >= 0) { CREATES(reinterpret_cast<int*>(a)[0]) CREATES(reinterpret_cast<int*>(a)[1]) })
OMEN_CALL(pipe2, , W(a, 2 * kSize<int>) if (result >= 0) { CREATES(reinterpret_cast<int*>(a)[0]) CREATES(reinterpret_cast<int*>(a)[1]) })
OMEN_CALL(socketpair, , W(d, 2 * kSize<int>) if (result >= 0) { CREATES(reinterpret_cast<int*>(d)[0]) CREATES(reinterpret_cast<int*>(d)[1]) })
OMEN_CALL(socket, , CREATES(result))
OMEN_CALL(accept, , ACQUIRES(a) CREATES(result) if (result >= 0) access_address(b, c, pc);)
OMEN_CALL(accept4, , ACQUIRES(a) CREATES(result) if (result >= 0) access_address(b, c, pc);)
OMEN_CALL(bind, R(b, c), )
OMEN_CALL(connect, R(b, c) RELEASES(a), )
OMEN_CALL(shutdown, RELEASES(a), )
OMEN_CALL(getsockname, , if (result >= 0) access_address(b, c, pc);)
OMEN_CALL(getpeername, , if (result >= 0) access_address(b, c, pc);)
OMEN_CALL(getsockopt, , if (result >= 0) access_address(d, e, pc);)
OMEN_CALL(setsockopt, R(d, e), )
OMEN_CALL(eventfd, , CREATES(result))
OMEN_CALL(eventfd2, , CREATES(result))
OMEN_CALL(signalfd, R(b, c), CREATES(result))
OMEN_CALL(signalfd4, R(b, c), CREATES(result))
OMEN_CALL(timerfd_create, , CREATES(result))
OMEN_CALL(inotify_init, , CREATES(result))
OMEN_CALL(inotify_init1, , CREATES(result))
OMEN_CALL(inotify_add_watch, T(b), )
OMEN_CALL(epoll_create, , CREATES(result))
OMEN_CALL(epoll_create1, , CREATES(result))
OMEN_CALL(epoll_ctl, R(d, sizeof(epoll_event)) descriptor_registers(static_cast<int>(a), pc);, )
OMEN_CALL(epoll_wait, , if (result > 0) { descriptor_wakes(static_cast<int>(a), pc); W(b, result * kSize<epoll_event>) })
OMEN_CALL(epoll_pwait, R(e, f), if (result > 0) { descriptor_wakes(static_cast<int>(a), pc); W(b, result * kSize<epoll_event>) })
OMEN_CALL(epoll_pwait2, R(d, sizeof(timespec)) R(e, f), if (result > 0) { descriptor_wakes(static_cast<int>(a), pc); W(b, result * kSize<epoll_event>) })
OMEN_CALL(poll, R(a, b * kSize<pollfd>), W(a, b * kSize<pollfd>))
OMEN_CALL(ppoll, R(a, b * kSize<pollfd>) R(c, sizeof(timespec)) R(d, e), W(a, b * kSize<pollfd>))
OMEN_CALL(select, R(b, set_bytes(a)) R(c, set_bytes(a)) R(d, set_bytes(a)) R(e, sizeof(timeval)), W(b, set_bytes(a)) W(c, set_bytes(a)) W(d, set_bytes(a)))
OMEN_CALL(pselect6, R(b, set_bytes(a)) R(c, set_bytes(a)) R(d, set_bytes(a)) R(e, sizeof(timespec)), W(b, set_bytes(a)) W(c, set_bytes(a)) W(d, set_bytes(a)))

// Processes. A child of vfork uses its parent's memory: nothing of it is recorded.
OMEN_CALL(fork, fork_begins();, fork_ends(result);)
OMEN_CALL(vfork, fork_begins();, if (result != 0) fork_ends(result);)
OMEN_CALL(wait4, , W(b, sizeof(int)) W(d, sizeof(rusage)))
OMEN_CALL(waitpid, , W(b, sizeof(int)))
OMEN_CALL(waitid, , W(c, kSignalInfo) W(e, sizeof(rusage)))

// File names and attributes.
OMEN_CALL(access, T(a), )
OMEN_CALL(acct, T(a), )
OMEN_CALL(chdir, T(a), )
OMEN_CALL(chmod, T(a), )
OMEN_CALL(chown, T(a), )
OMEN_CALL(chroot, T(a), )
OMEN_CALL(faccessat, T(b), )
OMEN_CALL(fchmodat, T(b), )
OMEN_CALL(fchownat, T(b), )
OMEN_CALL(lchown, T(a), )
OMEN_CALL(link, T(a) T(b), )
OMEN_CALL(linkat, T(b) T(d), )
OMEN_CALL(mkdir, T(a), )
OMEN_CALL(mkdirat, T(b), )
OMEN_CALL(mknod, T(a), )
OMEN_CALL(mknodat, T(b), )
OMEN_CALL(mount, T(a) T(b) T(c), )
OMEN_CALL(umount, T(a), )
OMEN_CALL(pivot_root, T(a) T(b), )
OMEN_CALL(rename, T(a) T(b), )
OMEN_CALL(renameat, T(b) T(d), )
OMEN_CALL(rmdir, T(a), )
OMEN_CALL(swapon, T(a), )
OMEN_CALL(swapoff, T(a), )
OMEN_CALL(symlink, T(a) T(b), )
OMEN_CALL(symlinkat, T(a) T(c), )
OMEN_CALL(truncate, T(a), )
OMEN_CALL(unlink, T(a), )
OMEN_CALL(unlinkat, T(b), )
OMEN_CALL(uselib, T(a), )
OMEN_CALL(utime, T(a) R(b, sizeof(utimbuf)), )
OMEN_CALL(utimes, T(a) R(b, 2 * kSize<timeval>), )
OMEN_CALL(utimensat, T(b) R(c, 2 * kSize<timespec>), )
OMEN_CALL(futimesat, T(b) R(c, 2 * kSize<timeval>), )
OMEN_CALL(stat, T(a), W(b, sizeof(struct stat)))
OMEN_CALL(lstat, T(a), W(b, sizeof(struct stat)))
OMEN_CALL(fstat, , W(b, sizeof(struct stat)))
OMEN_CALL(newstat, T(a), W(b, sizeof(struct stat)))
OMEN_CALL(newlstat, T(a), W(b, sizeof(struct stat)))
OMEN_CALL(newfstat, , W(b, sizeof(struct stat)))
OMEN_CALL(newfstatat, T(b), W(c, sizeof(struct stat)))
OMEN_CALL(stat64, T(a), W(b, sizeof(struct stat)))
OMEN_CALL(lstat64, T(a), W(b, sizeof(struct stat)))
OMEN_CALL(fstat64, , W(b, sizeof(struct stat)))
OMEN_CALL(fstatat64, T(b), W(c, sizeof(struct stat)))
OMEN_CALL(statfs, T(a), W(b, sizeof(struct statfs)))
OMEN_CALL(statfs64, T(a), W(c, sizeof(struct statfs)))
OMEN_CALL(fstatfs, , W(b, sizeof(struct statfs)))
OMEN_CALL(fstatfs64, , W(c, sizeof(struct statfs)))
OMEN_CALL(setxattr, T(a) T(b) R(c, d), )
OMEN_CALL(lsetxattr, T(a) T(b) R(c, d), )
OMEN_CALL(fsetxattr, T(b) R(c, d), )
OMEN_CALL(getxattr, T(a) T(b), if (d != 0) W(c, result))
OMEN_CALL(lgetxattr, T(a) T(b), if (d != 0) W(c, result))
OMEN_CALL(fgetxattr, T(b), if (d != 0) W(c, result))
OMEN_CALL(listxattr, T(a), if (c != 0) W(b, result))
OMEN_CALL(llistxattr, T(a), if (c != 0) W(b, result))
OMEN_CALL(flistxattr, , if (c != 0) W(b, result))
OMEN_CALL(removexattr, T(a) T(b), )
OMEN_CALL(lremovexattr, T(a) T(b), )
OMEN_CALL(fremovexattr, T(b), )

// Times.
OMEN_CALL(time, , W(a, sizeof(time_t)))
OMEN_CALL(stime, R(a, sizeof(time_t)), )
OMEN_CALL(gettimeofday, , W(a, sizeof(timeval)) W(b, sizeof(struct timezone)))
OMEN_CALL(settimeofday, R(a, sizeof(timeval)) R(b, sizeof(struct timezone)), )
OMEN_CALL(adjtimex, , W(a, sizeof(timex)))
OMEN_CALL(clock_gettime, , W(b, sizeof(timespec)))
OMEN_CALL(clock_settime, R(b, sizeof(timespec)), )
OMEN_CALL(clock_getres, , W(b, sizeof(timespec)))
OMEN_CALL(clock_adjtime, , W(b, sizeof(timex)))
OMEN_CALL(clock_nanosleep, R(c, sizeof(timespec)), W(d, sizeof(timespec)))
OMEN_CALL(nanosleep, R(a, sizeof(timespec)), W(b, sizeof(timespec)))
OMEN_CALL(times, , W(a, sizeof(tms)))
OMEN_CALL(getitimer, , W(b, sizeof(itimerval)))
OMEN_CALL(setitimer, R(b, sizeof(itimerval)), W(c, sizeof(itimerval)))
OMEN_CALL(timer_create, , W(c, sizeof(int)))
OMEN_CALL(timer_gettime, , W(b, sizeof(itimerspec)))
OMEN_CALL(timer_settime, R(c, sizeof(itimerspec)), W(d, sizeof(itimerspec)))
OMEN_CALL(timerfd_gettime, , W(b, sizeof(itimerspec)))
OMEN_CALL(timerfd_settime, R(c, sizeof(itimerspec)), W(d, sizeof(itimerspec)))

// Signals.
OMEN_CALL(rt_sigaction, R(b, kAction), W(c, kAction))
OMEN_CALL(rt_sigpending, , W(a, b))
OMEN_CALL(rt_sigprocmask, R(b, d), W(c, d))
OMEN_CALL(rt_sigqueueinfo, R(c, kSignalInfo), )
OMEN_CALL(rt_tgsigqueueinfo, R(d, kSignalInfo), )
OMEN_CALL(rt_sigtimedwait, R(a, d) R(c, sizeof(timespec)), W(b, kSignalInfo))
OMEN_CALL(sigaltstack, R(a, kAlternateStack), W(b, kAlternateStack))
OMEN_CALL(sigpending, , W(a, sizeof(long)))
OMEN_CALL(sigprocmask, R(b, sizeof(long)), W(c, sizeof(long)))

// The system, its users and its limits.
OMEN_CALL(uname, , W(a, sizeof(utsname)))
OMEN_CALL(newuname, , W(a, sizeof(utsname)))
OMEN_CALL(gethostname, , W(a, b))
OMEN_CALL(sethostname, R(a, b), )
OMEN_CALL(setdomainname, R(a, b), )
OMEN_CALL(sysinfo, , W(a, sizeof(struct sysinfo)))
OMEN_CALL(syslog, , if (a >= 2 && a <= 4) W(b, result))
OMEN_CALL(getrusage, , W(b, sizeof(rusage)))
OMEN_CALL(getrlimit, , W(b, sizeof(rlimit)))
OMEN_CALL(setrlimit, R(b, sizeof(rlimit)), )
OMEN_CALL(prlimit64, R(c, sizeof(rlimit)), W(d, sizeof(rlimit)))
OMEN_CALL(getgroups, , if (a != 0) W(b, result * kSize<gid_t>))
OMEN_CALL(setgroups, R(b, a * kSize<gid_t>), )
OMEN_CALL(getresuid, , W(a, sizeof(uid_t)) W(b, sizeof(uid_t)) W(c, sizeof(uid_t)))
OMEN_CALL(getresgid, , W(a, sizeof(gid_t)) W(b, sizeof(gid_t)) W(c, sizeof(gid_t)))
OMEN_CALL(getcpu, , W(a, sizeof(unsigned)) W(b, sizeof(unsigned)))
OMEN_CALL(sched_getaffinity, , W(c, result))
OMEN_CALL(sched_setaffinity, R(c, b), )
OMEN_CALL(sched_getparam, , W(b, sizeof(int)))
OMEN_CALL(sched_setparam, R(b, sizeof(int)), )
OMEN_CALL(sched_setscheduler, R(c, sizeof(int)), )
OMEN_CALL(sched_rr_get_interval, , W(b, sizeof(timespec)))
OMEN_CALL(get_robust_list, , W(b, sizeof(void*)) W(c, sizeof(long)))
OMEN_CALL(mincore, , W(c, (b + 4095) / 4096))

// Messages and semaphores between processes.
OMEN_CALL(mq_open, T(a), CREATES(result))
OMEN_CALL(mq_unlink, T(a), )
OMEN_CALL(mq_timedsend, R(b, c) R(e, sizeof(timespec)) RELEASES(a), )
OMEN_CALL(mq_timedreceive, R(e, sizeof(timespec)), ACQUIRES(a) W(b, result) W(d, sizeof(int)))
OMEN_CALL(msgsnd, R(b, sizeof(long) + static_cast<unsigned long>(c)), )
OMEN_CALL(msgrcv, , W(b, static_cast<long>(sizeof(long)) + result))
OMEN_CALL(semop, R(b, c * kSize<sembuf>), )
OMEN_CALL(semtimedop, R(b, c * kSize<sembuf>) R(d, sizeof(timespec)), )
// clang-format on

// Calls whose arguments are numbers, whose structures depend on a command, or that belong to other machines.
// clang-format off
#define OMEN_EACH_SILENT_CALL(CALL) \
  CALL(add_key) CALL(alarm) CALL(bdflush) CALL(brk) CALL(capget) CALL(capset) CALL(chown16) CALL(delete_module) \
  CALL(exit) CALL(exit_group) CALL(fanotify_init) CALL(fanotify_mark) CALL(fchdir) CALL(fchmod) CALL(fchown) \
  CALL(fchown16) CALL(fcntl) CALL(fcntl64) CALL(fdatasync) CALL(flock) CALL(fsync) CALL(ftruncate) CALL(futex) \
  CALL(get_mempolicy) CALL(getegid) CALL(getegid16) CALL(geteuid) CALL(geteuid16) CALL(getgid) CALL(getgid16) \
  CALL(getgroups16) CALL(getpgid) CALL(getpgrp) CALL(getpid) CALL(getppid) CALL(getpriority) CALL(getresgid16) \
  CALL(getresuid16) CALL(getsid) CALL(gettid) CALL(getuid) CALL(getuid16) CALL(init_module) CALL(inotify_rm_watch) \
  CALL(io_destroy) CALL(ioctl) CALL(ioperm) CALL(ioprio_get) CALL(ioprio_set) CALL(ipc) CALL(kexec_load) \
  CALL(keyctl) CALL(kill) CALL(lchown16) CALL(listen) CALL(lookup_dcookie) CALL(lseek) CALL(madvise) CALL(mbind) \
  CALL(migrate_pages) CALL(mlock) CALL(mlockall) CALL(mmap_pgoff) CALL(move_pages) CALL(mprotect) \
  CALL(mq_getsetattr) CALL(mq_notify) CALL(mremap) CALL(msgctl) CALL(msgget) CALL(msync) CALL(munlock) \
  CALL(munlockall) CALL(munmap) CALL(name_to_handle_at) CALL(ni_syscall) CALL(nice) CALL(old_getrlimit) \
  CALL(old_mmap) CALL(old_readdir) CALL(old_select) CALL(oldumount) CALL(olduname) CALL(open_by_handle_at) \
  CALL(pause) CALL(pciconfig_iobase) CALL(pciconfig_read) CALL(pciconfig_write) CALL(perf_event_open) \
  CALL(personality) CALL(ptrace) CALL(quotactl) CALL(reboot) CALL(remap_file_pages) CALL(request_key) \
  CALL(restart_syscall) CALL(sched_get_priority_max) CALL(sched_get_priority_min) CALL(sched_getscheduler) \
  CALL(sched_yield) CALL(semctl) CALL(semget) CALL(set_mempolicy) CALL(set_robust_list) CALL(set_tid_address) \
  CALL(setfsgid) CALL(setfsgid16) CALL(setfsuid) CALL(setfsuid16) CALL(setgid) CALL(setgid16) CALL(setgroups16) \
  CALL(setns) CALL(setpgid) CALL(setpriority) CALL(setregid) CALL(setregid16) CALL(setresgid) CALL(setresgid16) \
  CALL(setresuid) CALL(setresuid16) CALL(setreuid) CALL(setreuid16) CALL(setsid) CALL(setuid) CALL(setuid16) \
  CALL(sgetmask) CALL(shmat) CALL(shmctl) CALL(shmdt) CALL(shmget) CALL(sigaction) CALL(signal) CALL(socketcall) \
  CALL(spu_create) CALL(spu_run) CALL(ssetmask) CALL(sync) CALL(syncfs) CALL(sysctl) CALL(sysfs) CALL(tgkill) \
  CALL(timer_delete) CALL(timer_getoverrun) CALL(tkill) CALL(umask) CALL(unshare) CALL(ustat) CALL(vhangup)
// clang-format on
OMEN_EACH_SILENT_CALL(OMEN_SILENT_CALL)
