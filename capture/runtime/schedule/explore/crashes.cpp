#include "capture/runtime/schedule/explore/crashes.hpp"

#include <asm/unistd.h>
#include <signal.h>
#include <ucontext.h>

#include "capture/runtime/schedule/explore/explore.hpp"
#include "capture/runtime/schedule/log.hpp"

namespace omen::rt::explore {
namespace {

struct Fatal {
  int number;
  const char* name;
};
constexpr Fatal kFatal[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};

void on_crash(int number, siginfo_t*, void* context) {
  const ThreadState* const thread = current_thread;
  if (thread == nullptr) return;
  const char* name = "signal";
  for (const Fatal& fatal : kFatal) {
    if (fatal.number == number) name = fatal.name;
  }
  // The location of the fault. An abort is inside the C library, called from here.
  uptr pc = thread->explored == nullptr ? 0 : thread->explored->pc;
  if (number != SIGABRT) pc = static_cast<uptr>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]) + 1;
  explorer.log_crash(thread, name, pc);
}

/// The kernel's layout.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  u64 mask;
};

}  // namespace

// The return path from a handler to the kernel.
extern "C" __attribute__((visibility("hidden"))) void __omen_return_from_crash();
asm(".text\n.hidden __omen_return_from_crash\n.globl __omen_return_from_crash\n"
    ".type __omen_return_from_crash, @function\n__omen_return_from_crash:\n  mov $15, %eax\n  syscall\n");

void catch_crashes() {
  constexpr unsigned long kRestorer = 0x04000000;
  KernelAction action = {on_crash, SA_SIGINFO | SA_RESETHAND | SA_NODEFER | kRestorer, __omen_return_from_crash, 0};
  for (const Fatal& fatal : kFatal) {
    system_call(__NR_rt_sigaction, fatal.number, reinterpret_cast<long>(&action), 0, sizeof action.mask);
  }
}

bool is_crash_action(const void* handler) {
  return handler == reinterpret_cast<const void*>(on_crash);
}

void note_assertion(const char* expression, const char* file, unsigned line, const char* function) {
  schedule::LogMessage log(explorer.configuration().log);
  log << "assertion " << (file == nullptr ? "?" : file) << ":" << u64{line} << ": "
      << (function == nullptr ? "?" : function) << ": " << (expression == nullptr ? "?" : expression) << "\n";
}

}  // namespace omen::rt::explore
