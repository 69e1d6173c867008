/// \file
/// Signals. A handler may call back into the runtime, so none runs while the thread is inside it: the runtime defers
/// the signal and delivers it when the thread leaves. Signals raised by a fault of the thread itself cannot wait and
/// are delivered at once; the actions of such a handler are then not recorded.
#include <errno.h>
#include <signal.h>

#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/signal_order.hpp"
#include "capture/runtime/interceptors/touches.hpp"
#include "capture/runtime/interceptors/turns.hpp"
#include "capture/runtime/schedule/explore/crashes.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

struct Handler {
  std::atomic<void*> function;
  std::atomic<int> flags;
  sigset_t mask;
};
Handler handlers[kSignals];

bool known_signal(int signal) {
  return signal > 0 && signal < static_cast<int>(kSignals);
}

/// True if the signal was raised by the thread's own last instruction.
bool by_own_fault(int signal, const siginfo_t* info) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
      return info->si_code > 0;
    case SIGABRT:
      return true;
    default:
      return false;
  }
}

void call(const Handler& handler, int signal, siginfo_t* info, void* context) {
  void* const function = handler.function.load(std::memory_order_relaxed);
  if (function == nullptr) return;
  if ((handler.flags.load(std::memory_order_relaxed) & SA_SIGINFO) != 0) {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(function)(signal, info, context);
  } else {
    reinterpret_cast<void (*)(int)>(function)(signal);
  }
}

void run_handler(ThreadState* thread, int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const CallStack::Mark mark = thread->stack.raise_floor();
  ++thread->in_handler;
  const u32 ignore_access = thread->ignore_access;
  const u32 ignore_sync = thread->ignore_sync;
  const uptr library_frame = thread->library_frame;
  thread->ignore_access = thread->ignore_sync = 0;  // the interrupted code's settings do not apply to the handler
  thread->library_frame = 0;
  Handler& handler = handlers[signal];
  // The handler is ordered after its installation, and after the sending of the signal.
  if (thread->busy == 0) recorder.synchronise(thread, RawOp::SyncAcquire, reinterpret_cast<uptr>(&handler), 0, 0);
  call(handler, signal, info, context);
  if (schedule::on()) {
    explore::explorer.note_handler(thread, (handler.flags.load(std::memory_order_relaxed) & SA_RESTART) != 0);
  }
  thread->ignore_access = ignore_access;
  thread->ignore_sync = ignore_sync;
  thread->library_frame = library_frame;
  --thread->in_handler;
  thread->stack.restore(mark);
  errno = error;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  ThreadState* const thread = current_thread;
  if (thread == nullptr) {
    call(handlers[signal], signal, info, context);
    return;
  }
  const bool waits = thread->busy != 0 || (schedule::on() && schedule::defers_signals(thread));
  if (waits && !by_own_fault(signal, info)) {
    copy_bytes(thread->signals.info[signal], info, sizeof thread->signals.info[signal]);
    thread->signals.raised[signal].store(process_id(), std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread->signals.any.store(1, std::memory_order_relaxed);
    if (schedule::on()) explore::note_signal();
    return;
  }
  if (schedule::on()) explore::note_signal();
  run_handler(thread, signal, info, context);
}

}  // namespace

namespace omen::rt {

OMEN_NOINLINE void deliver_pending_signals(ThreadState* thread) {
  while (thread->signals.any.exchange(0, std::memory_order_relaxed) != 0) {
    if (thread->found_races != nullptr) tell_of_found_races(thread);
    for (u32 signal = 1; signal < kSignals; ++signal) {
      const u32 process = thread->signals.raised[signal].exchange(0, std::memory_order_relaxed);
      if (process == 0 || process != process_id()) continue;
      siginfo_t info;
      copy_bytes(&info, thread->signals.info[signal], sizeof info);
      const Handler& handler = handlers[signal];
      u64 blocked = handler.mask.__val[0];
      if ((handler.flags.load(std::memory_order_relaxed) & SA_NODEFER) == 0) blocked |= u64{1} << (signal - 1);
      const u64 before = set_signal_mask(kAllSignals);
      set_signal_mask((before | blocked) & kAllSignals);
      ucontext_t context = {};
      run_handler(thread, static_cast<int>(signal), &info, &context);
      set_signal_mask(before);
    }
  }
}

namespace {
void order(RawOp op, int signal, uptr pc) {
  if (!known_signal(signal)) return;
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(&handlers[signal]), 0, pc);
  }
}
constexpr u32 kSignalDescriptors = 4096;
std::atomic<u8> signal_descriptors[kSignalDescriptors];
}  // namespace

void signal_sent(int signal, uptr pc) {
  order(RawOp::SyncRelease, signal, pc);
}
void signal_taken(int signal, uptr pc) {
  order(RawOp::SyncAcquire, signal, pc);
}
bool is_signal_descriptor(int descriptor) {
  return static_cast<u32>(descriptor) < kSignalDescriptors &&
         signal_descriptors[descriptor].load(std::memory_order_relaxed) != 0;
}
void set_signal_descriptor(int descriptor, bool is_one) {
  if (static_cast<u32>(descriptor) >= kSignalDescriptors || is_signal_descriptor(descriptor) == is_one) return;
  signal_descriptors[descriptor].store(is_one ? 1 : 0, std::memory_order_relaxed);
}

}  // namespace omen::rt

namespace {

/// In a controlled run the sender of a signal waits until the kernel has delivered it, so that the following order does
/// not depend on the machine. The wait is short: the signal may be blocked, or for another process.
class SignalArrival {
 public:
  explicit SignalArrival(int signal)
      : awaits_(explored_thread() != nullptr && known_signal(signal) &&
                handlers[signal].function.load(std::memory_order_relaxed) != nullptr),
        seen_(awaits_ ? explore::signals_seen() : 0) {}
  ~SignalArrival() {
    if (awaits_) explore::await_signal(seen_);
  }
  SignalArrival(const SignalArrival&) = delete;
  SignalArrival& operator=(const SignalArrival&) = delete;

 private:
  bool awaits_;
  u64 seen_;
};

}  // namespace

// Sending.
OMEN_INTERCEPT(int, pthread_kill, (unsigned long thread, int signal)) {
  signal_sent(signal, OMEN_CALLER);
  const SignalArrival arrival(signal);
  return OMEN_REAL(pthread_kill)(thread, signal);
}
OMEN_INTERCEPT(int, pthread_sigqueue, (unsigned long thread, int signal, sigval value)) {
  signal_sent(signal, OMEN_CALLER);
  const SignalArrival arrival(signal);
  return OMEN_REAL(pthread_sigqueue)(thread, signal, value);
}
OMEN_INTERCEPT(int, tgkill, (int group, int thread, int signal)) {
  signal_sent(signal, OMEN_CALLER);
  const SignalArrival arrival(signal);
  return OMEN_REAL(tgkill)(group, thread, signal);
}
OMEN_INTERCEPT(int, kill, (int process, int signal)) {
  signal_sent(signal, OMEN_CALLER);
  const SignalArrival arrival(signal);
  return OMEN_REAL(kill)(process, signal);
}
OMEN_INTERCEPT(int, killpg, (int group, int signal)) {
  signal_sent(signal, OMEN_CALLER);
  return OMEN_REAL(killpg)(group, signal);
}
OMEN_INTERCEPT(int, sigqueue, (int process, int signal, sigval value)) {
  signal_sent(signal, OMEN_CALLER);
  const SignalArrival arrival(signal);
  return OMEN_REAL(sigqueue)(process, signal, value);
}
OMEN_INTERCEPT(int, raise, (int signal)) {
  signal_sent(signal, OMEN_CALLER);
  return OMEN_REAL(raise)(signal);
}

// Receiving a signal without a handler.
OMEN_INTERCEPT(int, sigwait, (const sigset_t* signals, int* signal)) {
  await_turn(nullptr, OMEN_CALLER);
  const int result = OMEN_REAL(sigwait)(signals, signal);
  if (result == 0) {
    signal_taken(*signal, OMEN_CALLER);
    touches(signal, sizeof *signal, true, OMEN_CALLER);
  }
  return result;
}
OMEN_INTERCEPT(int, sigwaitinfo, (const sigset_t* signals, siginfo_t* info)) {
  await_turn(nullptr, OMEN_CALLER);
  const int signal = OMEN_REAL(sigwaitinfo)(signals, info);
  if (signal > 0) signal_taken(signal, OMEN_CALLER), touches(info, sizeof *info, true, OMEN_CALLER);
  return signal;
}
OMEN_INTERCEPT(int, sigtimedwait, (const sigset_t* signals, siginfo_t* info, const timespec* time)) {
  await_turn(nullptr, OMEN_CALLER);
  const int signal = OMEN_REAL(sigtimedwait)(signals, info, time);
  if (signal > 0) signal_taken(signal, OMEN_CALLER), touches(info, sizeof *info, true, OMEN_CALLER);
  return signal;
}

OMEN_INTERCEPT(int, sigaction, (int signal, const struct sigaction* action, struct sigaction* old)) {
  if (current_thread == nullptr || !known_signal(signal)) return OMEN_REAL(sigaction)(signal, action, old);
  touches(action, sizeof *action, false, OMEN_CALLER);
  Handler& handler = handlers[signal];
  void* const old_function = handler.function.load(std::memory_order_relaxed);
  const int old_flags = handler.flags.load(std::memory_order_relaxed);
  struct sigaction ours;
  const struct sigaction* installed = action;
  if (action != nullptr && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
    if (ThreadState* const thread = recording_thread()) {
      recorder.synchronise(thread, RawOp::SyncRelease, reinterpret_cast<uptr>(&handler), 0, OMEN_CALLER);
    }
    ours = *action;
    handler.flags.store(action->sa_flags, std::memory_order_relaxed);
    handler.mask = action->sa_mask;
    handler.function.store(reinterpret_cast<void*>(action->sa_handler), std::memory_order_relaxed);
    ours.sa_sigaction = on_signal;
    ours.sa_flags |= SA_SIGINFO;
    installed = &ours;
  }
  const int result = OMEN_REAL(sigaction)(signal, installed, old);
  if (result == 0 && old != nullptr && explore::is_crash_action(reinterpret_cast<void*>(old->sa_handler))) {
    old->sa_handler = SIG_DFL;
    old->sa_flags = 0;
  }
  if (result != 0) {
    handler.function.store(old_function, std::memory_order_relaxed);
    handler.flags.store(old_flags, std::memory_order_relaxed);
  } else if (old != nullptr && (old->sa_flags & SA_SIGINFO) != 0 && old->sa_sigaction == on_signal) {
    old->sa_handler = reinterpret_cast<void (*)(int)>(old_function);
    if ((old_flags & SA_SIGINFO) == 0) old->sa_flags &= ~SA_SIGINFO;
  }
  if (result == 0) touches(old, sizeof *old, true, OMEN_CALLER);
  return result;
}

namespace {
using SimpleHandler = void (*)(int);
SimpleHandler set_handler(int signal, SimpleHandler handler, int flags) {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return __omen_intercept_sigaction(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
}  // namespace

OMEN_INTERCEPT(SimpleHandler, signal, (int number, SimpleHandler handler)) {
  if (current_thread == nullptr || !known_signal(number)) return OMEN_REAL(signal)(number, handler);
  return set_handler(number, handler, SA_RESTART);
}
OMEN_INTERCEPT(SimpleHandler, bsd_signal, (int number, SimpleHandler handler)) {
  if (current_thread == nullptr || !known_signal(number)) return OMEN_REAL(bsd_signal)(number, handler);
  return set_handler(number, handler, SA_RESTART);
}
OMEN_INTERCEPT(SimpleHandler, sysv_signal, (int number, SimpleHandler handler)) {
  if (current_thread == nullptr || !known_signal(number)) return OMEN_REAL(sysv_signal)(number, handler);
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// Jumps out of a handler: its frames are left.
namespace {
void jumping() {
  ThreadState* const thread = current_thread;
  if (thread == nullptr || thread->in_handler == 0) return;
  thread->in_handler = 0;
  thread->stack.drop_floor();
}
}  // namespace

#define OMEN_JUMP(name)                                   \
  OMEN_INTERCEPT(void, name, (void* target, int value)) { \
    jumping();                                            \
    OMEN_REAL(name)(target, value);                       \
    __builtin_unreachable();                              \
  }
OMEN_JUMP(longjmp)
OMEN_JUMP(_longjmp)
OMEN_JUMP(siglongjmp)
OMEN_JUMP(__longjmp_chk)
