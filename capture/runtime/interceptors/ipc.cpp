/// \file
/// Message queues and semaphore sets, of POSIX and of System V. A message is seen by its receiver, so queues order like
/// pipes. An operation that raises a semaphore releases, one that lowers it acquires, and one that waits for zero
/// acquires from those that lowered it.
#include <errno.h>
#include <sys/sem.h>
#include <time.h>

#include "capture/runtime/base/keep_errno.hpp"
#include "capture/runtime/interceptors/descriptors.hpp"
#include "capture/runtime/interceptors/touches.hpp"
#include "capture/runtime/interceptors/turns.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

/// System V's ids of queues and of semaphores, as pseudo addresses apart from those of descriptors.
constexpr uptr kSemaphores = kFileObjects + (uptr{1} << 45);
constexpr uptr kQueues = kSemaphores + (uptr{1} << 44);
constexpr uptr kOfSet = 1U << 16;

uptr semaphore(int set, u32 number) {
  return kSemaphores + (static_cast<u32>(set) & 0xfff'ffffU) * kOfSet + uptr{number & 0xfff} * 16;
}
uptr zero_of(int set, u32 number) {
  return semaphore(set, number) + 8;
}
uptr queue(int id) {
  return kQueues + uptr{static_cast<u32>(id)} * 8;
}

void order(RawOp op, uptr object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) recorder.synchronise(thread, op, object, 0, pc);
}
/// An attempt that found nothing to take.
void refused(uptr object, uptr pc) {
  const KeepErrno keep;
  if (ThreadState* const thread = recording_thread()) recorder.refused(thread, RawOp::SyncRefused, object, 0, pc);
}

void before_operations(int set, const sembuf* operations, std::size_t count, uptr pc) {
  for (std::size_t i = 0; i < count; ++i) {
    if (operations[i].sem_op > 0) order(RawOp::SyncRelease, semaphore(set, operations[i].sem_num), pc);
    if (operations[i].sem_op < 0) order(RawOp::SyncRelease, zero_of(set, operations[i].sem_num), pc);
  }
}
void after_operations(int set, const sembuf* operations, std::size_t count, int result, uptr pc) {
  const bool none = result != 0 && errno == EAGAIN;
  if (result != 0 && !none) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (operations[i].sem_op > 0) continue;
    const uptr object =
        operations[i].sem_op < 0 ? semaphore(set, operations[i].sem_num) : zero_of(set, operations[i].sem_num);
    if (none) {
      refused(object, pc);
    } else {
      order(operations[i].sem_op < 0 ? RawOp::SyncTake : RawOp::SyncAcquire, object, pc);
    }
  }
}

}  // namespace

OMEN_INTERCEPT(int, semop, (int set, sembuf* operations, std::size_t count)) {
  touches(operations, count * sizeof *operations, false, OMEN_CALLER);
  before_operations(set, operations, count, OMEN_CALLER);
  await_turn(nullptr, OMEN_CALLER);
  const int result = OMEN_REAL(semop)(set, operations, count);
  after_operations(set, operations, count, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, semtimedop, (int set, sembuf* operations, std::size_t count, const timespec* time)) {
  touches(operations, count * sizeof *operations, false, OMEN_CALLER);
  touches(time, sizeof *time, false, OMEN_CALLER);
  before_operations(set, operations, count, OMEN_CALLER);
  await_turn(nullptr, OMEN_CALLER);
  const int result = OMEN_REAL(semtimedop)(set, operations, count, time);
  after_operations(set, operations, count, result, OMEN_CALLER);
  return result;
}
/// Variadic: the last argument is a number, a pointer, or missing.
OMEN_INTERCEPT(int, semctl, (int set, int number, int command, long argument)) {
  const u32 one = static_cast<u32>(number);
  if (command == SETVAL) {
    order(RawOp::SyncRelease, semaphore(set, one), OMEN_CALLER);
    order(RawOp::SyncRelease, zero_of(set, one), OMEN_CALLER);
  }
  const int result = OMEN_REAL(semctl)(set, number, command, argument);
  if (command == GETVAL && result >= 0) {
    order(RawOp::SyncAcquire, semaphore(set, one), OMEN_CALLER);
    order(RawOp::SyncAcquire, zero_of(set, one), OMEN_CALLER);
  }
  return result;
}

OMEN_INTERCEPT(int, msgsnd, (int id, const void* message, std::size_t bytes, int flags)) {
  touches(message, sizeof(long) + bytes, false, OMEN_CALLER);
  order(RawOp::SyncRelease, queue(id), OMEN_CALLER);
  return OMEN_REAL(msgsnd)(id, message, bytes, flags);
}
OMEN_INTERCEPT(long, msgrcv, (int id, void* message, std::size_t bytes, long type, int flags)) {
  await_turn(nullptr, OMEN_CALLER);
  const long result = OMEN_REAL(msgrcv)(id, message, bytes, type, flags);
  if (result >= 0) {
    order(RawOp::SyncTake, queue(id), OMEN_CALLER);
    touches(message, sizeof(long) + static_cast<std::size_t>(result), true, OMEN_CALLER);
  } else if (errno == ENOMSG) {
    refused(queue(id), OMEN_CALLER);
  }
  return result;
}

OMEN_INTERCEPT(int, mq_send, (int id, const char* message, std::size_t bytes, unsigned priority)) {
  touches(message, bytes, false, OMEN_CALLER);
  descriptor_releases(id, OMEN_CALLER);
  return OMEN_REAL(mq_send)(id, message, bytes, priority);
}
OMEN_INTERCEPT(int, mq_timedsend,
               (int id, const char* message, std::size_t bytes, unsigned priority, const timespec* time)) {
  touches(message, bytes, false, OMEN_CALLER);
  touches(time, sizeof *time, false, OMEN_CALLER);
  descriptor_releases(id, OMEN_CALLER);
  return OMEN_REAL(mq_timedsend)(id, message, bytes, priority, time);
}

namespace {

void received(int id, char* message, unsigned* priority, long result, uptr pc) {
  if (result < 0) {
    if (errno == EAGAIN || errno == ETIMEDOUT) descriptor_is_empty(id, pc);
    return;
  }
  descriptor_acquires(id, pc);
  touches(message, static_cast<std::size_t>(result), true, pc);
  touches(priority, sizeof *priority, true, pc);
}

}  // namespace

OMEN_INTERCEPT(long, mq_receive, (int id, char* message, std::size_t room, unsigned* priority)) {
  await_turn(nullptr, OMEN_CALLER);
  const long result = OMEN_REAL(mq_receive)(id, message, room, priority);
  received(id, message, priority, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(long, mq_timedreceive,
               (int id, char* message, std::size_t room, unsigned* priority, const timespec* time)) {
  touches(time, sizeof *time, false, OMEN_CALLER);
  await_turn(nullptr, OMEN_CALLER);
  const long result = OMEN_REAL(mq_timedreceive)(id, message, room, priority, time);
  received(id, message, priority, result, OMEN_CALLER);
  return result;
}
