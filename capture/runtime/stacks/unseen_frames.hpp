/// \file
/// Frames that the shadow call stack lacks: those of functions without instrumentation between the innermost
/// instrumented function and the caller of the runtime, as in `std::thread`'s constructor, which calls
/// `pthread_create` from inside libstdc++. Without them the place in the instrumented function is lost: its frame says
/// only where it was called from.
///
/// The unwinder of libgcc_s finds them, where the program has it loaded. That takes microseconds, so it is for what
/// happens rarely. It never looks further out than the innermost instrumented frame: what lies beyond may be a stack
/// that somebody made by hand.
#pragma once

#include "capture/runtime/stacks/call_stack.hpp"

namespace omen::rt {

/// While it lives, `stack` has these frames too.
class UnseenFrames {
 public:
  /// `caller` is where the replaced function returns to. The thread is busy: what the unwinder does is not the
  /// program's.
  UnseenFrames(CallStack& stack, uptr caller);
  ~UnseenFrames() { stack_.cut(top_); }
  UnseenFrames(const UnseenFrames&) = delete;
  UnseenFrames& operator=(const UnseenFrames&) = delete;

 private:
  CallStack& stack_;
  Frame* top_;
};

}  // namespace omen::rt
