/// \file
/// State that instrumentation does not see: memory of uninstrumented code that the program's locks guard.
///
/// A predictive analysis orders two sections of a lock only if they conflict. So the first departure of control from
/// instrumented code in a section is an event of its own: a relaxed read-modify-write of a pseudo atomic of the lock,
/// `opaque(m)`, for each lock m whose section is still transparent. The event precedes whatever the uninstrumented code
/// does.
#pragma once

#include "capture/runtime/foreign/known_modules.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::detect {
class MessageLog;
}

namespace omen::rt {

/// Determines which modules are instrumented, and redirects their calls into other modules to stubs. Does nothing for
/// an analysis that orders all sections of a lock anyway.
void start_watching_hidden_state();
extern bool watching_hidden_state;  ///< set once, before there are other threads
/// Called when modules may have been loaded or unloaded. `place` is in one of them that is instrumented, or 0.
void look_at_modules(uptr place);
/// The program has loaded modules, which may occupy the addresses of modules that it has unloaded.
void forget_unloaded_modules();
/// While it lives, the thread loads modules, which are searched for their own symbols first (RTLD_DEEPBIND) if `deep`.
class LoadsModules {
 public:
  explicit LoadsModules(bool deep);
  ~LoadsModules();
  LoadsModules(const LoadsModules&) = delete;
  LoadsModules& operator=(const LoadsModules&) = delete;

 private:
  bool deep_;
};
/// Writes the notes about modules again, for the new files of a forked child.
void repeat_hidden_state_notes(ThreadState* thread);

/// Locks that have had an opaque section, by address. A false positive only adds order.
class HiddenLocks {
 public:
  void add(uptr lock) { word(lock).fetch_or(bit(lock), std::memory_order_relaxed); }
  bool may_have(uptr lock) { return (word(lock).load(std::memory_order_relaxed) & bit(lock)) != 0; }

 private:
  static constexpr uptr kWords = 1024;
  static uptr hash(uptr lock) { return (lock * 0x9E3779B97F4A7C15ULL) >> 48; }
  static u64 bit(uptr lock) { return u64{1} << (hash(lock) % 64); }
  std::atomic<u64>& word(uptr lock) { return words_[hash(lock) / 64]; }

  std::atomic<u64> words_[kWords];
};
extern HiddenLocks hidden_locks;

/// Addresses from here on are not memory of the program: pseudo addresses of modelled locks (dispatch/abi_java.cpp).
inline constexpr uptr kNoMemory = uptr{1} << 47;

void note_any_section_step(ThreadState* thread, raw::RawOp op, uptr lock, uptr pc);
/// Called after a lock operation is recorded, while hidden state is watched.
OMEN_INLINE void note_section_step(ThreadState* thread, raw::RawOp op, uptr lock, uptr pc) {
  HeldSections& held = thread->sections;
  const bool is_common = op == raw::RawOp::Release   ? held.end_only(lock)
                         : op == raw::RawOp::Acquire ? lock < kNoMemory && is_program_code(pc) &&
                                                           !hidden_locks.may_have(lock) && held.begin_only(lock)
                                                     : false;
  if (OMEN_UNLIKELY(!is_common)) return note_any_section_step(thread, op, lock, pc);
  if (thread == current_thread) current_transparent = held.transparent();
}

/// Control is about to leave instrumented code at `pc`. Called by interceptors of C library functions that keep state.
/// Does nothing if all sections of the thread are opaque.
void reach_hidden_state(uptr pc);

/// Counters for `stats=1`.
struct HiddenStateCounters {
  void write(detect::MessageLog& log) const;

  std::atomic<u64> departures{0};       ///< sections that became opaque at a call into uninstrumented code
  std::atomic<u64> foreign_begins{0};   ///< sections that began in uninstrumented code
  std::atomic<u64> unknown_begins{0};   ///< sections that are opaque because the module's calls are not known
  std::atomic<u64> overflows{0};        ///< sections that did not fit into the table of held ones
  std::atomic<u64> modules{0};          ///< instrumented
  std::atomic<u64> unknown_modules{0};  ///< instrumented, but their calls cannot be redirected
  std::atomic<u64> stubs{0};            ///< uninstrumented functions that are called through a stub
  std::atomic<u64> slots{0};            ///< entries of linkage tables that lead to stubs or to the runtime's functions
  std::atomic<u64> escaping{0};         ///< entries left unchanged because the function's address is used as data
};
extern HiddenStateCounters hidden_state_counters;

}  // namespace omen::rt
