/// \file
/// File descriptors. Data written to a pipe or socket is seen by its reader, so a write orders like a release and a
/// read like an acquire. The interceptors also report the memory that these calls read and write.
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "capture/runtime/base/keep_errno.hpp"
#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/descriptors.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/signal_order.hpp"
#include "capture/runtime/interceptors/turns.hpp"
#include "capture/runtime/schedule/raw_points.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

constexpr uptr kSockets = kFileObjects;  ///< one object for all: which two are connected is unknown

constexpr uptr kPolled = kFileObjects + 16;                    ///< wakes threads that wait for several descriptors
constexpr u32 kOrdersNothing = 1;                              ///< the detail of SyncRefused
std::atomic<bool> polling{false};                              ///< some thread waits for several descriptors
constexpr uptr kDescriptors = kFileObjects + (uptr{1} << 46);  ///< the descriptor numbers, modelled as memory

/// The object of the descriptor's file in the recording, the same for both ends. 0: it implies no order.
uptr object_of(int descriptor) {
  struct stat status;
  if (system_call(__NR_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return 0;
  switch (status.st_mode & S_IFMT) {
    case S_IFSOCK:
      return kSockets;
    case S_IFCHR:  // terminals, /dev/null
    case S_IFDIR:
      return 0;
    case S_IFIFO:
    case S_IFREG:
      return kFileObjects + 8 * (16 + (status.st_ino ^ (status.st_dev << 20)) % (u64{1} << 40));
    default:  // event counters, timers, sets of descriptors
      return kFileObjects + 8 * ((u64{1} << 41) + static_cast<u32>(descriptor));
  }
}

/// Descriptors are modelled as memory: closing one that another thread uses is a race. This is a use or, if `write`,
/// the end.
void used(ThreadState* thread, int descriptor, bool write, uptr pc) {
  if (descriptor >= 0) recorder.range(thread, kDescriptors + 8 * static_cast<u32>(descriptor), 8, write, pc);
}

/// A descriptor number that is returned again begins a new life.
void renewed(int descriptor, bool write, uptr pc) {
  if (descriptor < 0) return;
  set_signal_descriptor(descriptor, false);
  if (ThreadState* const thread = recording_thread()) {
    recorder.memory(thread, RawOp::Renew, kDescriptors + 8 * static_cast<u32>(descriptor), 8, pc);
    used(thread, descriptor, write, pc);
  }
}
void created(int descriptor, uptr pc) {
  renewed(descriptor, true, pc);
}

void order(RawOp op, int descriptor, uptr pc, u32 detail = 0) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return;
  const KeepErrno keep;
  const uptr object = object_of(descriptor);
  if (op == RawOp::SyncRelease) used(thread, descriptor, false, pc);
  // For sockets it is unknown whose data it was.
  if (op == RawOp::SyncTake && object == kSockets) op = RawOp::SyncAcquire;
  if (object != 0) recorder.synchronise(thread, op, object, detail, pc);
  // A thread that waits for several descriptors is woken by a change of one of them.
  if (op == RawOp::SyncRelease && object != 0 && polling.load(std::memory_order_relaxed)) {
    recorder.synchronise(thread, op, kPolled, 0, pc);
  }
  if (op != RawOp::SyncRelease) used(thread, descriptor, false, pc);
}

/// A call that does not block found no data, or no room. That holds only before the next write, and after the reads
/// that took the last data.
void refused(uptr object, u32 detail, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || object == 0) return;
  recorder.refused(thread, RawOp::SyncRefused, object, object == kSockets ? kOrdersNothing : detail, pc);
}
bool would_block() {
  return errno == EAGAIN || errno == ETIMEDOUT;
}

/// The end of a call that reads. A call that finds nothing is ordered after the reads that took the data.
void received(int descriptor, long result, uptr pc) {
  if (result >= 0) return order(RawOp::SyncTake, descriptor, pc);
  const KeepErrno keep;
  if (would_block()) refused(object_of(descriptor), 0, pc);
}
/// The end of a call that writes.
template <class Result>
Result sent(int descriptor, Result result, uptr pc) {
  if (result >= 0) return result;
  const KeepErrno keep;
  if (would_block()) refused(object_of(descriptor), kOrdersNothing, pc);
  return result;
}

/// A thread that reads of a signal is ordered after its sender.
void took_signals(int descriptor, const void* memory, long bytes, uptr pc) {
  if (!is_signal_descriptor(descriptor)) return;
  const auto* const got = static_cast<const signalfd_siginfo*>(memory);
  for (std::size_t i = 0; (i + 1) * sizeof *got <= static_cast<std::size_t>(bytes); ++i) {
    signal_taken(static_cast<int>(got[i].ssi_signo), pc);
  }
}

void touches(const void* memory, long bytes, bool write, uptr pc) {
  if (bytes <= 0) return;
  if (ThreadState* const thread = recording_thread()) {
    recorder.range(thread, reinterpret_cast<uptr>(memory), static_cast<u64>(bytes), write, pc);
  }
}

void touches(const iovec* pieces, long count, long bytes, bool write, uptr pc) {
  for (long i = 0; i < count && bytes > 0; ++i) {
    const long here = static_cast<long>(pieces[i].iov_len) < bytes ? static_cast<long>(pieces[i].iov_len) : bytes;
    touches(pieces[i].iov_base, here, write, pc);
    bytes -= here;
  }
}

/// An address that the call stored, and its length, which gave the size of the buffer before the call.
class StoredAddress {
 public:
  StoredAddress(const void* address, const void* length)
      : address_(address), length_(static_cast<const u32*>(length)), room_(length_ == nullptr ? 0 : *length_) {}
  void stored(uptr pc) const {
    if (length_ == nullptr) return;
    touches(length_, sizeof *length_, true, pc);
    if (address_ != nullptr) touches(address_, static_cast<long>(*length_ < room_ ? *length_ : room_), true, pc);
  }

 private:
  const void* address_;
  const u32* length_;
  u32 room_;
};

void touches_message(const msghdr* message, long bytes, bool write, uptr pc) {
  touches(message, sizeof *message, false, pc);
  if (message->msg_name != nullptr) touches(message->msg_name, message->msg_namelen, write, pc);
  touches(message->msg_control, static_cast<long>(message->msg_controllen), write, pc);
  touches(message->msg_iov, static_cast<long>(message->msg_iovlen), bytes, write, pc);
}

constexpr long kAllBytes = 0x7fffffffffffffffL;

/// Blocks in the scheduler until there is data to read. Returns at once if the descriptor does not block. False: a
/// signal interrupted the wait.
bool awaits_data_in_scheduler(ThreadState* thread, int descriptor, uptr pc) {
  const long flags = system_call(__NR_fcntl, descriptor, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0) return true;
  explore::test_cancel();
  bool timed_out = false;
  bool interrupted = false;
  poll_until(thread, explore::Wait::kNever, pc, timed_out, interrupted, [&] {
    pollfd one = {descriptor, POLLIN, 0};
    return system_call(__NR_poll, reinterpret_cast<long>(&one), 1, 0) != 0;
  });
  if (interrupted) errno = EINTR;
  return !interrupted;
}
/// A call that reads, in a run with a schedule.
template <class Call>
OMEN_NOINLINE auto read_scheduled(int descriptor, uptr pc, Call call) {
  await_turn(nullptr, pc);
  ThreadState* const thread = explored_thread();
  if (thread != nullptr && !awaits_data_in_scheduler(thread, descriptor, pc)) return decltype(call()){-1};
  auto result = call();
  while (tries_again(result < 0 && errno == EAGAIN, pc)) result = call();
  return result;
}
template <class Call>
OMEN_INLINE auto read_in_turn(int descriptor, uptr pc, Call call) {
  return schedule::on() ? read_scheduled(descriptor, pc, call) : call();
}

}  // namespace

namespace omen::rt {

void descriptor_created(int descriptor, uptr pc) {
  created(descriptor, pc);
}
void descriptor_replaced(int descriptor, uptr pc) {
  renewed(descriptor, false, pc);
}
void descriptor_closes(int descriptor, uptr pc) {
  order(RawOp::SyncRelease, descriptor, pc);
  if (ThreadState* const thread = recording_thread()) used(thread, descriptor, true, pc);
}
void descriptor_releases(int descriptor, uptr pc) {
  order(RawOp::SyncRelease, descriptor, pc);
}
void descriptor_acquires(int descriptor, uptr pc) {
  order(RawOp::SyncAcquire, descriptor, pc);
}
void descriptor_registers(int set, uptr pc) {
  polling.store(true, std::memory_order_relaxed);
  order(RawOp::SyncRelease, set, pc);
}
void descriptor_is_empty(int descriptor, uptr pc) {
  const KeepErrno keep;
  refused(object_of(descriptor), 0, pc);
}
/// A set of descriptors passes what was registered to the thread that is woken.
void descriptor_wakes(int set, uptr pc) {
  order(RawOp::SyncAcquire, set, pc, omen::raw::kPollWake);
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, RawOp::SyncAcquire, kPolled, omen::raw::kPollWake, pc);
  }
}

}  // namespace omen::rt

#define OMEN_READS(name, parameters, arguments, descriptor, memory)                                      \
  OMEN_INTERCEPT(long, name, parameters) {                                                               \
    const long bytes = read_in_turn(descriptor, OMEN_CALLER, [=] { return OMEN_REAL(name) arguments; }); \
    received(descriptor, bytes, OMEN_CALLER);                                                            \
    touches(memory, bytes, true, OMEN_CALLER);                                                           \
    if (bytes > 0) took_signals(descriptor, memory, bytes, OMEN_CALLER);                                 \
    return bytes;                                                                                        \
  }
#define OMEN_WRITES(name, parameters, arguments, descriptor, memory, size) \
  OMEN_INTERCEPT(long, name, parameters) {                                 \
    touches(memory, static_cast<long>(size), false, OMEN_CALLER);          \
    order(RawOp::SyncRelease, descriptor, OMEN_CALLER);                    \
    return sent(descriptor, OMEN_REAL(name) arguments, OMEN_CALLER);       \
  }

OMEN_READS(read, (int file, void* to, std::size_t size), (file, to, size), file, to)
OMEN_READS(pread, (int file, void* to, std::size_t size, long at), (file, to, size, at), file, to)
OMEN_READS(pread64, (int file, void* to, std::size_t size, long at), (file, to, size, at), file, to)
OMEN_READS(recv, (int file, void* to, std::size_t size, int flags), (file, to, size, flags), file, to)
OMEN_READS(__read_chk, (int file, void* to, std::size_t size, std::size_t room), (file, to, size, room), file, to)
OMEN_READS(__pread_chk, (int file, void* to, std::size_t size, long at, std::size_t room), (file, to, size, at, room),
           file, to)
OMEN_READS(__pread64_chk, (int file, void* to, std::size_t size, long at, std::size_t room), (file, to, size, at, room),
           file, to)
OMEN_READS(__recv_chk, (int file, void* to, std::size_t size, std::size_t room, int flags),
           (file, to, size, room, flags), file, to)

OMEN_WRITES(write, (int file, const void* from, std::size_t size), (file, from, size), file, from, size)
OMEN_WRITES(pwrite, (int file, const void* from, std::size_t size, long at), (file, from, size, at), file, from, size)
OMEN_WRITES(pwrite64, (int file, const void* from, std::size_t size, long at), (file, from, size, at), file, from, size)
OMEN_WRITES(send, (int file, const void* from, std::size_t size, int flags), (file, from, size, flags), file, from,
            size)
OMEN_WRITES(sendto, (int file, const void* from, std::size_t size, int flags, const void* to, u32 length),
            (file, from, size, flags, to, length), file, from, size)

#define OMEN_RECEIVES_FROM(name, parameters, arguments)                                            \
  OMEN_INTERCEPT(long, name, parameters) {                                                         \
    const StoredAddress address(from, length);                                                     \
    const long bytes = read_in_turn(file, OMEN_CALLER, [=] { return OMEN_REAL(name) arguments; }); \
    received(file, bytes, OMEN_CALLER);                                                            \
    if (bytes >= 0) {                                                                              \
      touches(to, bytes, true, OMEN_CALLER);                                                       \
      address.stored(OMEN_CALLER);                                                                 \
    }                                                                                              \
    return bytes;                                                                                  \
  }
OMEN_RECEIVES_FROM(recvfrom, (int file, void* to, std::size_t size, int flags, void* from, void* length),
                   (file, to, size, flags, from, length))
OMEN_RECEIVES_FROM(__recvfrom_chk,
                   (int file, void* to, std::size_t size, std::size_t room, int flags, void* from, void* length),
                   (file, to, size, room, flags, from, length))
OMEN_INTERCEPT(int, recvmmsg, (int file, mmsghdr* messages, unsigned count, int flags, void* time)) {
  const int result = OMEN_REAL(recvmmsg)(file, messages, count, flags, time);
  received(file, result, OMEN_CALLER);
  for (int i = 0; i < result; ++i) {
    touches_message(&messages[i].msg_hdr, messages[i].msg_len, true, OMEN_CALLER);
    touches(&messages[i].msg_len, sizeof messages[i].msg_len, true, OMEN_CALLER);
  }
  return result;
}
OMEN_INTERCEPT(int, sendmmsg, (int file, mmsghdr* messages, unsigned count, int flags)) {
  for (unsigned i = 0; i < count; ++i) touches_message(&messages[i].msg_hdr, kAllBytes, false, OMEN_CALLER);
  order(RawOp::SyncRelease, file, OMEN_CALLER);
  const int result = sent(file, OMEN_REAL(sendmmsg)(file, messages, count, flags), OMEN_CALLER);
  for (int i = 0; i < result; ++i) touches(&messages[i].msg_len, sizeof messages[i].msg_len, true, OMEN_CALLER);
  return result;
}

OMEN_INTERCEPT(long, readv, (int file, const iovec* pieces, int count)) {
  const long bytes = read_in_turn(file, OMEN_CALLER, [=] { return OMEN_REAL(readv)(file, pieces, count); });
  received(file, bytes, OMEN_CALLER);
  touches(pieces, count, bytes, true, OMEN_CALLER);
  return bytes;
}
OMEN_INTERCEPT(long, writev, (int file, const iovec* pieces, int count)) {
  touches(pieces, count, kAllBytes, false, OMEN_CALLER);
  order(RawOp::SyncRelease, file, OMEN_CALLER);
  return sent(file, OMEN_REAL(writev)(file, pieces, count), OMEN_CALLER);
}
OMEN_INTERCEPT(long, recvmsg, (int file, msghdr* message, int flags)) {
  const long bytes = read_in_turn(file, OMEN_CALLER, [=] { return OMEN_REAL(recvmsg)(file, message, flags); });
  received(file, bytes, OMEN_CALLER);
  if (bytes >= 0) touches_message(message, bytes, true, OMEN_CALLER);
  return bytes;
}
OMEN_INTERCEPT(long, sendmsg, (int file, const msghdr* message, int flags)) {
  touches_message(message, kAllBytes, false, OMEN_CALLER);
  order(RawOp::SyncRelease, file, OMEN_CALLER);
  return sent(file, OMEN_REAL(sendmsg)(file, message, flags), OMEN_CALLER);
}

OMEN_INTERCEPT(int, accept, (int file, void* address, void* length)) {
  const StoredAddress stored(address, length);
  const int result = read_in_turn(file, OMEN_CALLER, [=] { return OMEN_REAL(accept)(file, address, length); });
  received(file, result, OMEN_CALLER);
  if (result >= 0) stored.stored(OMEN_CALLER);
  created(result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, accept4, (int file, void* address, void* length, int flags)) {
  const StoredAddress stored(address, length);
  const int result = read_in_turn(file, OMEN_CALLER, [=] { return OMEN_REAL(accept4)(file, address, length, flags); });
  received(file, result, OMEN_CALLER);
  if (result >= 0) stored.stored(OMEN_CALLER);
  created(result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, connect, (int file, const void* address, u32 length)) {
  touches(address, length, false, OMEN_CALLER);
  order(RawOp::SyncRelease, file, OMEN_CALLER);
  return OMEN_REAL(connect)(file, address, length);
}
OMEN_INTERCEPT(int, shutdown, (int file, int how)) {
  order(RawOp::SyncRelease, file, OMEN_CALLER);
  return OMEN_REAL(shutdown)(file, how);
}
OMEN_INTERCEPT(int, close, (int file)) {
  descriptor_closes(file, OMEN_CALLER);
  return OMEN_REAL(close)(file);
}

OMEN_INTERCEPT(int, eventfd_write, (int file, u64 value)) {
  order(RawOp::SyncRelease, file, OMEN_CALLER);
  return sent(file, OMEN_REAL(eventfd_write)(file, value), OMEN_CALLER);
}
OMEN_INTERCEPT(int, eventfd_read, (int file, u64* value)) {
  const int result = read_in_turn(file, OMEN_CALLER, [=] { return OMEN_REAL(eventfd_read)(file, value); });
  received(file, result, OMEN_CALLER);
  if (result == 0) touches(value, sizeof *value, true, OMEN_CALLER);
  return result;
}

namespace {
constexpr long kEventBytes = 12;  // epoll_event is packed
}

OMEN_INTERCEPT(int, epoll_ctl, (int set, int operation, int file, void* event)) {
  if (event != nullptr) touches(event, kEventBytes, false, OMEN_CALLER);
  descriptor_registers(set, OMEN_CALLER);
  return OMEN_REAL(epoll_ctl)(set, operation, file, event);
}
namespace {
/// No descriptor of the set was ready: there was no write since.
void waited_for(int set, int count, uptr pc) {
  if (count > 0) return descriptor_wakes(set, pc);
  const KeepErrno keep;
  if (count == 0) refused(kPolled, kOrdersNothing, pc);
}
}  // namespace

OMEN_INTERCEPT(int, epoll_wait, (int set, void* events, int most, int timeout)) {
  const int count = poll_in_scheduler(milliseconds(timeout), OMEN_CALLER, [=](bool blocks) {
    return OMEN_REAL(epoll_wait)(set, events, most, blocks ? timeout : 0);
  });
  waited_for(set, count, OMEN_CALLER);
  if (count > 0) touches(events, count * kEventBytes, true, OMEN_CALLER);
  return count;
}
OMEN_INTERCEPT(int, epoll_pwait, (int set, void* events, int most, int timeout, const void* mask)) {
  const int count = poll_in_scheduler(milliseconds(timeout), OMEN_CALLER, [=](bool blocks) {
    return OMEN_REAL(epoll_pwait)(set, events, most, blocks ? timeout : 0, mask);
  });
  waited_for(set, count, OMEN_CALLER);
  if (count > 0) touches(events, count * kEventBytes, true, OMEN_CALLER);
  return count;
}

#define OMEN_CREATES(name, parameters, arguments)     \
  OMEN_INTERCEPT(int, name, parameters) {             \
    const int descriptor = OMEN_REAL(name) arguments; \
    created(descriptor, OMEN_CALLER);                 \
    return descriptor;                                \
  }

OMEN_CREATES(dup, (int file), (file))
OMEN_CREATES(socket, (int domain, int type, int protocol), (domain, type, protocol))
OMEN_CREATES(eventfd, (unsigned value, int flags), (value, flags))
OMEN_CREATES(epoll_create, (int size), (size))
OMEN_CREATES(epoll_create1, (int flags), (flags))
OMEN_CREATES(timerfd_create, (int clock, int flags), (clock, flags))
OMEN_CREATES(inotify_init1, (int flags), (flags))

// A changed mask of an existing descriptor needs no report.
OMEN_INTERCEPT(int, signalfd, (int file, const void* signals, int flags)) {
  const int descriptor = OMEN_REAL(signalfd)(file, signals, flags);
  if (file == -1) created(descriptor, OMEN_CALLER);
  if (descriptor >= 0) set_signal_descriptor(descriptor, true);
  return descriptor;
}

// Replacing the file of a descriptor that others use is a known way to stop them without a race on the number.
OMEN_INTERCEPT(int, dup2, (int file, int to)) {
  const int descriptor = OMEN_REAL(dup2)(file, to);
  if (file != to) renewed(descriptor, false, OMEN_CALLER);
  return descriptor;
}
OMEN_INTERCEPT(int, dup3, (int file, int to, int flags)) {
  const int descriptor = OMEN_REAL(dup3)(file, to, flags);
  renewed(descriptor, false, OMEN_CALLER);
  return descriptor;
}
namespace {
void made_two(const int* ends, uptr pc) {
  created(ends[0], pc);
  created(ends[1], pc);
  touches(ends, 2 * sizeof *ends, true, pc);
}
}  // namespace

OMEN_INTERCEPT(int, pipe, (int* ends)) {
  const int result = OMEN_REAL(pipe)(ends);
  if (result == 0) made_two(ends, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, pipe2, (int* ends, int flags)) {
  const int result = OMEN_REAL(pipe2)(ends, flags);
  if (result == 0) made_two(ends, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, socketpair, (int domain, int type, int protocol, int* ends)) {
  const int result = OMEN_REAL(socketpair)(domain, type, protocol, ends);
  if (result == 0) made_two(ends, OMEN_CALLER);
  return result;
}
