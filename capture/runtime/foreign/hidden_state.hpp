/// \file
/// State that instrumentation does not see: what code without instrumentation keeps behind the program's locks.
///
/// A predictive analysis orders two sections of a lock only if they conflict. So the first departure of control from
/// instrumented code in a section is an event of its own: a relaxed read-modify-write of a pseudo atomic of the lock,
/// `opaque(m)`, for each lock m whose section is still transparent. It stands before whatever the foreign code does.
#pragma once

#include "capture/runtime/thread_state.hpp"

namespace omen::rt::online {
class OnlineLog;
}

namespace omen::rt {

/// Finds out which modules are instrumented and leads their calls into others over stubs. Nothing is done for an
/// analysis that orders all sections of a lock anyway.
void start_watching_hidden_state();
/// Modules may have been loaded or unloaded. `place` is in one of them that is instrumented, or 0.
void look_at_modules(uptr place);
/// The program has loaded modules, which may be where others were before that it has unloaded.
void forget_unloaded_modules();
/// While it lives the thread loads modules that look for functions in themselves first (RTLD_DEEPBIND), if `deep`.
class LoadsModules {
 public:
  explicit LoadsModules(bool deep);
  ~LoadsModules();
  LoadsModules(const LoadsModules&) = delete;
  LoadsModules& operator=(const LoadsModules&) = delete;

 private:
  bool deep_;
};
/// The forked child begins new files: what they must say of the modules is said again.
void repeat_hidden_state_notes(ThreadState* thread);

/// A step of a lock, which has been recorded.
void note_section_step(ThreadState* thread, raw::RawOp op, uptr lock, uptr pc);

/// Control is about to leave instrumented code; `pc` is the place from which it does. For functions of the runtime that
/// stand for ones of the C library that keep state. Does nothing if all sections of the thread are opaque.
void reach_hidden_state(uptr pc);

/// How often which way decided, for `stats=1`.
struct HiddenStateCounters {
  void write(online::OnlineLog& log) const;

  std::atomic<u64> departures{0};       ///< sections that became opaque at a call into foreign code
  std::atomic<u64> foreign_begins{0};   ///< sections that began in foreign code
  std::atomic<u64> unknown_begins{0};   ///< sections that are opaque because the module's calls are not known
  std::atomic<u64> overflows{0};        ///< sections that found no room among those that are held
  std::atomic<u64> modules{0};          ///< instrumented
  std::atomic<u64> unknown_modules{0};  ///< instrumented, but their calls cannot be led over stubs
  std::atomic<u64> stubs{0};            ///< foreign functions that calls reach over a stub
  std::atomic<u64> slots{0};            ///< entries of linkage tables that lead to stubs or to functions of ours
  std::atomic<u64> escaping{0};         ///< entries left alone, for the address of the function is used as data
};
extern HiddenStateCounters hidden_state_counters;

}  // namespace omen::rt
